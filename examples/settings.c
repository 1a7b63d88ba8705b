// SPDX-License-Identifier: Apache-2.0
// Settings from the environment and from the command line, errors as sentences, and the counters of
// a run.
//
//     TWILL_SPIN_US=0 ./settings workers=2 stack-size=256K
#include <stdio.h>
#include <string.h>
#include <twill/twill.h>

#ifdef TWILL_SERIAL // settings belong to the library

int main(void)
{
    puts("only with the library");
    return 77;
}

#else

TW_FUNCTION(long, fib, { int n; })
{
    if (self.n < 2)
        return self.n;
    tw_forked(fib) first = tw_fork(fib, .n = self.n - 1);
    long second = tw_call(fib, .n = self.n - 2);
    return tw_join(fib, first) + second;
}

TW_TASK(run_fib, {
    int n;
    long *out;
})
{
    *self.out = tw_call(fib, .n = self.n);
}

// "workers=2": a setting and its value.
static int take_setting(struct tw_options *options, char *word)
{
    char message[200];
    char *value = strchr(word, '=');
    if (value)
        *value++ = '\0';
    if (tw_options_set(options, word, value ? value : "", message, sizeof message) == 0)
        return 1;
    fprintf(stderr, "%s\n", message);
    return 0;
}

static void print_settings(const struct tw_options *options)
{
    size_t count;
    const struct tw_setting *setting = tw_settings(&count);
    for (size_t i = 0; i < count; i++) {
        char value[64];
        const char *source;
        if (tw_options_get(options, setting[i].name, value, sizeof value, &source) == 0)
            printf("%-12s %-8s %s\n", setting[i].name, value, source);
    }
}

int main(int argc, char **argv)
{
    char message[200];
    struct tw_options options;
    if (tw_options_init(&options, message, sizeof message) != 0) {
        fprintf(stderr, "%s\n", message);
        return 1;
    }
    for (int i = 1; i < argc; i++)
        if (!take_setting(&options, argv[i]))
            return 1;
    print_settings(&options);
    struct tw_stats stats = {.room = 0};
    long value = 0;
    options.stats = &stats;
    int error = tw_run_with(&options, run_fib, .n = 25, .out = &value);
    if (error) {
        fprintf(stderr, "%s\n", tw_strerror(error));
        return 1;
    }
    printf("fib(25) = %ld on %u workers; %llu pieces ran elsewhere than where they were spawned\n",
           value, stats.workers, (unsigned long long)stats.sum.pieces);
    return value != 75025;
}

#endif
