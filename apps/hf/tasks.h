// SPDX-License-Identifier: Apache-2.0
// The tasks of a Fock build: quartets of tiles.
//
// The task (I, J, K, L) computes the integrals (ij|kl) that survive and adds what they give to the
// tiles (I, J) and (I, K) of the Fock matrix. There are tiles^4 of them; most are null, since
// nothing survives, and are known by the largest bounds of their tiles. The others differ in their
// number of integrals by five orders of magnitude.
#ifndef APPS_HF_TASKS_H
#define APPS_HF_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hf_screen;

struct hf_task {
    uint16_t i, j, k, l; // tiles
    uint32_t integrals;
};

struct hf_tasks {
    size_t count;
    uint64_t integrals;
    struct hf_task *task; // in ascending order of i, j, k, l
};

bool hf_task_is_null(const struct hf_screen *screen, size_t i, size_t j, size_t k, size_t l);

// How many integrals a task computes, without computing them.
uint64_t hf_task_integrals(const struct hf_screen *screen, size_t i, size_t j, size_t k, size_t l);

// All that are not null. 0 or TW_ENOMEM.
int hf_tasks_make(struct hf_tasks *tasks, const struct hf_screen *screen);
void hf_tasks_free(struct hf_tasks *tasks);

// How many are not null, without a list of them. 0 or TW_ENOMEM.
int hf_tasks_count(const struct hf_screen *screen, uint64_t *count);

#endif
