// SPDX-License-Identifier: Apache-2.0
// The pipeline: a source of odd numbers, stages of filters, and who collects the primes: those that
// each stage kept, stage by stage, and then what leaves the last one. When it has enough it
// returns; nobody reads any more, and so the stages end one after the other, up to the source.
#include "apps/sieve/sieve.h"

#include <stdlib.h>

#include <twill/twill.h>

#define BATCH 63
#define CAPACITY 8 // batches

// Numbers travel together: a message each would cost more than to filter them.
struct batch {
    uint32_t count;
    uint32_t value[BATCH];
};

// Division by an odd number without a remainder is a product with its inverse modulo 2^32: it
// leaves one of the smallest numbers, and any other dividend a larger one.
struct filter {
    uint32_t inverse, quotient_max;
};

static struct filter filter_by(uint32_t prime)
{
    uint32_t inverse = prime; // right in the last three bits; each step doubles how many are
    for (int i = 0; i < 4; i++)
        inverse *= 2 - prime * inverse;
    return (struct filter){.inverse = inverse, .quotient_max = UINT32_MAX / prime};
}

static bool passes(const struct filter *filter, uint32_t count, uint32_t value)
{
    for (uint32_t i = 0; i < count; i++)
        if (value * filter[i].inverse <= filter[i].quotient_max)
            return false;
    return true;
}

static int batch_send(struct batch *batch, struct tw_stream *out)
{
    int error = batch->count ? tw_put(out, batch) : 0;
    batch->count = 0;
    return error;
}

static int batch_add(struct batch *batch, uint32_t value, struct tw_stream *out)
{
    batch->value[batch->count++] = value;
    return batch->count == BATCH ? batch_send(batch, out) : 0;
}

TW_TASK(source, {
    struct tw_stream *out;
    uint32_t limit;
})
{
    struct batch batch = {0};
    int error = 0;
    for (uint32_t i = 3; i <= self.limit && !error; i += 2)
        error = batch_add(&batch, i, self.out);
    if (!error)
        (void)batch_send(&batch, self.out);
}

struct stage {
    struct tw_stream *out, *found;
    uint32_t count, room;
    struct filter filter[SIEVE_STAGE_MAX];
};

static int keep_prime(struct stage *stage, uint32_t prime)
{
    stage->filter[stage->count++] = filter_by(prime);
    int error = tw_put(stage->found, &prime);
    if (stage->count == stage->room)
        tw_stream_end(stage->found);
    return error;
}

static int filter_batch(struct stage *stage, const struct batch *in, struct batch *out)
{
    int error = 0;
    for (uint32_t i = 0; i < in->count && !error; i++) {
        if (!passes(stage->filter, stage->count, in->value[i]))
            continue;
        error = stage->count < stage->room ? keep_prime(stage, in->value[i])
                                           : batch_add(out, in->value[i], stage->out);
    }
    return error;
}

TW_TASK(filters, {
    struct tw_stream *in, *out, *found;
    uint32_t room;
})
{
    struct stage stage = {.out = self.out, .found = self.found, .room = self.room};
    struct batch in, out = {0};
    int error = 0;
    while (!error && tw_get(self.in, &in) == 0)
        error = filter_batch(&stage, &in, &out);
    if (!error)
        (void)batch_send(&out, self.out);
}

TW_TASK(collect, {
    struct sieve *job;
    struct tw_stream *const *found;
    struct tw_stream *in;
})
{
    struct sieve *job = self.job;
    uint32_t have = 0, prime;
    job->prime[have++] = 2;
    for (uint32_t i = 0; i < job->stages; i++)
        while (have < job->count && tw_get(self.found[i], &prime) == 0)
            job->prime[have++] = prime;
    struct batch batch;
    while (have < job->count && tw_get(self.in, &batch) == 0)
        for (uint32_t i = 0; i < batch.count && have < job->count; i++)
            job->prime[have++] = batch.value[i];
}

// Bodies are set in the order of the flow: in the sequential elision they run at once.
static int run_network(struct sieve *job, struct tw_stream **found)
{
    const struct tw_network_options options = {.wake = job->wake};
    struct tw_network *net = tw_network_create("sieve", &options);
    struct tw_process *before = tw_process_create(net, "numbers"), *process;
    struct tw_process *last = tw_process_create(net, "primes");
    struct tw_stream *in = NULL, *out;
    for (uint32_t i = 0; i <= job->stages; i++) {
        process = i < job->stages ? tw_process_create(net, "filters") : last;
        out = tw_stream_create(net, "numbers", before, process, sizeof(struct batch), CAPACITY);
        if (i == 0)
            tw_process_body(before, source, .out = out, .limit = sieve_limit(job->count));
        else
            tw_process_body(before, filters, .in = in, .out = out, .found = found[i - 1],
                            .room = job->filters);
        if (i < job->stages)
            found[i] =
                tw_stream_create(net, "found", process, last, sizeof(uint32_t), job->filters);
        before = process;
        in = out;
    }
    tw_process_body(last, collect, .job = job, .found = found, .in = in);
    int error = tw_network_run(net);
    tw_network_destroy(net);
    return error;
}

TW_TASK(run_sieve, { struct sieve *job; })
{
    struct sieve *job = self.job;
    uint32_t needed = sieve_filters_needed(sieve_limit(job->count));
    job->stages = (needed + job->filters - 1) / job->filters;
    struct tw_stream **found = calloc(job->stages + 1, sizeof *found);
    int error = found ? run_network(job, found) : TW_ENOMEM;
    free(found);
    if (error)
        tw_fail(error);
}

int sieve_network(const struct tw_options *options, struct sieve *job)
{
    return tw_run_with(options, run_sieve, .job = job);
}
