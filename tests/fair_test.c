// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// Who is ready goes on, also when others wake each other all the time.
#include "support.h"

enum { ROUNDS = 100000 };

static struct tw_semaphore ping = TW_SEMAPHORE_INIT("ping", 0);
static struct tw_semaphore pong = TW_SEMAPHORE_INIT("pong", 0);
static struct tw_semaphore go = TW_SEMAPHORE_INIT("go", 0);
static int went, ended;

TW_TASK(bystander, {})
{
    tw_semaphore_acquire(&go);
    went = 1;
}

TW_TASK(answer, {})
{
    while (!ended) {
        tw_semaphore_acquire(&ping);
        tw_semaphore_release(&pong, 1);
    }
}

TW_TASK(converse, { int *rounds; })
{
    tw_task_push_apart(&tw_type_bystander, "");
    tw_task_push_apart(&tw_type_answer, "");
    for (int i = 0; i < 10; i++)
        tw_yield(); // both wait now
    tw_semaphore_release(&go, 1);
    while (!ended) {
        ended = went || ++*self.rounds == ROUNDS;
        tw_semaphore_release(&ping, 1);
        tw_semaphore_acquire(&pong);
    }
}

static void test_fair_to_who_was_ready_first(void **state)
{
    (void)state;
    int rounds = 0;
    assert_int_equal(tw_run(converse, .rounds = &rounds), 0);
    assert_true(went);
    assert_in_range(rounds, 0, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fair_to_who_was_ready_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
