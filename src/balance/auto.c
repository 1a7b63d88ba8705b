// SPDX-License-Identifier: Apache-2.0
#include "balance/auto.h"

void twi_auto_start(struct twi_auto *self)
{
    *self = (struct twi_auto){0};
}

// Of an iteration, against one in which all cores have the same to do.
static uint64_t loss_of(const struct twi_measured *measured)
{
    uint64_t average = measured->sum_ns / measured->cores;
    uint64_t uneven = measured->most_ns > average ? measured->most_ns - average : 0;
    return uneven + measured->stealing_ns / measured->cores;
}

// No balancer can do better: a task is not parted.
static uint64_t least_of(const struct twi_measured *measured)
{
    uint64_t average = measured->sum_ns / measured->cores;
    return measured->longest_ns > average ? measured->longest_ns - average : 0;
}

// What was lost right after a rebalance tells what it is good for.
static void judge(struct twi_auto *self, uint64_t loss)
{
    uint64_t saved = self->before_ns > loss ? self->before_ns - loss : 0;
    bool is_success = saved >= self->hoped_ns / 2;
    self->least_ns = is_success ? 0 : loss;
    self->vain = is_success ? self->vain / 2 : self->vain + (self->vain < TWI_AUTO_VAIN_MOST);
    self->hoped_ns = 0;
}

bool twi_auto_decide(struct twi_auto *self, const struct twi_measured *measured, uint64_t cost_ns)
{
    uint64_t loss = loss_of(measured), floor = least_of(measured);
    uint64_t noise = measured->sum_ns / measured->cores / 1000000 * TWI_AUTO_NOISE;
    self->least_ns -= self->least_ns / TWI_AUTO_MEMORY;
    if (self->hoped_ns)
        judge(self, loss);
    else if (loss < self->least_ns)
        self->least_ns = loss;
    uint64_t least = self->least_ns > floor ? self->least_ns : floor;
    uint64_t above = loss > least ? loss - least : 0;
    if (above <= noise)
        return false;
    self->saving_ns += above;
    if (self->saving_ns < cost_ns << self->vain)
        return false;
    self->hoped_ns = above;
    self->before_ns = loss;
    self->saving_ns = 0;
    return true;
}
