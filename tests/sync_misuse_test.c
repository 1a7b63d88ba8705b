// SPDX-License-Identifier: Apache-2.0
// ctest: timeout=240
// What ends in a message: misuse of mutexes, semaphores and conditions, and locks that are taken in
// a cycle.
#include "support.h"

#include <unistd.h>
#include "support.h"

#include <unistd.h>

#include <pthread.h>
#include <string.h>

static char text[4096];

static void expect(void (*what)(void), const char *message)
{
    assert_true(test_dies(what, text, sizeof text));
    if (!strstr(text, message))
        fail_msg("'%s' is not in: %s", message, text);
}

static void run_with(const struct tw_task_type *type, const void *args, unsigned workers,
                     int lock_check)
{
    struct tw_options options;
    tw_options_init(&options, NULL, 0);
    if (workers)
        options.workers = workers;
    options.lock_check = lock_check;
    if (tw_run_task(&options, type, args) != 0)
        _exit(1);
}

// With one worker a task that is waited for has come as far as it can.
#define RUN_ALONE(name) run_with(&tw_type_##name, &(struct tw_args_##name){0}, 1, 0)

static struct tw_mutex books = TW_MUTEX_INIT("books"), ledger = TW_MUTEX_INIT("ledger"),
                       diary = TW_MUTEX_INIT("diary");
static struct tw_semaphore seats = TW_SEMAPHORE_INIT("seats", 0);
static struct tw_semaphore never = TW_SEMAPHORE_INIT("never", 0);
static struct tw_condition news = TW_CONDITION_INIT("news");

// ---- outside tasks ----

static void lock_outside(void)
{
    tw_mutex_lock(&books);
}

static void try_outside(void)
{
    (void)tw_mutex_trylock(&books);
}

static void unlock_outside(void)
{
    tw_mutex_unlock(&books);
}

static void acquire_outside(void)
{
    tw_semaphore_acquire(&seats);
}

static void release_outside(void)
{
    tw_semaphore_release(&seats, 1);
}

static void signal_outside(void)
{
    tw_condition_signal(&news);
}

static void test_sync_use_outside_a_task(void **state)
{
    (void)state;
    expect(lock_outside, "mutex 'books': used outside a task");
    expect(try_outside, "mutex 'books': used outside a task");
    expect(unlock_outside, "mutex 'books': used outside a task");
    expect(acquire_outside, "semaphore 'seats': used outside a task");
    expect(release_outside, "semaphore 'seats': used outside a task");
    expect(signal_outside, "condition 'news': used outside a task");
}

// ---- who holds it ----

TW_TASK(unlock_books, { int unused; })
{
    tw_mutex_unlock(&books);
}

TW_TASK(lock_again, { int unused; })
{
    tw_mutex_lock(&books);
    tw_mutex_lock(&books);
}

TW_TASK(unlock_anothers, { int unused; })
{
    tw_finish {
        tw_mutex_lock(&books);
        tw_async(unlock_books);
        tw_semaphore_acquire(&never);
    }
}

TW_TASK(wait_without, { int unused; })
{
    tw_condition_wait(&news, &books);
}

static void run_unlock_free(void)
{
    tw_run(unlock_books);
}

static void run_lock_again(void)
{
    tw_run(lock_again);
}

static void run_unlock_anothers(void)
{
    tw_run(unlock_anothers);
}

static void run_wait_without(void)
{
    tw_run(wait_without);
}

static void test_sync_who_holds_it(void **state)
{
    (void)state;
    expect(run_unlock_free, "mutex 'books': unlocked, but nobody holds it");
    expect(run_lock_again, "mutex 'books': locked again by the task that holds it");
    expect(run_unlock_anothers, "mutex 'books': unlocked by a task that does not hold it");
    expect(run_wait_without, "condition 'news': waited for by a task that does not hold the mutex");
}

// ---- destroyed too early ----

TW_TASK(waits, { int kind; })
{
    tw_semaphore_release(&never, 1);
    if (self.kind == 0) {
        tw_mutex_lock(&books);
    } else if (self.kind == 1) {
        tw_semaphore_acquire(&seats);
    } else {
        tw_mutex_lock(&ledger);
        tw_condition_wait(&news, &ledger);
    }
}

TW_TASK(destroys, { int kind; })
{
    tw_mutex_lock(&books);
    tw_finish {
        tw_async(waits, .kind = self.kind);
        tw_semaphore_acquire(&never);
        if (self.kind == 0)
            tw_mutex_destroy(&books);
        else if (self.kind == 1)
            tw_semaphore_destroy(&seats);
        else
            tw_condition_destroy(&news);
    }
}

TW_TASK(destroys_held, { int unused; })
{
    tw_mutex_lock(&books);
    tw_mutex_destroy(&books);
}

static void run_destroy_mutex(void)
{
    run_with(&tw_type_destroys, &(struct tw_args_destroys){0}, 1, 0);
}

static void run_destroy_semaphore(void)
{
    run_with(&tw_type_destroys, &(struct tw_args_destroys){1}, 1, 0);
}

static void run_destroy_condition(void)
{
    run_with(&tw_type_destroys, &(struct tw_args_destroys){2}, 1, 0);
}

static void run_destroy_held(void)
{
    RUN_ALONE(destroys_held);
}

static void test_sync_destroyed_while_in_use(void **state)
{
    (void)state;
    expect(run_destroy_mutex, "mutex 'books': destroyed while tasks wait for it");
    expect(run_destroy_semaphore, "semaphore 'seats': destroyed while tasks wait for it");
    expect(run_destroy_condition, "condition 'news': destroyed while tasks wait for it");
    expect(run_destroy_held, "mutex 'books': destroyed while a task holds it");
}

