// SPDX-License-Identifier: Apache-2.0
// The two-electron part of the Fock matrix from a density, by all tasks that are not null.
#ifndef APPS_HF_FOCK_H
#define APPS_HF_FOCK_H

#include "apps/hf/screen.h"
#include "apps/hf/tasks.h"
#include "apps/hf/tiles.h"

// What does not change from build to build.
struct hf_fock {
    struct hf_screen screen;
    struct hf_tasks tasks;
};

// 0 or TW_ENOMEM. `system` has to live as long. `source` is as for hf_screen_make_from.
int hf_fock_make(struct hf_fock *fock, const struct hf_system *system, size_t tile,
                 double tolerance, const struct hf_bounds_source *source);
void hf_fock_free(struct hf_fock *fock);

// Both fill `result` from `density`, which is symmetric, and return 0.

// One task after the other, without Twill.
int hf_fock_plain(const struct hf_fock *fock, const struct hf_tiles *density,
                  struct hf_tiles *result);
// The same with each integral by its straight formula, which takes several times as long.
int hf_fock_straight(const struct hf_fock *fock, const struct hf_tiles *density,
                     struct hf_tiles *result);

#endif
