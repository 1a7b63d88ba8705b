// SPDX-License-Identifier: Apache-2.0
// The cases Twill itself serves, plain C beside them: `twill bench --serve CASE WORKERS SIZE`.
#ifndef TWB_CASES_H
#define TWB_CASES_H

#include <twill/twill.h>

#include "serve.h"

// Tables end with a NULL name. fib_cases is also compiled by clang (peers/twill_clang.c).
extern const struct twb_case twb_fib_cases[];     // case_fib.c
extern const struct twb_case twb_search_cases[];  // case_search.c: n queens and UTS
extern const struct twb_case twb_latency_cases[]; // case_latency.c: tasks taken by other cores
extern const struct twb_case twb_bare_cases[];    // case_bare.c: what the machine itself needs
extern const struct twb_case twb_pool_cases[];    // case_pool.c: start-up and idling

// The sequential elision of apps/fib, for counting instructions.
uint64_t twb_fib_serial(unsigned n);

// The options of a job; ends the process when a run failed.
struct tw_options twb_options(const struct twb_job *job);
void twb_require(int error);

#endif
