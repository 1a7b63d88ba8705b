// SPDX-License-Identifier: Apache-2.0
// The repulsion of one product of primitives and many others.
#ifndef APPS_HF_ROW_H
#define APPS_HF_ROW_H

#include <stddef.h>

struct hf_boys;
struct hf_products;

#define HF_ROW_MAX 400 // kets

// values[m] = repulsion of bra[n] and ket[begin + m], for m < count.
typedef void hf_row(const struct hf_boys *boys, const struct hf_products *bra, size_t n,
                    const struct hf_products *ket, size_t begin, size_t count, double *values);

hf_row hf_row_portable, hf_row_avx2;

// The fastest that this processor can run.
hf_row *hf_row_best(void);

#endif
