// SPDX-License-Identifier: Apache-2.0
// Pairs of functions, tile by tile, and which of them matter together.
//
// By Schwarz |(ij|kl)| <= s_ij s_kl with s_ij = sqrt((ij|ij)): an integral is computed where this
// product reaches the tolerance, all of them where that is 0. The pairs of two tiles stand in
// descending order of s, so that the partners of a pair that survive are always the first ones:
// how many there are is found without a look at each. Pairs that survive with nobody are left out.
//
// Tiles (I, J) and (J, I) share a list; `hf_list` says which way round it is. What does not change
// from iteration to iteration is here; after hf_screen_make everything is only read, by any number
// of threads.
#ifndef APPS_HF_SCREEN_H
#define APPS_HF_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/hf/row.h"

struct hf_boys;
struct hf_system;

#define HF_TILE_MAX 128 // functions

// Products of primitives, for the repulsion: see quartet.c.
struct hf_products {
    double *p, *x, *y, *z; // exponent and centre
    double *near, *far;    // factors of an integral for short and for long distances
};

struct hf_list {
    size_t count, products;
    double *bound;            // s, descending
    uint16_t *first, *second; // function in the first tile, in the second
    uint32_t *begin;          // products of pair n: [begin[n], begin[n + 1])
    struct hf_products product;
};

struct hf_screen {
    const struct hf_system *system; // has to live as long
    const struct hf_boys *boys;
    size_t tile, tiles;
    double tolerance;
    double largest;       // s of all pairs
    bool single;          // every pair has one product
    hf_row *row;          // the one to use
    struct hf_list *list; // of tiles I <= J: J (J + 1) / 2 + I
};

// s of the pairs of tiles i and j: `tile` rows of as many, zero where there is no function.
void hf_bounds(const struct hf_system *system, size_t tile, size_t i, size_t j, double *bounds);

// Where somebody has computed them before; i <= j.
struct hf_bounds_source {
    void (*read)(void *from, size_t i, size_t j, double *bounds);
    void *from;
};

// 0 or TW_ENOMEM. `tile` is 1 to HF_TILE_MAX.
int hf_screen_make(struct hf_screen *screen, const struct hf_system *system, size_t tile,
                   double tolerance);
// The same with bounds from there; NULL: they are computed. Suspends if reading them does.
int hf_screen_make_from(struct hf_screen *screen, const struct hf_system *system, size_t tile,
                        double tolerance, const struct hf_bounds_source *source);
void hf_screen_free(struct hf_screen *screen);

// Of tiles i and j in ascending order.
static inline const struct hf_list *hf_list(const struct hf_screen *screen, size_t i, size_t j)
{
    return &screen->list[i <= j ? j * (j + 1) / 2 + i : i * (i + 1) / 2 + j];
}

// Their pairs the right way round: functions of tile i first.
struct hf_pairs {
    const struct hf_list *list;
    const uint16_t *first, *second;
};

static inline struct hf_pairs hf_pairs_of(const struct hf_screen *screen, size_t i, size_t j)
{
    const struct hf_list *list = hf_list(screen, i, j);
    return i <= j ? (struct hf_pairs){list, list->first, list->second}
                  : (struct hf_pairs){list, list->second, list->first};
}

// The largest s of two tiles; 0 where no pair survives with anybody.
static inline double hf_list_bound(const struct hf_list *list)
{
    return list->count ? list->bound[0] : 0;
}

#endif
