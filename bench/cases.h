// SPDX-License-Identifier: Apache-2.0
// The cases Twill itself serves, plain C beside them: `twill bench --serve CASE WORKERS SIZE`. A
// fourth word is what TWILL_WAKE shall be.
#ifndef TWB_CASES_H
#define TWB_CASES_H

#include <stdbool.h>

#include <twill/twill.h>

#include "serve.h"

// Tables end with a NULL name. fib_cases is also compiled by clang (peers/twill_clang.c).
// These are served in a pool.
extern const struct twb_case twb_fib_cases[];     // case_fib.c
extern const struct twb_case twb_search_cases[];  // case_search.c: n queens and UTS
extern const struct twb_case twb_latency_cases[]; // case_latency.c: tasks taken by other cores
extern const struct twb_case twb_app_cases[];     // case_apps.c: sort, skynet and FFT
extern const struct twb_case twb_loop_cases[];    // case_loop.c: loops, even and irregular
extern const struct twb_case twb_reducer_cases[]; // case_reducer.c: updates of counters
extern const struct twb_case twb_kernel_cases[];  // case_kernels.c: matrices and grids
extern const struct twb_case twb_waiting_cases[]; // case_waiting.c: trees whose leaves wait
extern const struct twb_case twb_parking_cases[]; // case_parking.c: what a wait costs
extern const struct twb_case twb_scatter_cases[]; // case_scatter.c: a process network
extern const struct twb_case twb_hf_pool_cases[]; // case_hf.c: Fock builds of Hartree-Fock

// These are not.
extern const struct twb_case twb_bare_cases[];       // case_bare.c: what the machine itself needs
extern const struct twb_case twb_pool_cases[];       // case_pool.c: start-up and idling
extern const struct twb_case twb_switch_cases[];     // case_switch.c: switching stacks
extern const struct twb_case twb_live_cases[];       // case_live.c: fibers of graphs of futures
extern const struct twb_case twb_sim_cases[];        // case_sim.c: the simulator
extern const struct twb_case twb_placed_cases[];     // case_placed.c: programs at places
extern const struct twb_case twb_collection_cases[]; // case_collection.c: the split queue
extern const struct twb_case twb_hf_cases[];         // case_hf.c: Fock builds without Twill
extern const struct twb_case twb_balance_cases[];    // case_balance.c: balancers of collections

// The sequential elision of apps/fib, for counting instructions.
uint64_t twb_fib_serial(unsigned n);

// Serves like twb_serve, but inside one tw_run with that number of workers: the pool is there when
// a run begins, as the peers' pools are. The runs of the cases are nested in it.
struct twb_pool_wish {
    enum tw_bind bind;
    size_t stack_size; // 0: the default
    bool spmd;         // in tw_run_spmd
};
int twb_serve_in_pool(const struct twb_case *cases, const char *about, struct twb_pool_wish wish,
                      int argc, char **argv);

// Ends the process when a run failed.
void twb_require(int error);

#endif
