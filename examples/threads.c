// SPDX-License-Identifier: Apache-2.0
// tw_run works from any thread, several times and at once: two threads count primes, each with
// workers of its own.
#include <pthread.h>
#include <stdio.h>
#include <twill/twill.h>

TW_FUNCTION(unsigned, count_primes, { unsigned from, to; })
{
    if (self.to - self.from <= 256) {
        unsigned primes = 0;
        for (unsigned n = self.from; n < self.to; n++) {
            unsigned divisor = 2;
            while (divisor * divisor <= n && n % divisor)
                divisor++;
            primes += n > 1 && divisor * divisor > n;
        }
        return primes;
    }
    unsigned middle = self.from + (self.to - self.from) / 2;
    tw_forked(count_primes) low = tw_fork(count_primes, .from = self.from, .to = middle);
    unsigned high = tw_call(count_primes, .from = middle, .to = self.to);
    return tw_join(count_primes, low) + high;
}

struct range {
    unsigned from, to, primes;
};

TW_TASK(count_range, { struct range *range; })
{
    self.range->primes = tw_call(count_primes, .from = self.range->from, .to = self.range->to);
}

static void *count(void *range)
{
    return tw_run(count_range, .range = range) == 0 ? range : NULL;
}

int main(void)
{
    struct range low = {0, 500000, 0}, high = {500000, 1000000, 0};
    pthread_t thread;
    if (pthread_create(&thread, NULL, count, &low) != 0)
        return 1;
    void *high_done = count(&high), *low_done = NULL;
    pthread_join(thread, &low_done);
    if (!low_done || !high_done)
        return 1;
    printf("%u primes below 500000, %u up to 1000000\n", low.primes, high.primes);
    return low.primes != 41538 || low.primes + high.primes != 78498;
}
