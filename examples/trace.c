// SPDX-License-Identifier: Apache-2.0
// Writes a trace of a run: who ran what and when, who took it from whom, who slept.
//
//     ./trace primes.json         and open primes.json in ui.perfetto.dev
#include <stdio.h>
#include <twill/twill.h>

#ifdef TWILL_SERIAL // traces belong to the library

int main(void)
{
    puts("only with the library");
    return 77;
}

#else

static int is_prime(int n)
{
    for (int d = 2; d <= n / d; d++)
        if (n % d == 0)
            return 0;
    return n > 1;
}

// Primes from `from` up to, not including, `to`.
TW_FUNCTION(int, primes, {
    int from;
    int to;
})
{
    if (self.to - self.from <= 1000) {
        int count = 0;
        for (int n = self.from; n < self.to; n++)
            count += is_prime(n);
        return count;
    }
    int middle = self.from + (self.to - self.from) / 2;
    tw_forked(primes) lower = tw_fork(primes, .from = self.from, .to = middle);
    int upper = tw_call(primes, .from = middle, .to = self.to);
    return tw_join(primes, lower) + upper;
}

TW_TASK(count_primes, {
    int below;
    int *count;
})
{
    *self.count = tw_call(primes, .from = 0, .to = self.below);
}

int main(int argc, char **argv)
{
    struct tw_options options;
    struct tw_stats stats = {.room = 0};
    int count = 0;
    int error = tw_options_init(&options, NULL, 0);
    options.trace = argc > 1 ? argv[1] : "primes.json";
    options.stats = &stats;
    if (!error)
        error = tw_run_with(&options, count_primes, .below = 1000000, .count = &count);
    if (error) {
        fprintf(stderr, "%s: %s\n", options.trace, tw_strerror(error));
        return 1;
    }
    printf("%d primes below a million; %llu events in %s, %llu older ones lost\n", count,
           (unsigned long long)(stats.sum.traced - stats.sum.trace_lost), options.trace,
           (unsigned long long)stats.sum.trace_lost);
    if (stats.trace_error)
        fprintf(stderr, "%s is not complete\n", options.trace);
    return count != 78498 || stats.trace_error != 0;
}

#endif
