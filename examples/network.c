// SPDX-License-Identifier: Apache-2.0
// A pipeline that ends from its far end: `count` would go on for ever, `split` sends it two ways,
// and the two at the end take what they need. The one that wants the first ten even numbers leaves
// its stream; what is put there vanishes, and the other still gets its hundred odd ones. When
// nobody is left to read, the puts say so, and all return.
#include <stdio.h>
#include <twill/twill.h>

TW_TASK(count, { struct tw_stream *out; })
{
    for (long i = 0; tw_put(self.out, &i) == 0; i++)
        continue;
}

TW_TASK(split, { struct tw_stream *in, *even, *odd; })
{
    for (long i; tw_get(self.in, &i) == 0;)
        if (tw_put(i % 2 ? self.odd : self.even, &i) != 0)
            return;
    tw_stream_end(self.even); // as the return does for all streams
}

TW_TASK(add, {
    struct tw_stream *in;
    int wanted;
    long *sum;
})
{
    long sum = 0, number;
    for (int i = 0; i < self.wanted && tw_get(self.in, &number) == 0; i++)
        sum += number;
    tw_stream_abandon(self.in); // likewise
    *self.sum = sum;
}

TW_TASK(network, { long *even, *odd; })
{
    struct tw_network *net = tw_network_create("numbers", NULL);
    struct tw_process *source = tw_process_create(net, "count"),
                      *middle = tw_process_create(net, "split"),
                      *ten = tw_process_create(net, "ten"),
                      *hundred = tw_process_create(net, "hundred");
    struct tw_stream *all = tw_stream_create(net, "all", source, middle, sizeof(long), 16);
    struct tw_stream *even = tw_stream_create(net, "even", middle, ten, sizeof(long), 4);
    struct tw_stream *odd = tw_stream_create(net, "odd", middle, hundred, sizeof(long), 4);
    tw_process_body(source, count, .out = all);
    tw_process_body(middle, split, .in = all, .even = even, .odd = odd);
    tw_process_body(ten, add, .in = even, .wanted = 10, .sum = self.even);
    tw_process_body(hundred, add, .in = odd, .wanted = 100, .sum = self.odd);
    printf("%s", tw_network_run(net) ? tw_network_trouble(net) : "");
    tw_network_destroy(net);
}

int main(void)
{
#ifdef TWILL_SERIAL // where `count` would never return
    return puts("only with the library") < 0 ? 1 : 77;
#endif
    long even = 0, odd = 0;
    int error = tw_run(network, .even = &even, .odd = &odd);
    printf("ten even numbers: %ld, a hundred odd ones: %ld\n", even, odd);
    return error || even != 90 || odd != 10000;
}
