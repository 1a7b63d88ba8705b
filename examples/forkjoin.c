// SPDX-License-Identifier: Apache-2.0
// Fork and join: the shortest way to a value from a task. Here the sum of an array, halved until
// the pieces are small.
#include <stdio.h>
#include <stdlib.h>
#include <twill/twill.h>

enum { LENGTH = 1 << 22, SMALL = 4096 };

TW_FUNCTION(double, sum, {
    const double *value;
    size_t count;
})
{
    if (self.count <= SMALL) {
        double total = 0;
        for (size_t i = 0; i < self.count; i++)
            total += self.value[i];
        return total;
    }
    size_t half = self.count / 2;
    tw_forked(sum) left = tw_fork(sum, .value = self.value, .count = half);
    double right = tw_call(sum, .value = self.value + half, .count = self.count - half);
    return tw_join(sum, left) + right;
}

// tw_run takes a task: this one hands the function's value out.
TW_TASK(run_sum, {
    const double *value;
    size_t count;
    double *total;
})
{
    *self.total = tw_call(sum, .value = self.value, .count = self.count);
}

int main(void)
{
    double *value = malloc(LENGTH * sizeof *value), total = 0;
    if (!value)
        return 1;
    for (size_t i = 0; i < LENGTH; i++)
        value[i] = (double)(i % 1000);
    int error = tw_run(run_sum, .value = value, .count = LENGTH, .total = &total);
    double expected = 0;
    for (size_t i = 0; i < LENGTH; i++)
        expected += value[i];
    free(value);
    printf("the sum is %.0f\n", total);
    return error != 0 || total != expected;
}
