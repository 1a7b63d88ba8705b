// SPDX-License-Identifier: Apache-2.0
// Makes the lists of pairs: see screen.h.
//
// Two passes over all pairs of functions: the first finds the largest bound of each two tiles and
// of all, the second fills the lists of those tiles that have pairs which survive.
#include "apps/hf/screen.h"

#include <math.h>
#include <stdlib.h>

#include <twill/runtime.h>

#include "apps/hf/integral.h"
#include "apps/hf/system.h"

struct pair {
    double bound;
    uint16_t first, second;
};

// Functions [begin, end).
struct range {
    size_t begin, end;
};

static struct range range_of(const struct hf_system *system, size_t tile, size_t number)
{
    size_t begin = number * tile, end = begin + tile;
    return (struct range){begin, end < system->functions ? end : system->functions};
}

// s of one pair. With one product each, both are at the same place: F0(0) is 1. Most pairs of a
// large system are too far from each other for any number but 0.
static double bound_of(const struct hf_system *system, size_t i, size_t j)
{
    if (system->function[i].count > 1 || system->function[j].count > 1)
        return sqrt(hf_repulsion(system, hf_boys(), i, j, i, j));
    struct hf_product product = hf_product(system, i, 0, j, 0);
    if (product.factor == 0)
        return 0;
    double factor = product.factor / product.p;
    return sqrt(2 * M_PI * M_PI * sqrt(M_PI) / sqrt(2 * product.p)) * factor;
}

void hf_bounds(const struct hf_system *system, size_t tile, size_t i, size_t j, double *bounds)
{
    struct range first = range_of(system, tile, i), second = range_of(system, tile, j);
    for (size_t row = 0; row < tile; row++)
        for (size_t column = 0; column < tile; column++) {
            size_t a = first.begin + row, b = second.begin + column;
            *bounds++ = a < first.end && b < second.end ? bound_of(system, a, b) : 0;
        }
}

static int descending(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->bound != y->bound)
        return x->bound > y->bound ? -1 : 1;
    int order = (x->first > y->first) - (x->first < y->first);
    return order ? order : (x->second > y->second) - (x->second < y->second);
}

// The pairs that survive with the largest of all, sorted.
static size_t find_pairs(const struct hf_screen *screen, struct range first, struct range second,
                         const double *bounds, struct pair *pairs)
{
    size_t count = 0;
    for (size_t i = 0; i < first.end - first.begin; i++)
        for (size_t j = 0; j < second.end - second.begin; j++) {
            double bound = bounds[i * screen->tile + j];
            if (bound * screen->largest >= screen->tolerance)
                pairs[count++] = (struct pair){bound, (uint16_t)i, (uint16_t)j};
        }
    qsort(pairs, count, sizeof *pairs, descending);
    return count;
}

// One block holds all arrays, those of doubles first.
static bool allocate(struct hf_list *list)
{
    size_t doubles = list->count + 6 * list->products;
    double *block = malloc(doubles * sizeof *block + (list->count + 1) * sizeof *list->begin +
                           2 * list->count * sizeof *list->first);
    if (!block)
        return false;
    list->bound = block;
    struct hf_products *product = &list->product;
    double **arrays[] = {&product->p, &product->x,    &product->y,
                         &product->z, &product->near, &product->far};
    for (size_t i = 0; i < 6; i++)
        *arrays[i] = block + list->count + i * list->products;
    list->begin = (uint32_t *)(block + doubles);
    list->first = (uint16_t *)(list->begin + list->count + 1);
    list->second = list->first + list->count;
    return true;
}

// (ij|kl) is near near' F0(t) / sqrt(p + q), and far far' / |P - Q| where F0 has come to its end.
static void put_product(struct hf_list *list, size_t n, const struct hf_product *product)
{
    list->product.p[n] = product->p;
    list->product.x[n] = product->at[0];
    list->product.y[n] = product->at[1];
    list->product.z[n] = product->at[2];
    list->product.near[n] = sqrt(2 * M_PI * M_PI * sqrt(M_PI)) * product->factor / product->p;
    list->product.far[n] = list->product.near[n] * sqrt(sqrt(M_PI) / 2 / product->p);
}

