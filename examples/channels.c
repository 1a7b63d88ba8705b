// SPDX-License-Identifier: Apache-2.0
// A service of two workers behind channels: requests and replies, not more than a few at a time,
// clients that give up after a while, and an orderly end by select.
#include <stdio.h>
#include <twill/twill.h>

#ifdef TWILL_SERIAL // a client would wait for a server that never runs

int main(void)
{
    puts("only with the library");
    return 77;
}

#else

enum { MS = 1000000, SERVERS = 2, CLIENTS = 20, BURST = 4 };

TW_CHANNEL(long, replies)

struct request {
    long number;
    tw_channel(replies) reply; // with room for one: the server never waits for a client
};

TW_CHANNEL(struct request, requests)
TW_CHANNEL(char, tokens)

struct service {
    tw_channel(requests) requests; // a rendezvous: who has sent knows that a server works at it
    tw_channel(tokens) tokens;     // each request costs one; they come at a fixed rate
    tw_channel(tokens) stop;       // closed when the ticker shall end
    long served, idle;
};

// A token every tenth of a millisecond; those that nobody wants are not kept.
TW_TASK(tick, { struct service *service; })
{
    struct service *s = self.service;
    char ignored;
    struct tw_case stop = tw_case_receive(tokens, s->stop, &ignored);
    for (uint64_t next = tw_now_ns(); tw_select(&stop, 1, next) == TW_ETIMEDOUT; next += MS / 10)
        (void)tw_try_send(tokens, s->tokens, 1);
    tw_channel_close(s->tokens.channel);
}

// Goes on until nobody can send any more and all that was sent has been served.
TW_TASK(serve, { struct service *service; })
{
    struct service *s = self.service;
    struct request request;
    char token;
    for (;;) {
        struct tw_case cases[] = {tw_case_receive(requests, s->requests, &request)};
        int which = tw_select(cases, 1, tw_now_ns() + 50 * MS);
        if (which == TW_ETIMEDOUT) {
            __atomic_fetch_add(&s->idle, 1, __ATOMIC_RELAXED);
            continue;
        }
        if (which < 0 || cases[which].error == TW_EPIPE)
            return;
        (void)tw_receive(tokens, s->tokens, &token);
        if (request.number % 5 == 0)
            tw_sleep(20 * MS); // some take long
        if (tw_try_send(replies, request.reply, request.number * request.number) == 0)
            __atomic_fetch_add(&s->served, 1, __ATOMIC_RELAXED);
    }
}

TW_TASK(ask, {
    struct service *service;
    tw_channel(replies) reply;
    long number;
    long *answer;
})
{
    struct request request = {self.number, self.reply};
    uint64_t patience = tw_now_ns() + (uint64_t)30000 * MS;
    *self.answer = -1;
    if (tw_send_until(requests, self.service->requests, patience, request) == 0 &&
        tw_receive_until(replies, self.reply, tw_now_ns() + 10 * MS, self.answer) == TW_ETIMEDOUT)
        *self.answer = -2; // it will come, but too late for us
}

TW_TASK(open_for_business, {
    struct service *service;
    tw_channel(replies) * reply;
    long *answer;
})
{
    struct service *s = self.service;
    tw_finish {
        tw_async_apart(tick, .service = s);
        tw_finish {
            for (int i = 0; i < SERVERS; i++)
                tw_async_apart(serve, .service = s);
            tw_finish {
                for (int i = 0; i < CLIENTS; i++)
                    tw_async_apart(ask, .service = s, .reply = self.reply[i], .number = i,
                                   .answer = &self.answer[i]);
            }
            tw_channel_close(s->requests.channel);
        }
        tw_channel_close(s->stop.channel);
    }
}

// Replies that came too late are still there.
static int count_wrong(tw_channel(replies) * reply, const long *answer)
{
    int wrong = 0;
    for (int i = 0; i < CLIENTS; i++) {
        long late = answer[i];
        struct tw_case rest = tw_case_receive(replies, reply[i], &late);
        if (answer[i] == -2 && tw_select_try(&rest, 1) != 0)
            wrong++;
        wrong += late != (long)i * i;
        wrong += tw_try_receive(replies, reply[i], &late) != TW_ETIMEDOUT;
        tw_channel_destroy(reply[i].channel);
    }
    return wrong;
}

int main(void)
{
    struct service service = {.served = 0};
    tw_channel(replies) reply[CLIENTS];
    long answer[CLIENTS];
    if (tw_channel_make(requests, &service.requests, "requests", 0) != 0 ||
        tw_channel_make(tokens, &service.tokens, "tokens", BURST) != 0 ||
        tw_channel_make(tokens, &service.stop, "stop", 0) != 0)
        return 1;
    for (int i = 0; i < CLIENTS; i++)
        if (tw_channel_make(replies, &reply[i], "reply", 1) != 0)
            return 1;
    if (tw_run(open_for_business, .service = &service, .reply = reply, .answer = answer) != 0)
        return 1;
    int late = 0, wrong = count_wrong(reply, answer);
    for (int i = 0; i < CLIENTS; i++)
        late += answer[i] == -2;
    printf("%ld served, %d of them too late; idle %ld times\n", service.served, late, service.idle);
    tw_channel_destroy(service.requests.channel);
    tw_channel_destroy(service.tokens.channel);
    tw_channel_destroy(service.stop.channel);
    return wrong || service.served != CLIENTS;
}

#endif
