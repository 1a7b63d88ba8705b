// SPDX-License-Identifier: Apache-2.0
// Loops: tw_forasync beside the plain loop with the same body. Size: iterations, or for `irregular`
// a TWB_LOOP_SIZE. saxpy passes over memory, the others compute.
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"
#include "loops.h"

// ---- saxpy ----

struct vectors {
    float *x, *y;
};

// As new: x[i] = i % 8, y[i] = i % 16.
static struct vectors vectors_of(long n)
{
    static struct vectors v;
    if (v.x == NULL)
        v = (struct vectors){malloc((size_t)n * sizeof *v.x), malloc((size_t)n * sizeof *v.y)};
    if (v.x == NULL || v.y == NULL) {
        fprintf(stderr, "serve: no memory for vectors of %ld\n", n);
        exit(1);
    }
    for (long i = 0; i < n; i++) {
        v.x[i] = (float)(i % 8);
        v.y[i] = (float)(i % 16);
    }
    return v;
}

static uint64_t vector_sum(const float *y, long n)
{
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += y[i];
    return (uint64_t)sum;
}

static __attribute__((noinline)) void saxpy_plain(float a, const float *x, float *y, long n)
{
    for (long i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}

TW_LOOP(saxpy, i, {
    float a;
    const float *x;
    float *y;
})
{
    self.y[i] = self.a * self.x[i] + self.y[i];
}

TW_TASK(start_saxpy, {
    float *x;
    float *y;
    long n;
})
{
    tw_forasync(saxpy, tw_range(0, self.n), .a = 2, .x = self.x, .y = self.y);
}

static struct twb_answer run_saxpy_plain(const struct twb_job *job)
{
    struct vectors v = vectors_of(job->size);
    double start = twb_seconds();
    saxpy_plain(2, v.x, v.y, job->size);
    double seconds = twb_seconds() - start;
    return (struct twb_answer){seconds, vector_sum(v.y, job->size)};
}

static struct twb_answer run_saxpy(const struct twb_job *job)
{
    struct vectors v = vectors_of(job->size);
    double start = twb_seconds();
    twb_require(tw_run(start_saxpy, .x = v.x, .y = v.y, .n = job->size));
    double seconds = twb_seconds() - start;
    return (struct twb_answer){seconds, vector_sum(v.y, job->size)};
}

// ---- cheap and even iterations ----

static __attribute__((noinline)) void cheap_plain(uint8_t *out, long n)
{
    for (long i = 0; i < n; i++)
        out[i] = twb_cheap(i);
}

static __attribute__((noinline)) void even_plain(uint8_t *out, long n)
{
    for (long i = 0; i < n; i++)
        out[i] = twb_even(i);
}

TW_LOOP(cheap, i, { uint8_t *out; })
{
    self.out[i] = twb_cheap(i);
}

TW_LOOP(even, i, { uint8_t *out; })
{
    self.out[i] = twb_even(i);
}

TW_TASK(start_cheap, {
    uint8_t *out;
    long n;
})
{
    tw_forasync(cheap, tw_range(0, self.n), .out = self.out);
}

TW_TASK(start_even, {
    uint8_t *out;
    long n;
})
{
    tw_forasync(even, tw_range(0, self.n), .out = self.out);
}

static struct twb_answer timed(const struct twb_job *job, void (*loop)(uint8_t *out, long n))
{
    uint8_t *out = twb_loop_bytes(job->size);
    double start = twb_seconds();
    loop(out, job->size);
    double seconds = twb_seconds() - start;
    return (struct twb_answer){seconds, twb_loop_sum(out, job->size)};
}

static struct twb_answer run_cheap_plain(const struct twb_job *job)
{
    return timed(job, cheap_plain);
}

static struct twb_answer run_even_plain(const struct twb_job *job)
{
    return timed(job, even_plain);
}

static void cheap_tasks(uint8_t *out, long n)
{
    twb_require(tw_run(start_cheap, .out = out, .n = n));
}

static void even_tasks(uint8_t *out, long n)
{
    twb_require(tw_run(start_even, .out = out, .n = n));
}

static struct twb_answer run_cheap(const struct twb_job *job)
{
    return timed(job, cheap_tasks);
}

static struct twb_answer run_even(const struct twb_job *job)
{
    return timed(job, even_tasks);
}

// ---- irregular iterations ----

TW_LOOP(irregular, i, { const struct twb_loop *loop; })
{
    twb_loop_iteration(self.loop, i);
}

TW_TASK(start_irregular, { const struct twb_loop *loop; })
{
    tw_forasync(irregular, tw_range(0, self.loop->n), .loop = self.loop);
}

static struct twb_answer run_irregular(const struct twb_job *job)
{
    struct twb_loop loop;
    twb_loop_start(&loop, job->size);
    double start = twb_seconds();
    twb_require(tw_run(start_irregular, .loop = &loop));
    double seconds = twb_seconds() - start;
    return (struct twb_answer){seconds, twb_loop_check(&loop)};
}

const struct twb_case twb_loop_cases[] = {
    {"saxpy_plain", run_saxpy_plain}, {"saxpy_loop", run_saxpy},
    {"cheap_plain", run_cheap_plain}, {"cheap_loop", run_cheap},
    {"even_plain", run_even_plain},   {"even_loop", run_even},
    {"irregular", run_irregular},     {NULL, NULL},
};
