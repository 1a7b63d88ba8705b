// SPDX-License-Identifier: Apache-2.0
// What the paths of the server compute.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <twill/twill.h>

#include "apps/busy.h"
#include "apps/fib/fib.h"
#include "apps/server/server.h"

#define FIB_CUTOFF 20    // below, the plain recursion: some microseconds
#define WORK_PIECE_US 20 // work is divided down to this

TW_FUNCTION(uint64_t, fib, { unsigned n; })
{
    if (self.n < FIB_CUTOFF)
        return fib_recursive(self.n);
    tw_forked(fib) first = tw_fork(fib, .n = self.n - 1);
    uint64_t second = tw_call(fib, .n = self.n - 2);
    return tw_join(fib, first) + second;
}

TW_FUNCTION(uint64_t, work, {
    uint64_t rounds;
    uint64_t piece;
})
{
    if (self.rounds <= self.piece)
        return busy_work(self.rounds, self.rounds);
    tw_forked(work) half = tw_fork(work, .rounds = self.rounds / 2, .piece = self.piece);
    uint64_t rest = tw_call(work, .rounds = self.rounds - self.rounds / 2, .piece = self.piece);
    return rest ^ tw_join(work, half);
}

static void do_work(struct server *server, uint64_t ns)
{
    uint64_t rounds = ns * server->rounds_per_ms / 1000000;
    uint64_t piece = WORK_PIECE_US * server->rounds_per_ms / 1000 + 1;
    if (rounds > 0)
        __atomic_store_n(&server->work_done, tw_call(work, .rounds = rounds, .piece = piece),
                         __ATOMIC_RELAXED);
}

// Whether the path is `start` and then a number up to `most`.
static bool takes(const struct http_request *request, const char *start, uint64_t most,
                  uint64_t *number)
{
    size_t length = strlen(start);
    if (request->path_length <= length || memcmp(request->path, start, length) != 0)
        return false;
    *number = 0;
    for (size_t i = length; i < request->path_length; i++) {
        char digit = request->path[i];
        if (digit < '0' || digit > '9')
            return false;
        *number = *number * 10 + (uint64_t)(digit - '0');
        if (*number > most)
            return false;
    }
    return true;
}

static void say_number(struct http_answer *answer, uint64_t number)
{
    answer->body_length =
        (size_t)snprintf(answer->body, sizeof answer->body, "%" PRIu64 "\n", number);
}

static void say(struct http_answer *answer, enum http_status status, const char *text)
{
    answer->status = status;
    answer->body_length = strlen(text);
    memcpy(answer->body, text, answer->body_length);
}

void answer_request(struct server *server, const struct http_request *request,
                    struct http_answer *answer)
{
    _Static_assert(sizeof SERVER_GREETING <= HTTP_BODY_MAX, "the greeting is a body");
    uint64_t number;
    do_work(server, server->limits.work_ns);
    if (!request->is_get) {
        say(answer, HTTP_NOT_ALLOWED, "give GET\n");
    } else if (request->has_content) {
        say(answer, HTTP_CONTENT_TOO_LARGE, "give no content\n");
    } else if (request->path_length == 1) {
        say(answer, HTTP_OK, SERVER_GREETING);
    } else if (takes(request, "/fib/", SERVER_FIB_MAX, &number)) {
        say_number(answer, tw_call(fib, .n = (unsigned)number));
    } else if (takes(request, "/work/", SERVER_WORK_US_MAX, &number)) {
        do_work(server, number * 1000);
        say_number(answer, number);
    } else {
        say(answer, HTTP_NOT_FOUND, "give /, /fib/0 to /fib/40, or /work/0 to /work/1000000\n");
    }
}
