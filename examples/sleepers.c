// SPDX-License-Identifier: Apache-2.0
// Tasks that sleep, waits with deadlines, and the first of several answers.
#include <stdio.h>
#include <twill/twill.h>

#ifdef TWILL_SERIAL // a wait there could never end

int main(void)
{
    puts("only with the library");
    return 77;
}

#else

enum { MS = 1000000, SERVERS = 3 };

TW_FUTURE(int, answer)

TW_TASK(answer_after, {
    int ms, number;
    tw_future(answer) * out;
})
{
    if (tw_sleep((uint64_t)self.ms * MS) == 0)
        (void)tw_promise(answer, self.out, self.number);
}

// Whoever answers first; the others are called off.
TW_TASK(ask_all, { int *first; })
{
    tw_future(answer) answers[SERVERS] = {TW_FUTURE_INIT, TW_FUTURE_INIT, TW_FUTURE_INIT};
    struct tw_future *list[SERVERS];
    struct tw_outcome outcome;
    tw_attempt(&outcome)
    {
        for (int i = 0; i < SERVERS; i++) {
            list[i] = &answers[i].event;
            tw_async(answer_after, .ms = i == 1 ? 5 : 60000, .number = i, .out = &answers[i]);
        }
        int place = tw_await_any(list, SERVERS, tw_now_ns() + (uint64_t)30000 * MS);
        *self.first = place < 0 ? place : answers[place].value;
        tw_cancel();
    }
}

// Both, but not for ever: the second comes too late.
TW_TASK(ask_both, { int *error; })
{
    tw_future(answer) soon = TW_FUTURE_INIT, late = TW_FUTURE_INIT;
    struct tw_future *list[] = {&soon.event, &late.event};
    int value = 0;
    tw_async(answer_after, .ms = 1, .number = 7, .out = &soon);
    tw_async(answer_after, .ms = 500, .number = 8, .out = &late);
    self.error[0] = tw_await_until(answer, &soon, TW_NEVER, &value) != 0 || value != 7;
    self.error[1] = tw_await_all(list, 2, tw_now_ns() + 10 * MS);
    self.error[2] = tw_future_wait_until(&late.event, tw_now_ns());
    self.error[3] = tw_await(answer, &late) != 8;
}

// On one worker too, someone who looks again and again lets others work.
TW_TASK(look_again, { int *looks; })
{
    tw_future(answer) future = TW_FUTURE_INIT;
    tw_async(answer_after, .ms = 2, .number = 1, .out = &future);
    uint64_t next = tw_now_ns();
    while (!tw_future_ready(&future.event)) {
        tw_yield();
        (void)tw_sleep_until(next += 100000);
        ++*self.looks;
    }
}

// The same without macros: claim, fill in, set; and a task that starts then.
TW_TASK(copy, {
    tw_future(answer) * from;
    int *to;
})
{
    *self.to = self.from->value;
}

TW_TASK(by_hand, { int *copied; })
{
    tw_future(answer) future = TW_FUTURE_INIT;
    struct tw_future *list[] = {&future.event};
    tw_finish {
        struct tw_args_copy args = {.from = &future, .to = self.copied};
        tw_task_await(&tw_type_copy, &args, list, 1);
        if (tw_future_claim(&future.event) == 0) {
            future.value = 9;
            tw_future_set(&future.event, 0);
        }
    }
}

int main(void)
{
    int copied = 0;
    if (tw_run(by_hand, .copied = &copied) != 0 || copied != 9)
        return 1;
    int first = -1, error[4] = {1, 0, 0, 1}, looks = 0;
    if (tw_run(ask_all, .first = &first) != 0 || tw_run(ask_both, .error = error) != 0 ||
        tw_run(look_again, .looks = &looks) != 0)
        return 1;
    printf("server %d was first; %s; looked %d times\n", first, tw_strerror(error[1]), looks);
    return first != 1 || error[0] || error[1] != TW_ETIMEDOUT || error[2] != TW_ETIMEDOUT ||
           error[3] || looks < 1;
}

#endif
