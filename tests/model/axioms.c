// SPDX-License-Identifier: Apache-2.0
// The checker against the axioms: random small programs, whose outcomes and races are computed a
// second time from the definition of RC11 (rc11.h), in no common code.
#include <stdio.h>
#include <stdlib.h>

#include "rc11.h"

enum { PROGRAMS = 10000, OPERATIONS_MAX = 8 };

static void check(void)
{
    model_outcome("%llx", (unsigned long long)outcome_key(read_value, memory));
}

// ---- the comparison ----

static int equal(const struct model_result *result)
{
    for (int i = 0; i < result->outcomes; i++)
        if (!has_outcome(strtoull(result->outcome[i], NULL, 16)))
            return 0;
    return result->outcomes == axiom_outcomes.count;
}

static void print_outcomes(const struct model_result *result)
{
    printf("  by the engine %d:", result->outcomes);
    for (int i = 0; i < result->outcomes; i++)
        printf(" %s", result->outcome[i]);
    printf("\n  by the axioms %d:", axiom_outcomes.count);
    for (int i = 0; i < axiom_outcomes.count; i++)
        printf(" %llx", (unsigned long long)axiom_outcomes.key[i]);
    putchar('\n');
}

static int agree(struct model_result *result)
{
    random_program();
    const struct model_program p = {"random",
                                    .threads = threads,
                                    .setup = setup,
                                    .thread = thread,
                                    .check = check,
                                    .ghost = read_value,
                                    .ghost_size = sizeof read_value,
                                    .no_rehearsal = 1};
    enum model_verdict verdict = model_run(&p, result, 0);
    run_axioms();
    int good = race_found ? verdict == MODEL_RACE : verdict == MODEL_PASS && equal(result);
    if (!good) {
        printf("FAIL verdict %d (%s), race by the axioms: %d\n", verdict, result->message,
               race_found);
        print_program();
        print_outcomes(result);
    }
    return good;
}

int main(int argc, char **argv)
{
    static struct model_result result;
    int count = argc > 1 ? atoi(argv[1]) : PROGRAMS;
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : seed;
    operations_max = OPERATIONS_MAX;
    int failed = 0;
    int racy = 0;
    long outcomes = 0;
    for (int i = 0; i < count; i++) {
        failed += !agree(&result);
        racy += race_found;
        outcomes += axiom_outcomes.count;
    }
    printf("%d programs, %d of them with races, %ld outcomes\n", count, racy, outcomes);
    printf("%d passed, %d failed\n", count - failed, failed);
    return failed != 0;
}