static void fill(struct hf_list *list, const struct hf_system *system, const struct pair *pairs,
                 size_t first, size_t second)
{
    size_t next = 0;
    for (size_t n = 0; n < list->count; n++) {
        size_t i = first + pairs[n].first, j = second + pairs[n].second;
        list->bound[n] = pairs[n].bound;
        list->first[n] = pairs[n].first;
        list->second[n] = pairs[n].second;
        list->begin[n] = (uint32_t)next;
        for (size_t a = 0; a < system->function[i].count; a++)
            for (size_t b = 0; b < system->function[j].count; b++) {
                struct hf_product product = hf_product(system, i, a, j, b);
                put_product(list, next++, &product);
            }
    }
    list->begin[list->count] = (uint32_t)next;
}

// What a list is made of: the bounds of its tiles, and those pairs that survive.
struct material {
    const struct hf_bounds_source *source; // NULL: there is none
    double *bounds;
    struct pair *pairs;
    double *largest; // of each list
};

static void find_bounds(const struct hf_screen *screen, size_t i, size_t j,
                        const struct material *material)
{
    if (material->source)
        material->source->read(material->source->from, i, j, material->bounds);
    else
        hf_bounds(screen->system, screen->tile, i, j, material->bounds);
}

static bool make_list(struct hf_screen *screen, size_t i, size_t j, const struct material *material)
{
    const struct hf_system *system = screen->system;
    const struct pair *pairs = material->pairs;
    struct range first = range_of(system, screen->tile, i);
    struct range second = range_of(system, screen->tile, j);
    struct hf_list *list = &screen->list[j * (j + 1) / 2 + i];
    find_bounds(screen, i, j, material);
    list->count = find_pairs(screen, first, second, material->bounds, material->pairs);
    for (size_t n = 0; n < list->count; n++)
        list->products += system->function[first.begin + pairs[n].first].count *
                          system->function[second.begin + pairs[n].second].count;
    if (list->count == 0)
        return true;
    if (!allocate(list)) {
        list->count = 0;
        return false;
    }
    fill(list, system, pairs, first.begin, second.begin);
    return true;
}

static bool make_lists(struct hf_screen *screen, const struct material *material)
{
    double *next = material->largest;
    for (size_t j = 0; j < screen->tiles; j++)
        for (size_t i = 0; i <= j; i++, next++) {
            find_bounds(screen, i, j, material);
            *next = 0;
            for (size_t n = 0; n < screen->tile * screen->tile; n++)
                *next = fmax(*next, material->bounds[n]);
            screen->largest = fmax(screen->largest, *next);
        }
    next = material->largest;
    for (size_t j = 0; j < screen->tiles; j++)
        for (size_t i = 0; i <= j; i++)
            if (*next++ * screen->largest >= screen->tolerance &&
                !make_list(screen, i, j, material))
                return false;
    return true;
}

static bool is_single(const struct hf_system *system)
{
    for (size_t i = 0; i < system->functions; i++)
        if (system->function[i].count != 1)
            return false;
    return true;
}

int hf_screen_make_from(struct hf_screen *screen, const struct hf_system *system, size_t tile,
                        double tolerance, const struct hf_bounds_source *source)
{
    size_t tiles = (system->functions + tile - 1) / tile, lists = tiles * (tiles + 1) / 2;
    *screen = (struct hf_screen){.system = system,
                                 .boys = hf_boys(),
                                 .tile = tile,
                                 .tiles = tiles,
                                 .tolerance = tolerance,
                                 .single = is_single(system),
                                 .row = hf_row_best(),
                                 .list = calloc(lists, sizeof *screen->list)};
    struct material material = {
        .source = source,
        .bounds = malloc(tile * tile * sizeof *material.bounds),
        .pairs = malloc(tile * tile * sizeof *material.pairs),
        .largest = malloc(lists * sizeof *material.largest),
    };
    bool made = screen->list && material.bounds && material.pairs && material.largest &&
                make_lists(screen, &material);
    free(material.bounds);
    free(material.pairs);
    free(material.largest);
    if (!made)
        hf_screen_free(screen);
    return made ? 0 : TW_ENOMEM;
}

int hf_screen_make(struct hf_screen *screen, const struct hf_system *system, size_t tile,
                   double tolerance)
{
    return hf_screen_make_from(screen, system, tile, tolerance, NULL);
}

void hf_screen_free(struct hf_screen *screen)
{
    for (size_t i = 0; screen->list && i < screen->tiles * (screen->tiles + 1) / 2; i++)
        if (screen->list[i].count)
            free(screen->list[i].bound);
    free(screen->list);
}
