// SPDX-License-Identifier: Apache-2.0
// The same without macros, as a binding for another language would do it: a task is described by a
// struct tw_task_type and handled by plain functions.
#include <stdio.h>
#include <string.h>
#include <twill/twill.h>

#ifdef TWILL_SERIAL // the elision is made of macros

int main(void)
{
    puts("only with the library");
    return 77;
}

#else

// ---- fork and join ----

static long fib(int n);

// The arguments must be copied before anything is spawned, for their place is used again; the
// result may go to the same place.
static void run_fib(struct tw_fiber *fiber, struct tw_slot *head, const void *args, void *result)
{
    int n;
    memcpy(&n, args, sizeof n);
    (void)fiber, (void)head;
    long value = fib(n);
    memcpy(result, &value, sizeof value);
}

static const struct tw_task_type fib_type = {
    .name = "fib",
    .file = __FILE__,
    .line = __LINE__,
    .args_align = _Alignof(int),
    .args_size = sizeof(int),
    .result_align = _Alignof(long),
    .result_size = sizeof(long),
    .run = run_fib,
};

static long fib(int n)
{
    if (n < 2)
        return n;
    int less = n - 1;
    struct tw_slot *forked = tw_task_fork(&fib_type, &less);
    long second = fib(n - 2), first;
    tw_task_join(&fib_type, forked, &first);
    return first + second;
}

// ---- async and finish ----

struct square {
    long *out;
    long n;
};

static void run_square(struct tw_fiber *fiber, struct tw_slot *head, const void *args, void *result)
{
    struct square self;
    memcpy(&self, args, sizeof self);
    (void)fiber, (void)head, (void)result;
    *self.out = self.n * self.n;
}

static const struct tw_task_type square_type = {
    .name = "square",
    .file = __FILE__,
    .line = __LINE__,
    .args_align = _Alignof(struct square),
    .args_size = sizeof(struct square),
    .run = run_square,
};

static void run_all(struct tw_fiber *fiber, struct tw_slot *head, const void *args, void *result)
{
    long *out, squares[10];
    memcpy(&out, args, sizeof out);
    (void)fiber, (void)head, (void)result;
    struct tw_scope scope;
    tw_scope_begin(&scope);
    for (long i = 0; i < 10; i++)
        tw_task_push(&square_type, &(struct square){.out = &squares[i], .n = i});
    tw_scope_end(&scope);
    *out = fib(20);
    for (long i = 0; i < 10; i++)
        *out += squares[i];
}

// ---- an attempt, in a job of a pool ----

static void run_failing(struct tw_fiber *fiber, struct tw_slot *head, const void *args,
                        void *result)
{
    (void)fiber, (void)head, (void)args;
    tw_attempt_fail(7, "failing", result, __FILE__, __LINE__); // a task's result is its type
}

static const struct tw_task_type failing_type = {
    .name = "failing", .file = __FILE__, .line = __LINE__, .args_align = 1, .run = run_failing};

static void run_trying(struct tw_fiber *fiber, struct tw_slot *head, const void *args, void *result)
{
    struct tw_outcome outcome, *out;
    struct tw_attempt attempt = {.outcome = &outcome};
    struct tw_scope scope;
    memcpy(&out, args, sizeof out);
    (void)fiber, (void)head, (void)result;
    tw_attempt_begin(&attempt);
    tw_scope_begin(&scope);
    tw_task_push(&failing_type, NULL);
    tw_scope_end(&scope);
    tw_attempt_end(&attempt);
    *out = outcome;
}

static const struct tw_task_type trying_type = {
    .name = "trying",
    .file = __FILE__,
    .line = __LINE__,
    .args_align = _Alignof(struct tw_outcome *),
    .args_size = sizeof(struct tw_outcome *),
    .run = run_trying,
};

// The error that the task inside fails with.
static int try_in_pool(void)
{
    struct tw_outcome outcome = {.error = 0}, *out = &outcome;
    struct tw_pool *pool;
    struct tw_job job;
    if (tw_pool_start(&pool, NULL) != 0)
        return 0;
    if (tw_submit_task(pool, &job, &trying_type, &out) == 0)
        tw_job_wait(&job);
    tw_pool_stop(pool);
    return outcome.error;
}

static const struct tw_task_type all_type = {
    .name = "all",
    .file = __FILE__,
    .line = __LINE__,
    .args_align = _Alignof(long *),
    .args_size = sizeof(long *),
    .run = run_all,
};

int main(void)
{
    long value = 0, *out = &value;
    int error = tw_run_task(NULL, &all_type, &out);
    if (error) {
        fprintf(stderr, "%s\n", tw_strerror(error));
        return 1;
    }
    printf("fib(20) and the first squares: %ld\n", value);
    return value != 6765 + 285 || try_in_pool() != 7;
}

#endif
