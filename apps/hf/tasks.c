// SPDX-License-Identifier: Apache-2.0
// Which quartets of tiles have something to compute, and how much.
//
// Multiplication rounds monotonically: where the largest bounds of two lists miss the tolerance
// all others do, and the partners that survive with one pair survive with every larger one.
#include "apps/hf/tasks.h"

#include <stdlib.h>

#include <twill/runtime.h>

#include "apps/hf/screen.h"

bool hf_task_is_null(const struct hf_screen *screen, size_t i, size_t j, size_t k, size_t l)
{
    const struct hf_list *bra = hf_list(screen, i, j), *ket = hf_list(screen, k, l);
    return !bra->count || !ket->count || bra->bound[0] * ket->bound[0] < screen->tolerance;
}

static uint64_t count_integrals(const struct hf_screen *screen, const struct hf_list *bra,
                                const struct hf_list *ket)
{
    uint64_t sum = 0;
    size_t partners = ket->count;
    for (size_t n = 0; n < bra->count; n++) {
        while (partners > 0 && bra->bound[n] * ket->bound[partners - 1] < screen->tolerance)
            partners--;
        if (partners == 0)
            break;
        sum += partners;
    }
    return sum;
}

uint64_t hf_task_integrals(const struct hf_screen *screen, size_t i, size_t j, size_t k, size_t l)
{
    return count_integrals(screen, hf_list(screen, i, j), hf_list(screen, k, l));
}

// ---- all of them ----

// Two tiles in order, and their list by number.
struct couple {
    uint16_t i, j;
    uint32_t list; // among those that have pairs
    double bound;
};

struct couples {
    size_t count, lists;
    struct couple *couple;       // ascending
    const struct hf_list **list; // by number
};

static void number_couples(struct couples *couples, const struct hf_screen *screen,
                           uint32_t *number)
{
    for (size_t i = 0; i < screen->tiles; i++)
        for (size_t j = 0; j < screen->tiles; j++) {
            const struct hf_list *list = hf_list(screen, i, j);
            if (!list->count)
                continue;
            if (i <= j) {
                number[list - screen->list] = (uint32_t)couples->lists;
                couples->list[couples->lists++] = list;
            }
            couples->couple[couples->count++] = (struct couple){
                (uint16_t)i, (uint16_t)j, number[list - screen->list], list->bound[0]};
        }
}

static void free_couples(struct couples *couples)
{
    free(couples->couple);
    free(couples->list);
}

static int make_couples(struct couples *couples, const struct hf_screen *screen)
{
    size_t tiles = screen->tiles, lists = tiles * (tiles + 1) / 2;
    uint32_t *number = malloc(lists * sizeof *number);
    *couples = (struct couples){.couple = malloc(tiles * tiles * sizeof *couples->couple),
                                .list = malloc(lists * sizeof *couples->list)};
    bool made = number && couples->couple && couples->list;
    if (made)
        number_couples(couples, screen, number);
    else
        free_couples(couples);
    free(number);
    return made ? 0 : TW_ENOMEM;
}

static uint64_t count_tasks(const struct couples *couples, double tolerance)
{
    uint64_t count = 0;
    for (size_t a = 0; a < couples->count; a++)
        for (size_t b = 0; b < couples->count; b++)
            count += couples->couple[a].bound * couples->couple[b].bound >= tolerance;
    return count;
}

int hf_tasks_count(const struct hf_screen *screen, uint64_t *count)
{
    struct couples couples;
    if (make_couples(&couples, screen) != 0)
        return TW_ENOMEM;
    *count = count_tasks(&couples, screen->tolerance);
    free_couples(&couples);
    return 0;
}

// Up to eight tasks have the same two lists; their integrals are counted once. `known` holds the
// counts of lists a <= b; no task that is not null has none.
static uint32_t integrals_of(const struct hf_screen *screen, const struct couples *couples,
                             uint32_t *known, uint32_t a, uint32_t b)
{
    uint32_t *count = &known[a <= b ? a * couples->lists + b : b * couples->lists + a];
    if (*count == 0)
        *count = (uint32_t)count_integrals(screen, couples->list[a], couples->list[b]);
    return *count;
}

static void fill_tasks(struct hf_tasks *tasks, const struct hf_screen *screen,
                       const struct couples *couples, uint32_t *known)
{
    struct hf_task *next = tasks->task;
    for (size_t a = 0; a < couples->count; a++)
        for (size_t b = 0; b < couples->count; b++) {
            const struct couple *bra = &couples->couple[a], *ket = &couples->couple[b];
            if (bra->bound * ket->bound < screen->tolerance)
                continue;
            *next = (struct hf_task){bra->i, bra->j, ket->i, ket->j,
                                     integrals_of(screen, couples, known, bra->list, ket->list)};
            tasks->integrals += next++->integrals;
        }
}

int hf_tasks_make(struct hf_tasks *tasks, const struct hf_screen *screen)
{
    struct couples couples;
    if (make_couples(&couples, screen) != 0)
        return TW_ENOMEM;
    *tasks = (struct hf_tasks){.count = count_tasks(&couples, screen->tolerance)};
    tasks->task = malloc((tasks->count + 1) * sizeof *tasks->task);
    uint32_t *known = calloc(couples.lists * couples.lists + 1, sizeof *known);
    bool made = tasks->task && known;
    if (made)
        fill_tasks(tasks, screen, &couples, known);
    else
        free(tasks->task);
    free(known);
    free_couples(&couples);
    return made ? 0 : TW_ENOMEM;
}

void hf_tasks_free(struct hf_tasks *tasks)
{
    free(tasks->task);
}
