// SPDX-License-Identifier: Apache-2.0
// The network of scatter and gather, the plain loop and the oracle.
#include "apps/scatter_gather/scatter_gather.h"

#include <stdlib.h>

#include <twill/twill.h>

#include "apps/app.h"
#include "apps/busy.h"

#define KINDS 8 // of work

// What the central process has: a stream to each of the others, one back, and the messages.
struct centre {
    struct scatter_gather *job;
    struct tw_stream **out, **in;
    uint64_t *message;
};

static inline uint64_t answer_to(uint64_t message, uint64_t work_rounds)
{
    return message + busy_work(message % KINDS, work_rounds) + 1;
}

static uint64_t sum_of(const uint64_t *message, uint32_t n)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += message[i];
    return sum;
}

static int go_round(const struct centre *centre)
{
    uint32_t n = centre->job->n;
    int error = tw_put_each(centre->out, n, centre->message);
    return error ? error : tw_get_each(centre->in, n, centre->message);
}

// A greeting goes round first: then all processes have been started, and the time begins.
TW_TASK(central, { const struct centre *centre; })
{
    struct scatter_gather *job = self.centre->job;
    uint64_t sum = 0;
    int error = go_round(self.centre);
    uint64_t start = app_now_ns();
    for (uint64_t round = 0; round < job->rounds && !error; round++) {
        error = go_round(self.centre);
        sum += sum_of(self.centre->message, job->n);
    }
    job->ns = app_now_ns() - start;
    job->sum = sum;
}

TW_TASK(worker, {
    struct tw_stream *in, *out;
    uint64_t work_rounds;
})
{
    uint64_t message, work_rounds = self.work_rounds;
    int error = tw_get(self.in, &message);
    if (!error)
        error = tw_put(self.out, &message);
    while (!error && tw_get(self.in, &message) == 0) {
        message = answer_to(message, work_rounds);
        error = tw_put(self.out, &message);
    }
}

static bool centre_make(struct centre *centre, struct scatter_gather *job)
{
    *centre = (struct centre){.job = job,
                              .out = calloc(job->n, sizeof *centre->out),
                              .in = calloc(job->n, sizeof *centre->in),
                              .message = calloc(job->n, sizeof *centre->message)};
    for (uint32_t i = 0; centre->message && i < job->n; i++)
        centre->message[i] = i;
    return centre->out && centre->in && centre->message;
}

static void centre_free(struct centre *centre)
{
    free(centre->out);
    free(centre->in);
    free(centre->message);
}

static int run_network(struct centre *centre)
{
    struct scatter_gather *job = centre->job;
    const struct tw_network_options options = {.wake = job->wake};
    struct tw_network *net = tw_network_create("scatter-gather", &options);
    struct tw_process *middle = tw_process_create(net, "central");
    for (uint32_t i = 0; i < job->n; i++) {
        struct tw_process *process = tw_process_create(net, "worker");
        centre->out[i] = tw_stream_create(net, "work", middle, process, sizeof(uint64_t), 1);
        centre->in[i] = tw_stream_create(net, "answers", process, middle, sizeof(uint64_t), 1);
        tw_process_body(process, worker, .in = centre->out[i], .out = centre->in[i],
                        .work_rounds = job->work_rounds);
    }
    tw_process_body(middle, central, .centre = centre);
    int error = tw_network_run(net);
    tw_network_destroy(net);
    return error;
}

int scatter_gather_network(struct scatter_gather *job)
{
    struct centre centre;
    int error = TW_ENOMEM;
    job->workers = tw_workers();
    if (centre_make(&centre, job))
        error = run_network(&centre);
    centre_free(&centre);
    return error;
}

TW_TASK(run_job, { struct scatter_gather *job; })
{
    int error = scatter_gather_network(self.job);
    if (error)
        tw_fail(error);
}

int scatter_gather_run(const struct tw_options *options, struct scatter_gather *job)
{
    return tw_run_with(options, run_job, .job = job);
}

void scatter_gather_sequential(struct scatter_gather *job)
{
    uint64_t sum = 0, start = app_now_ns();
    for (uint32_t i = 0; i < job->n; i++) {
        uint64_t message = i;
        for (uint64_t round = 0; round < job->rounds; round++) {
            message = answer_to(message, job->work_rounds);
            sum += message;
        }
    }
    job->sum = sum;
    job->ns = app_now_ns() - start;
    job->workers = 1;
}

uint64_t scatter_gather_oracle(const struct scatter_gather *job)
{
    uint64_t step[KINDS], sum = 0;
    for (uint64_t kind = 0; kind < KINDS; kind++)
        step[kind] = answer_to(kind, job->work_rounds) - kind;
    for (uint32_t i = 0; i < job->n; i++) {
        uint64_t message = i;
        for (uint64_t round = 0; round < job->rounds; round++) {
            message += step[message % KINDS];
            sum += message;
        }
    }
    return sum;
}
