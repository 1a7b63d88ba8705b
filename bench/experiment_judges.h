// SPDX-License-Identifier: Apache-2.0
// What cells that were run say about findings of the paper.
#ifndef TWB_EXPERIMENT_JUDGES_H
#define TWB_EXPERIMENT_JUDGES_H

#include "experiment.h"

// Adds parts to a goal, one for each cell that has something to say, or one of the mean of several
// where neighbours differ by little. All cells have been run equally often, and once at least.
typedef void twb_judge_cells(struct twb_report *report, const char *goal,
                             const struct twb_measured *cells, size_t count);

// Ratios of times or attempts under two policies.
twb_judge_cells twb_judge_last;        // cur over last, where the work is smallest
twb_judge_cells twb_judge_tries;       // attempts, cur over last, at 100 us
twb_judge_cells twb_judge_auto_regret; // auto over cur and over last

// Speed-ups under LAST.
twb_judge_cells twb_judge_rising;  // with the most tasks over that with the fewest, mean of works
twb_judge_cells twb_judge_plateau; // how much of that at 800 us is there at 100 us, over CUR's
twb_judge_cells twb_judge_dip;     // with 50 tasks over that with 16 and with 250
twb_judge_cells twb_judge_teeth;   // with one task left over, over that with one task fewer, mean
twb_judge_cells twb_judge_minima;  // with one task left over, the most over the fewest tasks
twb_judge_cells twb_judge_batches; // over what batches of as many tasks as workers allow, mean

// Speed-ups for each worker.
twb_judge_cells twb_judge_rule_tries; // where attempts are few, any policy
twb_judge_cells twb_judge_rule_work;  // from 100 us on, LAST

#endif
