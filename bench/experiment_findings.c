// SPDX-License-Identifier: Apache-2.0
// What the paper found in its experiments, as goals: which experiment is asked what. Limits that
// depend on the number of workers are for each worker: at least 7 on its 8 processors is 7/8.
#include "experiment_judges.h"

struct finding {
    struct twb_goal goal;
    twb_judge_cells *judge;
    const char *experiments; // their digits
};

static const struct finding findings[] = {
    {{.name = "last_beats_cur",
      .sense = TWB_AT_LEAST,
      .limit = 1,
      .what = "where the work is smallest, time under cur over time under last"},
     twb_judge_last,
     "13"},
    {{.name = "attempts_fall",
      .sense = TWB_AT_LEAST,
      .limit = 3,
      .what = "steal attempts a second at 100 us, cur over last; the paper's is 3.8"},
     twb_judge_tries,
     "123"},
    {{.name = "rises_with_n",
      .sense = TWB_AT_LEAST,
      .limit = 1,
      .what =
          "speed-up with the most tasks over that with the fewest, last; the mean of all works"},
     twb_judge_rising,
     "12"},
    {{.name = "plateau_earlier",
      .sense = TWB_AT_LEAST,
      .limit = 1,
      .what = "share of the speed-up at 800 us that is there at 100 us, last over cur"},
     twb_judge_plateau,
     "3"},
    {{.name = "dip_at_50",
      .sense = TWB_AT_MOST,
      .limit = 1,
      .what = "speed-up at 800 us with 50 tasks over that with 16 and with 250, last"},
     twb_judge_dip,
     "3"},
    {{.name = "saw_tooth",
      .sense = TWB_AT_MOST,
      .limit = 1,
      .what = "speed-up with one task left over, over that with one task fewer, last; the mean"},
     twb_judge_teeth,
     "4"},
    {{.name = "minima_rise",
      .sense = TWB_AT_LEAST,
      .limit = 1,
      .what = "speed-up of the last minimum over that of the first, last"},
     twb_judge_minima,
     "4"},
    {{.name = "batches",
      .sense = TWB_AT_LEAST,
      .limit = 0.95,
      .what = "speed-up over n / ceil(n / workers), last; the mean"},
     twb_judge_batches,
     "4"},
    {{.name = "rule_attempts",
      .sense = TWB_AT_LEAST,
      .limit = 0.875,
      .what = "speed-up for each worker where attempts are below 10^5 a second, any policy"},
     twb_judge_rule_tries,
     "1234"},
    {{.name = "rule_100us",
      .sense = TWB_AT_LEAST,
      .limit = 0.875,
      .what = "speed-up for each worker from 100 us on, 100 tasks or none left over, last"},
     twb_judge_rule_work,
     "1234"},
    {{.name = "auto_regret",
      .sense = TWB_AT_MOST,
      .limit = 1.05,
      .what = "time under auto over that under cur and under last, every cell"},
     twb_judge_auto_regret,
     "1234"},
};

enum { FINDINGS = sizeof findings / sizeof *findings };

static bool is_asked(const struct finding *finding, unsigned number)
{
    for (const char *digit = finding->experiments; *digit; digit++)
        if ((unsigned)(*digit - '0') == number)
            return true;
    return false;
}

const struct twb_goal *twb_findings_goals(unsigned number)
{
    static struct twb_goal goals[FINDINGS + 1];
    size_t count = 0;
    for (size_t i = 0; i < FINDINGS; i++)
        if (is_asked(&findings[i], number))
            goals[count++] = findings[i].goal;
    goals[count] = (struct twb_goal){.name = NULL};
    return goals;
}

void twb_findings_judge(struct twb_report *report, unsigned number,
                        const struct twb_measured *cells, size_t count)
{
    for (size_t i = 0; i < FINDINGS; i++)
        if (is_asked(&findings[i], number))
            findings[i].judge(report, findings[i].goal.name, cells, count);
}
