// SPDX-License-Identifier: Apache-2.0
// Places, under a launcher: trees of tasks that any place may run, tasks sent to a place, nested
// finishes, large arguments, errors, several runs. Says "all is well" at place 0.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "require.h"

static _Atomic uint64_t leaves, visits;

static void busy(unsigned rounds)
{
    for (volatile unsigned i = 0; i < rounds; i++)
        continue;
}

// ---- a tree, every node of which waits for its children ----

TW_TASK(tree, { uint32_t depth, fan, work; })
{
    if (self.depth == 0) {
        busy(self.work);
        leaves++;
        return;
    }
    tw_finish {
        for (uint32_t i = 0; i < self.fan; i++)
            tw_async_any(tree, .depth = self.depth - 1, .fan = self.fan, .work = self.work);
    }
}

static void sum_of(_Atomic uint64_t *counter, uint64_t expected)
{
    uint64_t sum = *counter;
    REQUIRE(tw_places_sum(&sum, 1) == 0);
    REQUIRE(sum == expected);
    *counter = 0;
}

static void run_trees(void)
{
    uint64_t expected = 1;
    for (uint32_t depth = 0; depth < 7; depth++, expected *= 4) {
        REQUIRE(tw_run(tree, .depth = depth, .fan = 4, .work = 2000) == 0);
        sum_of(&leaves, expected);
    }
    // Enough work for all: each place has some. Where places are many and the machine is busy, half
    // a second may be over before one of them gets a processor.
    uint64_t idle_places = 1, had_some = 0;
    for (int run = 0; run < 8 && idle_places; run++) {
        REQUIRE(tw_run(tree, .depth = 8, .fan = 4, .work = 20000) == 0);
        had_some |= leaves > 0;
        idle_places = !had_some;
        REQUIRE(tw_places_sum(&idle_places, 1) == 0);
        sum_of(&leaves, 65536);
    }
    REQUIRE(idle_places == 0);
}

// ---- tasks with a place of their own, and arguments that do not fit a slot ----

struct letter {
    unsigned char bytes[600];
};

static struct letter letter_of(uint32_t number)
{
    struct letter letter;
    for (size_t i = 0; i < sizeof letter.bytes; i++)
        letter.bytes[i] = (unsigned char)(number + i);
    return letter;
}

TW_TASK(note, {
    uint32_t place;
    uint32_t number;
    struct letter letter;
})
{
    struct letter expected = letter_of(self.number);
    REQUIRE(tw_here() == self.place);
    REQUIRE(memcmp(&self.letter, &expected, sizeof expected) == 0);
    visits++;
}

TW_TASK(carry, {
    uint32_t number;
    struct letter letter;
})
{
    struct letter expected = letter_of(self.number);
    REQUIRE(memcmp(&self.letter, &expected, sizeof expected) == 0);
    busy(20000);
    visits++;
}

// A long row: what a place has stolen of it and not begun is stolen on.
TW_TASK(carry_all, { uint32_t count; })
{
    tw_finish {
        for (uint32_t i = 0; i < self.count; i++)
            tw_async_any(carry, .number = i, .letter = letter_of(i));
    }
}

TW_TASK(bounce, { uint32_t left; })
{
    visits++;
    if (self.left)
        tw_async_at((tw_here() + 1) % tw_places(), bounce, .left = self.left - 1);
}

TW_TASK(send_all, { uint32_t each; })
{
    REQUIRE(tw_here() == 0);
    tw_finish {
        for (uint32_t i = 0; i < self.each * tw_places(); i++)
            tw_async_at(i % tw_places(), note, .place = i % tw_places(), .number = i,
                        .letter = letter_of(i));
    }
}

TW_TASK(go_round, { uint32_t rounds; })
{
    tw_finish {
        tw_async_at(0, bounce, .left = self.rounds * tw_places() - 1);
    }
}

// ---- errors ----

TW_TASK(fails, { int unused; })
{
    tw_finish {
        tw_async_any(tree, .depth = 3, .fan = 3, .work = 100);
    }
    tw_fail(TW_ERANGE);
}

int main(void)
{
    char message[256];
    if (tw_places_open(NULL, message, sizeof message) != 0) {
        fprintf(stderr, "%s\n", message);
        return 1;
    }
    run_trees();
    REQUIRE(tw_run(send_all, .each = 20) == 0);
    sum_of(&visits, 20 * (uint64_t)tw_places());
    REQUIRE(tw_run(carry_all, .count = 3000) == 0);
    sum_of(&visits, 3000);
    REQUIRE(tw_run(go_round, .rounds = 50) == 0);
    sum_of(&visits, 50 * (uint64_t)tw_places());
    REQUIRE(tw_run(fails, .unused = 0) == TW_ERANGE);
    sum_of(&leaves, 27);
    uint64_t place = tw_here(), all_wrong = wrong;
    REQUIRE(tw_places_max(&place, 1) == 0);
    REQUIRE(place == tw_places() - 1);
    REQUIRE(tw_places_sum(&all_wrong, 1) == 0);
    if (tw_here() == 0 && all_wrong == 0)
        printf("all is well at %u places\n", tw_places());
    return all_wrong != 0;
}
