// SPDX-License-Identifier: Apache-2.0
// Stages in a ring hand an item round. Between each stage and the next there is one place for it
// and one phaser, which the stage before signals when it has put the item there and the one after
// waits for: so an order between two, not among all. At the end a judge meets them at a barrier.
#include <stdio.h>
#include <twill/twill.h>

#ifdef TWILL_SERIAL // a wait there could never end

int main(void)
{
    puts("only with the library");
    return 77;
}

#else

enum { STAGES = 8, LAPS = 1000 };

struct ring {
    struct tw_phaser put[STAGES]; // stage i has put the item where the next one takes it
    long item[STAGES];
    struct tw_barrier end;
    uint64_t deadline_ns;
    int is_right;
};

TW_TASK(stage, {
    struct ring *ring;
    int i;
})
{
    int before = (self.i + STAGES - 1) % STAGES;
    struct tw_party *in = tw_phased(&self.ring->put[before]);
    struct tw_party *out = tw_phased(&self.ring->put[self.i]);
    for (int lap = 0; lap < LAPS; lap++) {
        if (lap > 0 || self.i > 0) // the item starts at stage 0
            (void)tw_phaser_wait_until(in, self.ring->deadline_ns);
        self.ring->item[self.i] = self.ring->item[before] + 1;
        (void)tw_phaser_next(out); // it only signals
    }
    (void)tw_barrier_wait(&self.ring->end);
}

TW_TASK(judge, { struct ring *ring; })
{
    if (tw_barrier_wait_until(&self.ring->end, self.ring->deadline_ns) == 0)
        self.ring->is_right = self.ring->item[STAGES - 1] == (long)LAPS * STAGES;
}

// Every phase 0 is held until all stages are registered: else some could miss the first of them.
TW_TASK(go_round, { struct ring *ring; })
{
    struct tw_party hold[STAGES];
    for (int i = 0; i < STAGES; i++)
        tw_phaser_join(&self.ring->put[i], &hold[i], TW_SIGNAL);
    for (int i = 0; i < STAGES; i++) {
        int before = (i + STAGES - 1) % STAGES;
        tw_async_phased(stage,
                        ({&self.ring->put[before], TW_WAIT}, {&self.ring->put[i], TW_SIGNAL}),
                        .ring = self.ring, .i = i);
    }
    for (int i = 0; i < STAGES; i++)
        tw_phaser_drop(&hold[i]);
    tw_async_apart(judge, .ring = self.ring); // not on top of who it waits for
}

int main(void)
{
    static struct ring ring;
    for (int i = 0; i < STAGES; i++)
        tw_phaser_init(&ring.put[i], "put");
    tw_barrier_init(&ring.end, "end", STAGES + 1);
    ring.deadline_ns = tw_now_ns() + 60000000000;
    if (tw_run(go_round, .ring = &ring) != 0)
        return 1;
    printf("%d laps of %d stages: the item is %ld\n", LAPS, STAGES, ring.item[STAGES - 1]);
    for (int i = 0; i < STAGES; i++)
        tw_phaser_destroy(&ring.put[i]);
    tw_barrier_destroy(&ring.end);
    return !ring.is_right;
}

#endif
