// SPDX-License-Identifier: Apache-2.0
// An echo server and its clients on loopback. The server is cancelled when the clients are done.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <twill/twill.h>
#include <unistd.h>

#ifdef TWILL_SERIAL // there the server would wait for clients that come after it

int main(void)
{
    puts("only with the library");
    return 77;
}

#else

enum { CLIENTS = 50 };

// One task for each connection, written as if it were alone.
TW_TASK(echo, { int fd; })
{
    char bytes[256];
    for (int64_t got; (got = tw_read(self.fd, bytes, sizeof bytes, TW_NEVER)) > 0;)
        if (tw_write(self.fd, bytes, (size_t)got, TW_NEVER) != got)
            break;
    close(self.fd);
}

TW_TASK(serve, { int listens; })
{
    for (int fd; (fd = tw_accept(self.listens, NULL, NULL, TW_NEVER)) >= 0;)
        tw_async(echo, .fd = fd);
}

// A connection, a greeting in two parts, and its echo, all within ten seconds.
static int talk_within(int fd, const struct sockaddr_in *address, int number)
{
    uint64_t deadline = tw_now_ns() + 10000000000u;
    char name[16], hello[] = "hello from ", heard[40] = "", said[40];
    snprintf(name, sizeof name, "%d", number);
    snprintf(said, sizeof said, "%s%s", hello, name);
    struct iovec parts[] = {{hello, strlen(hello)}, {name, strlen(name)}};
    int error = tw_connect(fd, (const struct sockaddr *)address, sizeof *address, deadline);
    if (error)
        return error;
    int64_t put = tw_writev(fd, parts, 2, deadline), sum = 0;
    int there = tw_poll(fd, POLLIN, deadline);
    while (there > 0 && sum < put) {
        struct iovec rest = {heard + sum, (size_t)(put - sum)};
        int64_t got = tw_readv(fd, &rest, 1, deadline);
        if (got <= 0)
            return got < 0 ? (int)got : TW_EIO;
        sum += got;
    }
    return there < 0 ? there : strcmp(said, heard) != 0;
}

TW_TASK(talk, {
    const struct sockaddr_in *address;
    int number;
})
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int error = fd < 0 ? TW_SYSTEM(errno) : talk_within(fd, self.address, self.number);
    if (fd >= 0)
        close(fd);
    if (error)
        tw_fail(error);
}

TW_TASK(serve_and_talk, {
    int listens;
    const struct sockaddr_in *address;
})
{
    struct tw_outcome server;
    tw_attempt(&server)
    {
        tw_async(serve, .listens = self.listens);
        tw_attempt(NULL) // an error of theirs is the server's, and so the end of it
        {
            for (int i = 0; i < CLIENTS; i++)
                tw_async(talk, .address = self.address, .number = i);
        }
        tw_cancel();
    }
    if (server.error != TW_ECANCELED)
        tw_fail(server.error);
}

int main(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t length = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listens = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listens < 0 || bind(listens, (struct sockaddr *)&address, length) != 0 ||
        listen(listens, CLIENTS) != 0 ||
        getsockname(listens, (struct sockaddr *)&address, &length) != 0) {
        perror("no socket on loopback");
        return 77;
    }
    int error = tw_run(serve_and_talk, .listens = listens, .address = &address);
    close(listens);
    if (error)
        printf("%s (%s)\n", tw_strerror(error), strerror(TW_ERRNO(error)));
    else
        printf("%d clients heard their echo\n", CLIENTS);
    return error != 0;
}

#endif
