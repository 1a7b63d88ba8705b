// SPDX-License-Identifier: Apache-2.0
// Programs at places (placed.h). The value is the number that was asked for; the check is 1 when
// the program has verified its result.
#include <stdio.h>

#include "cases.h"
#include "placed.h"

static struct twb_answer run_placed(const struct twb_job *job)
{
    char text[TWB_PLACED_TEXT];
    struct twb_placed placed;
    struct twb_answer answer = {0, 0};
    snprintf(text, sizeof text, "%s", job->parameters);
    answer.check = twb_placed_read(&placed, text) && twb_placed_run(&placed, &answer.value);
    return answer;
}

const struct twb_case twb_placed_cases[] = {
    {"placed", run_placed},
    {NULL, NULL},
};
