// SPDX-License-Identifier: Apache-2.0
// Requests, several of them sent at once, and what should come back.
#include "apps/server/self.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <twill/twill.h>

#include "apps/fib/fib.h"
#include "apps/net.h"
#include "apps/server/server.h"

#define SENT_AT_ONCE 3
#define REQUEST_MAX 128
#define PATIENCE_NS UINT64_C(60000000000)

struct expected {
    char request[REQUEST_MAX];
    int status;
    char body[HTTP_BODY_MAX]; // "": any
};

struct client {
    int socket;
    size_t have;
    char bytes[4096];
};

static uint64_t patience(void)
{
    return tw_now_ns() + PATIENCE_NS;
}

static void ask(struct expected *e, const char *method, const char *path, uint64_t number)
{
    snprintf(e->request, sizeof e->request, "%s %s%" PRIu64 " HTTP/1.1\r\nHost: self\r\n\r\n",
             method, path, number);
}

// The requests by their number: of each kind one in five.
static void make_request(uint64_t number, struct expected *e)
{
    *e = (struct expected){.status = HTTP_OK};
    switch (number % 5) {
    case 0:
        ask(e, "GET", "/?", number);
        snprintf(e->body, sizeof e->body, "%s", SERVER_GREETING);
        break;
    case 1:
        ask(e, "GET", "/fib/", number % 26);
        snprintf(e->body, sizeof e->body, "%" PRIu64 "\n", fib_value((unsigned)(number % 26)));
        break;
    case 2:
        ask(e, "GET", "/work/", number % 100);
        snprintf(e->body, sizeof e->body, "%" PRIu64 "\n", number % 100);
        break;
    case 3:
        ask(e, "GET", "/nothing/", number);
        e->status = HTTP_NOT_FOUND;
        break;
    default:
        ask(e, "POST", "/fib/", number % 26);
        e->status = HTTP_NOT_ALLOWED;
    }
}

static bool receive(struct client *client)
{
    size_t room = sizeof client->bytes - 1 - client->have;
    int64_t got = tw_read(client->socket, client->bytes + client->have, room, patience());
    if (got <= 0)
        return false;
    client->have += (size_t)got;
    client->bytes[client->have] = '\0';
    return true;
}

// The length of an answer's head, and of its body; 0 when it is none.
static size_t receive_head(struct client *client, size_t *body)
{
    static const char field[] = "\r\nContent-Length: ";
    const char *end;
    while (client->have == 0 || !(end = strstr(client->bytes, "\r\n\r\n")))
        if (!receive(client))
            return 0;
    const char *length = strstr(client->bytes, field);
    if (!length || length > end || sscanf(length + strlen(field), "%zu", body) != 1)
        return 0;
    return (size_t)(end - client->bytes) + strlen("\r\n\r\n");
}

static bool receive_answer(struct client *client, const struct expected *e)
{
    char status[32];
    int status_length = snprintf(status, sizeof status, "HTTP/1.1 %d ", e->status);
    size_t body, head = receive_head(client, &body);
    if (head == 0 || body > HTTP_BODY_MAX)
        return false;
    while (client->have < head + body)
        if (!receive(client))
            return false;
    bool right = strncmp(client->bytes, status, (size_t)status_length) == 0;
    if (e->body[0])
        right =
            right && body == strlen(e->body) && memcmp(client->bytes + head, e->body, body) == 0;
    client->have -= head + body;
    memmove(client->bytes, client->bytes + head + body, client->have + 1);
    return right;
}

// Sends `count` requests and returns how many are answered right. What follows a wrong answer
// counts as wrong.
static uint64_t exchange(struct client *client, uint64_t first, uint64_t count)
{
    struct expected expected[SENT_AT_ONCE];
    char bytes[SENT_AT_ONCE * REQUEST_MAX];
    size_t size = 0;
    for (uint64_t i = 0; i < count; i++) {
        make_request(first + i, &expected[i]);
        memcpy(bytes + size, expected[i].request, strlen(expected[i].request));
        size += strlen(expected[i].request);
    }
    if (tw_write(client->socket, bytes, size, patience()) < 0)
        return 0;
    uint64_t right = 0;
    while (right < count && receive_answer(client, &expected[right]))
        right++;
    return right;
}

static bool connect_client(struct client *client, const struct sockaddr_in *address)
{
    client->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (client->socket < 0)
        return false;
    net_send_at_once(client->socket);
    return tw_connect(client->socket, (const struct sockaddr *)address, sizeof *address,
                      patience()) == 0;
}

TW_TASK(run_client, {
    const struct sockaddr_in *address;
    uint64_t first;
    uint64_t count;
    uint64_t *right;
})
{
    struct client client = {.have = 0};
    uint64_t done = 0, right = 0;
    if (connect_client(&client, self.address)) {
        while (done < self.count && right == done) {
            uint64_t left = self.count - done, count = left < SENT_AT_ONCE ? left : SENT_AT_ONCE;
            right += exchange(&client, self.first + done, count);
            done += count;
        }
    }
    if (client.socket >= 0)
        close(client.socket);
    __atomic_add_fetch(self.right, right, __ATOMIC_RELAXED);
}

uint64_t self_request(const struct sockaddr_in *address, uint64_t requests)
{
    uint64_t right = 0;
    tw_finish {
        for (uint64_t i = 0; i < SELF_CLIENTS; i++) {
            uint64_t first = requests * i / SELF_CLIENTS, end = requests * (i + 1) / SELF_CLIENTS;
            if (end > first)
                tw_async(run_client, .address = address, .first = first, .count = end - first,
                         .right = &right);
        }
    }
    return requests - right;
}
