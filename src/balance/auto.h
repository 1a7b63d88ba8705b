// SPDX-License-Identifier: Apache-2.0
// The rule of `auto`: every worker starts with what it ran last time, as retentive stealing has it,
// and the tasks are rebalanced before an iteration only when that pays.
//
// What an iteration loses is how much longer its busiest core works than the average one, and the
// time that steals take. A rebalance is hoped to save all that is lost above the least that seems
// possible. These hopes are added up from iteration to iteration; once they are worth a rebalance,
// it is made. So a large loss is mended at once, a small one when it has cost as much as its cure,
// and one below the noise never; in sum no more than twice as much is lost as by who knows the
// future.
//
// A rebalance that saves half of what was hoped or more may be followed by another. One that saves
// less was in vain: what is lost after it is the least that seems possible from then on, and the
// next has to be worth twice as much, and so on. One that succeeds takes back half of these
// doublings: where loads do not persist, some seem to succeed by chance. What seems impossible is
// forgotten in time, lest it be believed for ever.
#ifndef TWI_AUTO_H
#define TWI_AUTO_H

#include <stdbool.h>
#include <stdint.h>

// What was measured of an iteration, over all cores.
struct twi_measured {
    uint64_t sum_ns;      // of all cores' loads
    uint64_t most_ns;     // load of the busiest core
    uint64_t longest_ns;  // the longest task: no core can be done sooner
    uint64_t stealing_ns; // that cores spent on steals which brought tasks, in sum
    uint32_t cores;
};

enum {
    TWI_AUTO_NOISE = 2000,    // millionths of the average load that are not worth a thought
    TWI_AUTO_VAIN_MOST = 6,   // doublings of the price
    TWI_AUTO_MEMORY = 16,     // iterations for which the least loss is remembered, about
    TWI_AUTO_CENTRAL = 65536, // cores up to which the better plan is worth one core's time
};

struct twi_auto {
    uint64_t least_ns;  // loss below which nothing was found; 0: not known
    uint64_t saving_ns; // lost above it since the last rebalance
    uint64_t hoped_ns;  // what the rebalance before the last iteration should have saved; 0: none
    uint64_t before_ns; // what was lost before it
    uint32_t vain;      // doublings of the price
};

// Nothing is known. All zero is the same.
void twi_auto_start(struct twi_auto *self);

// After an iteration: whether to rebalance before the next, at a cost in time of all cores, as it
// was measured the last time or is to be expected.
bool twi_auto_decide(struct twi_auto *self, const struct twi_measured *measured, uint64_t cost_ns);

#endif
