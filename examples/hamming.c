// SPDX-License-Identifier: Apache-2.0
// Hamming's numbers, those with no other prime factors than 2, 3 and 5, in order: a process network
// with three circles. Each number is sent back three times, multiplied, and the smallest that comes
// is the next.
#include <stdio.h>
#include <twill/twill.h>

enum { COUNT = 1000, LAST = 51200000 }; // the thousandth

#ifdef TWILL_SERIAL // there a process runs to its end before the next starts

int main(void)
{
    puts("only with the library");
    return 77;
}

#else

TW_TASK(multiply, {
    struct tw_stream *in, *out;
    long by;
})
{
    long number;
    while (tw_get(self.in, &number) == 0 && (number *= self.by, tw_put(self.out, &number) == 0))
        continue;
}

// Sends 1, then the smallest of what comes from each of three, without doubles.
TW_TASK(merge, { struct tw_stream *in[3], *back[3], *out; })
{
    long next[3] = {0}, number = 1;
    for (int count = 1;; count++) {
        long copies[3] = {number, number, number};
        if (tw_put(self.out, &number) != 0 || count == COUNT)
            break;
        if (tw_put_each(self.back, 3, copies) != 0)
            break;
        for (int i = 0; i < 3; i++)
            if ((count == 1 || next[i] == number) && tw_get(self.in[i], &next[i]) != 0)
                return;
        number = next[0] < next[1] ? next[0] : next[1];
        number = next[2] < number ? next[2] : number;
    }
}

TW_TASK(keep_last, {
    struct tw_stream *in;
    long *last;
})
{
    long number, before = 0;
    for (; tw_get(self.in, &number) == 0; before = number)
        if (number <= before)
            tw_process_fail(self.in, TW_EINVAL);
    *self.last = before;
}

TW_TASK(hamming, {
    const struct tw_network_options *options;
    long *last;
})
{
    static const char *const names[] = {"times 2", "times 3", "times 5"};
    static const long factors[] = {2, 3, 5};
    struct tw_stream *to[3], *from[3];
    struct tw_network *net = tw_network_create("hamming", self.options);
    struct tw_process *merger = tw_process_create(net, "merge");
    struct tw_process *sink = tw_process_create(net, "keep last");
    struct tw_stream *out = tw_stream_create(net, "numbers", merger, sink, sizeof(long), 16);
    for (int i = 0; i < 3; i++) {
        struct tw_process *by = tw_process_create(net, names[i]);
        to[i] = tw_stream_create(net, "back", merger, by, sizeof(long), 1);
        from[i] = tw_stream_create(net, names[i], by, merger, sizeof(long), 1);
        tw_process_body(by, multiply, .in = to[i], .out = from[i], .by = factors[i]);
    }
    tw_process_body(merger, merge, .in = {from[0], from[1], from[2]}, .back = {to[0], to[1], to[2]},
                    .out = out);
    tw_process_body(sink, keep_last, .in = out, .last = self.last);

    int error = tw_network_run(net);
    struct tw_network_stats stats;
    tw_network_count(net, &stats);
    if (error)
        printf("%s\n%s", tw_strerror(error), tw_network_trouble(net));
    else
        printf("number %d is %ld; streams grew %llu times\n", COUNT, *self.last,
               (unsigned long long)stats.growths);
    tw_network_destroy(net);
}

int main(void)
{
    // The numbers that wait to be merged are more and more: these streams have to grow.
    struct tw_network_options narrow = {.growth = TW_GROW_NEVER};
    long found = 0, none = 0;
    int error = tw_run(hamming, .options = NULL, .last = &found);
    if (!error)
        error = tw_run(hamming, .options = &narrow, .last = &none);
    return error || found != LAST || none == LAST;
}

#endif