// ---- two runs ----

TW_TASK(lock_books, { int unused; })
{
    tw_mutex_lock(&books);
}

static void *other_run(void *unused)
{
    tw_run(lock_books);
    return unused;
}

TW_TASK(lock_for_another_run, { int unused; })
{
    pthread_t thread;
    tw_mutex_lock(&books);
    if (pthread_create(&thread, NULL, other_run, NULL) != 0)
        return;
    while (!(__atomic_load_n(&books.state, __ATOMIC_RELAXED) & TWI_WAITED))
        usleep(1000);
    tw_mutex_unlock(&books);
}

static void run_two_runs(void)
{
    tw_run(lock_for_another_run);
}

static void test_sync_two_runs_share_a_mutex(void **state)
{
    (void)state;
    expect(run_two_runs, "mutex 'books': used by the tasks of two runs at once");
}

// ---- cycles ----

TW_TASK(lock_two, { struct tw_mutex *first, *second; })
{
    tw_mutex_lock(self.first);
    tw_mutex_lock(self.second);
    tw_mutex_unlock(self.first);
    tw_mutex_unlock(self.second);
}

// Each pair after the other: nothing ever waits.
TW_TASK(cycle_of_two, { int unused; })
{
    tw_finish {
        tw_async(lock_two, .first = &books, .second = &ledger);
    }
    tw_finish {
        tw_async(lock_two, .first = &ledger, .second = &books);
    }
}

TW_TASK(cycle_of_three, { int unused; })
{
    tw_call(lock_two, .first = &books, .second = &ledger);
    tw_call(lock_two, .first = &ledger, .second = &diary);
    tw_call(lock_two, .first = &diary, .second = &books);
}

// The mutex is taken again at the end of the wait, while the task holds another.
TW_TASK(cycle_by_condition, { int unused; })
{
    tw_mutex_lock(&books);
    tw_mutex_lock(&ledger);
    tw_condition_wait(&news, &books);
}

static void run_cycle_of_two(void)
{
    run_with(&tw_type_cycle_of_two, &(struct tw_args_cycle_of_two){0}, 0, 1);
}

static void run_cycle_of_three(void)
{
    run_with(&tw_type_cycle_of_three, &(struct tw_args_cycle_of_three){0}, 0, 1);
}

static void run_cycle_by_condition(void)
{
    run_with(&tw_type_cycle_by_condition, &(struct tw_args_cycle_by_condition){0}, 0, 1);
}

static void run_cycle_by_variable(void)
{
    setenv("TWILL_LOCK_CHECK", "on", 1);
    tw_run(cycle_of_two);
}

static void test_sync_cycles_are_reported(void **state)
{
    (void)state;
    static const char two[] = "locks are taken in a cycle: 'ledger' -> 'books' -> 'ledger'\n";
    expect(run_cycle_of_two, two);
    expect(run_cycle_by_variable, two);
    expect(run_cycle_of_three,
           "locks are taken in a cycle: 'diary' -> 'books' -> 'ledger' -> 'diary'\n");
    expect(run_cycle_by_condition, two);
}

static void run_cycle_unchecked(void)
{
    run_with(&tw_type_cycle_of_two, &(struct tw_args_cycle_of_two){0}, 0, 0);
}

enum { MANY = 8 };

static struct tw_mutex many[MANY];

TW_TASK(lock_some, { unsigned some; })
{
    for (int i = 0; i < MANY; i++)
        if (self.some >> i & 1)
            tw_mutex_lock(&many[i]);
    for (int i = 0; i < MANY; i++)
        if (self.some >> (7 * i % MANY) & 1)
            tw_mutex_unlock(&many[7 * i % MANY]);
}

TW_TASK(try_backwards, { int unused; })
{
    for (int i = MANY; i-- > 0;)
        if (!tw_mutex_trylock(&many[i]))
            _exit(1);
    for (int i = 0; i < MANY; i++)
        tw_mutex_unlock(&many[i]);
}

// The same memory, another mutex.
TW_TASK(turn_round, { int unused; })
{
    for (int i = 0; i < MANY; i++) {
        tw_mutex_destroy(&many[i]);
        tw_mutex_init(&many[i], "again");
    }
    for (int i = MANY; i-- > 0;)
        tw_mutex_lock(&many[i]);
    for (int i = MANY; i-- > 0;)
        tw_mutex_unlock(&many[i]);
}

TW_TASK(in_order, { int unused; })
{
    tw_finish {
        for (unsigned some = 0; some < 1u << MANY; some++)
            tw_async(lock_some, .some = some);
    }
    tw_call(try_backwards);
    tw_call(turn_round);
}

static void run_in_order(void)
{
    for (int i = 0; i < MANY; i++)
        tw_mutex_init(&many[i], "many");
    run_with(&tw_type_in_order, &(struct tw_args_in_order){0}, 0, 1);
}

static void test_sync_order_is_silent(void **state)
{
    (void)state;
    assert_false(test_dies(run_in_order, text, sizeof text));
    assert_string_equal(text, "");
    assert_false(test_dies(run_cycle_unchecked, text, sizeof text));
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sync_use_outside_a_task),
        cmocka_unit_test(test_sync_who_holds_it),
        cmocka_unit_test(test_sync_destroyed_while_in_use),
        cmocka_unit_test(test_sync_two_runs_share_a_mutex),
        cmocka_unit_test(test_sync_cycles_are_reported),
        cmocka_unit_test(test_sync_order_is_silent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
