// SPDX-License-Identifier: Apache-2.0
// The inner loops of Hartree-Fock.
//
// Kets are taken in stretches that stay in the first cache while all bras pass by. A stretch and a
// bra are a row of integrals (row.c), which are then added to the matrices.
#include "apps/hf/quartet.h"

#include <math.h>

#include "apps/hf/integral.h"
#include "apps/hf/row.h"
#include "apps/hf/screen.h"

#define STRETCH 128 // pairs

// Some kets of a list, in the order of their bounds.
struct stretch {
    const struct hf_list *list;
    size_t begin, end;
    uint16_t k[STRETCH], l[STRETCH];
    double density[STRETCH];
};

static void load(struct stretch *stretch, bool turned, const double *density_kl, size_t tile)
{
    const struct hf_list *list = stretch->list;
    const uint16_t *k = turned ? list->second : list->first;
    const uint16_t *l = turned ? list->first : list->second;
    for (size_t n = stretch->begin, m = 0; n < stretch->end; n++, m++) {
        stretch->k[m] = k[n];
        stretch->l[m] = l[n];
        stretch->density[m] = density_kl[k[n] * tile + l[n]];
    }
}

// Functions that are sums of several primitives: products of one ket with those of the bra.
static double repel_sums(const struct hf_screen *screen, const struct hf_list *bra, size_t n,
                         const struct hf_list *ket, size_t m)
{
    double values[HF_ROW_MAX], sum = 0;
    size_t begin = ket->begin[m], count = ket->begin[m + 1] - begin;
    for (size_t product = bra->begin[n]; product < bra->begin[n + 1]; product++) {
        hf_row_portable(screen->boys, &bra->product, product, &ket->product, begin, count, values);
        for (size_t i = 0; i < count; i++)
            sum += values[i];
    }
    return sum;
}

static void repel(const struct hf_screen *screen, const struct hf_list *bra, size_t n,
                  const struct stretch *kets, double *values)
{
    if (screen->single)
        screen->row(screen->boys, &bra->product, n, &kets->list->product, kets->begin,
                    kets->end - kets->begin, values);
    else
        for (size_t m = kets->begin; m < kets->end; m++)
            values[m - kets->begin] = repel_sums(screen, bra, n, kets->list, m);
}

// F_ij, the Coulomb part, is returned.
static double add(const struct stretch *kets, const double *restrict values,
                  const double *restrict density_j, double *restrict fock_i)
{
    double sum = 0;
    for (size_t m = 0; m < kets->end - kets->begin; m++) {
        sum += values[m] * kets->density[m];
        fock_i[kets->k[m]] -= 0.5 * values[m] * density_j[kets->l[m]];
    }
    return sum;
}

// Drops kets from the end that do not survive with this bra.
static size_t shorten(const struct hf_screen *screen, double bound, const struct stretch *kets)
{
    size_t end = kets->end;
    while (end > kets->begin && bound * kets->list->bound[end - 1] < screen->tolerance)
        end--;
    return end;
}

void hf_quartet(const struct hf_screen *screen, size_t i, size_t j, size_t k, size_t l,
                const struct hf_operands *operands)
{
    const struct hf_list *bra = hf_list(screen, i, j), *ket = hf_list(screen, k, l);
    const uint16_t *row = i <= j ? bra->first : bra->second;
    const uint16_t *column = i <= j ? bra->second : bra->first;
    size_t tile = screen->tile;
    double values[STRETCH];
    struct stretch kets = {.list = ket};
    for (; bra->count && kets.begin < ket->count; kets.begin += STRETCH) {
        kets.end = kets.begin + STRETCH < ket->count ? kets.begin + STRETCH : ket->count;
        kets.end = shorten(screen, bra->bound[0], &kets);
        load(&kets, k > l, operands->density_kl, tile);
        for (size_t n = 0; n < bra->count; n++) {
            kets.end = shorten(screen, bra->bound[n], &kets);
            if (kets.end == kets.begin)
                break;
            repel(screen, bra, n, &kets, values);
            operands->fock_ij[row[n] * tile + column[n]] +=
                add(&kets, values, &operands->density_jl[column[n] * tile],
                    &operands->fock_ik[row[n] * tile]);
        }
    }
}
