// SPDX-License-Identifier: Apache-2.0
// A small graph of tasks that start when what they need is there, written down in any order; and a
// task that waits for its result. One of two sources fails in the second round.
#include <stdio.h>
#include <twill/twill.h>

#ifdef TWILL_SERIAL // a wait there could never end

int main(void)
{
    puts("only with the library");
    return 77;
}

#else

TW_FUTURE(double, number)

TW_TASK(measure, {
    double value;
    tw_future(number) * out;
})
{
    if (self.value < 0)
        (void)tw_break(number, self.out, TW_EINVAL);
    else
        (void)tw_promise(number, self.out, self.value);
}

// Starts when both are set: nothing is waited for here.
TW_TASK(average, { tw_future(number) * a, *b, *out; })
{
    int error = tw_future_wait(&self.a->event);
    if (!error)
        error = tw_future_wait(&self.b->event);
    if (error)
        (void)tw_break(number, self.out, error);
    else
        (void)tw_promise(number, self.out, (self.a->value + self.b->value) / 2);
}

TW_TASK(report, {
    double first;
    struct tw_outcome *outcome;
    double *result;
})
{
    tw_future(number) a = TW_FUTURE_INIT, b = TW_FUTURE_INIT, mean = TW_FUTURE_INIT;
    tw_attempt(self.outcome)
    {
        tw_async_await(average, (&a.event, &b.event), .a = &a, .b = &b, .out = &mean);
        tw_async(measure, .value = 4, .out = &b);
        tw_async(measure, .value = self.first, .out = &a);
        *self.result = tw_await(number, &mean);
    }
    if (!tw_future_ready(&mean.event))
        *self.result = -1;
}

int main(void)
{
    struct tw_outcome outcome[2];
    double result[2];
    if (tw_run(report, .first = 2, .outcome = &outcome[0], .result = &result[0]) != 0 ||
        tw_run(report, .first = -2, .outcome = &outcome[1], .result = &result[1]) != 0)
        return 1;
    printf("the mean is %g; then %s\n", result[0], tw_strerror(outcome[1].error));
    return outcome[0].error != 0 || result[0] != 3 || outcome[1].error != TW_EINVAL;
}

#endif
