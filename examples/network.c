// SPDX-License-Identifier: Apache-2.0
// Hamming numbers (no prime factors but 2, 3, 5) by a process network with feedback: `merge` sends
// each number to three processes, and the least of their products comes next. What they are ahead
// of it waits in the streams, which grow as far as they have to.
#include <stdio.h>
#include <twill/twill.h>

enum { COUNT = 1691, FACTORS = 3 };
static long least = 1; // the latest number: merge's alone while the network runs

TW_TASK(times, {
    struct tw_stream *in, *out;
    long factor;
})
{
    for (long x; tw_get(self.in, &x) == 0; tw_put(self.out, &x))
        x *= self.factor;
}

TW_TASK(merge, { struct tw_stream **out, **back; })
{
    long next[FACTORS] = {1, 1, 1};
    for (int count = 1; count < COUNT; count++) {
        for (int i = 0; i < FACTORS; i++)
            tw_put(self.out[i], &least);
        for (int i = 0; i < FACTORS; i++)
            if (next[i] == least)
                tw_get(self.back[i], &next[i]);
        least = next[0] < next[1] ? next[0] : next[1];
        least = least < next[2] ? least : next[2];
    }
} // now its streams end, and so do the others' loops

TW_TASK(hamming, {})
{
    struct tw_stream *out[FACTORS], *back[FACTORS];
    struct tw_network *net = tw_network_create("hamming", NULL);
    struct tw_process *middle = tw_process_create(net, "merge");
    for (int i = 0; i < FACTORS; i++) {
        struct tw_process *product = tw_process_create(net, "times");
        out[i] = tw_stream_create(net, "numbers", middle, product, sizeof(long), 1);
        back[i] = tw_stream_create(net, "products", product, middle, sizeof(long), 1);
        tw_process_body(product, times, .in = out[i], .out = back[i], .factor = i ? 2 * i + 1 : 2);
    }
    tw_process_body(middle, merge, .out = out, .back = back);
    printf("%s", tw_network_run(net) ? tw_network_trouble(net) : ""); // who waited for whom
    tw_network_destroy(net);
}

int main(void)
{
#ifdef TWILL_SERIAL // where nobody goes on while another waits
    return puts("only with the library") < 0 ? 1 : 77;
#endif
    if (tw_run(hamming) == 0)
        printf("number %d is %ld\n", COUNT, least);
    return least != 2125764000;
}
