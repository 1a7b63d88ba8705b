// SPDX-License-Identifier: Apache-2.0
// A rod that is heated at one end, in strips. A strip needs the outermost cells of its neighbours,
// one step old; so it waits for these two, and for nobody else. Between its signal and its wait it
// does what needs no neighbour. A watcher that only waits counts the steps that all have made, for
// a second. The result is compared with that of one loop.
#include <stdio.h>
#include <string.h>
#include <twill/twill.h>

#ifdef TWILL_SERIAL // a wait there could never end

int main(void)
{
    puts("only with the library");
    return 77;
}

#else

enum { STRIPS = 12, WIDTH = 500, CELLS = STRIPS * WIDTH, STEPS = 300 };

struct rod {
    struct tw_phaser stepped[STRIPS]; // strip i has made a step
    struct tw_phaser all;             // every strip has
    double cells[2][CELLS + 2];       // a step reads one and writes the other
};

static void step(const double *from, double *to, int first, int last)
{
    for (int c = first; c <= last; c++)
        to[c] = from[c] + 0.25 * (from[c - 1] - 2 * from[c] + from[c + 1]);
}

static int wait_for(struct tw_party *party)
{
    return party ? tw_phaser_wait(party) : 0;
}

// A neighbour that has made a step has read what the next step here overwrites.
TW_TASK(strip, {
    struct rod *rod;
    int i;
})
{
    struct tw_phaser *stepped = self.rod->stepped;
    struct tw_party *mine = tw_phased(&stepped[self.i]), *all = tw_phased(&self.rod->all);
    struct tw_party *left = self.i > 0 ? tw_phased(&stepped[self.i - 1]) : NULL;
    struct tw_party *right = self.i < STRIPS - 1 ? tw_phased(&stepped[self.i + 1]) : NULL;
    int first = 1 + self.i * WIDTH, last = first + WIDTH - 1;
    for (int k = 0; k < STEPS; k++) {
        const double *from = self.rod->cells[k % 2];
        double *to = self.rod->cells[(k + 1) % 2];
        step(from, to, first + 1, last - 1);
        if (k > 0 && (wait_for(left) != 0 || wait_for(right) != 0))
            tw_fail(TW_EPIPE);
        step(from, to, first, first);
        step(from, to, last, last);
        tw_phaser_signal(mine);
        tw_phaser_signal(all);
    }
}

TW_TASK(watch, {
    struct rod *rod;
    long *seen;
})
{
    struct tw_party *all = tw_phased(&self.rod->all);
    uint64_t deadline_ns = tw_now_ns() + 1000000000;
    while (tw_phaser_next_until(all, deadline_ns) == 0)
        ++*self.seen;
}

// The strips at the ends have one neighbour: a list of its own length, so without the macro.
static void start_strip(struct rod *rod, int i)
{
    struct tw_phasing list[4] = {{&rod->stepped[i], TW_SIGNAL}, {&rod->all, TW_SIGNAL}};
    unsigned count = 2;
    if (i > 0)
        list[count++] = (struct tw_phasing){&rod->stepped[i - 1], TW_WAIT};
    if (i < STRIPS - 1)
        list[count++] = (struct tw_phasing){&rod->stepped[i + 1], TW_WAIT};
    struct tw_args_strip args = {.rod = rod, .i = i};
    tw_task_phased(&tw_type_strip, &args, list, count);
}

// Every phase 0 is held until all strips are registered.
TW_TASK(heat, {
    struct rod *rod;
    long *seen;
})
{
    struct tw_party hold[STRIPS + 1];
    for (int i = 0; i < STRIPS; i++)
        tw_phaser_join(&self.rod->stepped[i], &hold[i], TW_SIGNAL);
    tw_phaser_join(&self.rod->all, &hold[STRIPS], TW_SIGNAL);
    for (int i = 0; i < STRIPS; i++)
        start_strip(self.rod, i);
    tw_async_phased(watch, ({&self.rod->all, TW_WAIT}), .rod = self.rod, .seen = self.seen);
    for (int i = 0; i <= STRIPS; i++)
        tw_phaser_drop(&hold[i]);
}

static void heat_sequentially(double (*cells)[CELLS + 2])
{
    for (int k = 0; k < STEPS; k++)
        step(cells[k % 2], cells[(k + 1) % 2], 1, CELLS);
}

int main(void)
{
    static struct rod rod;
    static double expected[2][CELLS + 2];
    long seen = 0;
    for (int i = 0; i < STRIPS; i++)
        tw_phaser_init(&rod.stepped[i], "stepped");
    tw_phaser_init(&rod.all, "all");
    rod.cells[0][0] = rod.cells[1][0] = expected[0][0] = expected[1][0] = 100;
    if (tw_run(heat, .rod = &rod, .seen = &seen) != 0)
        return 1;
    heat_sequentially(expected);
    printf("after %d steps cell 10 has %.3f degrees; the watcher saw %ld of them\n",
           (int)tw_phaser_phase(&rod.all), rod.cells[STEPS % 2][10], seen);
    return tw_phaser_phase(&rod.all) != STEPS || seen > STEPS ||
           memcmp(rod.cells[STEPS % 2], expected[STEPS % 2], sizeof expected[0]) != 0;
}

#endif
