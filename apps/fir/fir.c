// SPDX-License-Identifier: Apache-2.0
// The network: source, a process for each filter, one that deals blocks out, several that
// transform them, and a sink that takes their results in the same order.
#include "apps/fir/fir.h"

#include <stdlib.h>
#include <string.h>

#include <twill/twill.h>

#define CAPACITY 4 // chunks

struct chunk {
    double x[FIR_CHUNK];
};

// As many bytes, half as many numbers.
#define NUMBERS (FIR_CHUNK / 2)

struct numbers {
    struct fft_number x[NUMBERS];
};

TW_TASK(source, {
    struct tw_stream *out;
    uint64_t chunks;
})
{
    struct chunk chunk;
    uint64_t state = 0;
    int error = 0;
    for (uint64_t i = 0; i < self.chunks && !error; i++) {
        fir_signal(&state, chunk.x, FIR_CHUNK);
        error = tw_put(self.out, &chunk);
    }
}

// The last samples of a chunk stand before those of the next.
TW_TASK(filter, {
    struct tw_stream *in, *out;
    const double *tap;
    size_t taps;
})
{
    size_t before = self.taps - 1;
    double *x = calloc(before + FIR_CHUNK, sizeof *x);
    if (!x) {
        tw_process_fail(self.out, TW_ENOMEM);
        return;
    }
    struct chunk chunk;
    int error = 0;
    while (!error && tw_get(self.in, &chunk) == 0) {
        memcpy(x + before, chunk.x, sizeof chunk.x);
        fir_apply(self.tap, self.taps, x + before, chunk.x, FIR_CHUNK);
        memmove(x, x + FIR_CHUNK, before * sizeof *x);
        error = tw_put(self.out, &chunk);
    }
    free(x);
}

TW_TASK(deal, {
    struct tw_stream *in, *const *out;
    size_t lanes, chunks;
})
{
    struct chunk chunk;
    int error = 0;
    for (size_t i = 0; !error && tw_get(self.in, &chunk) == 0; i++)
        error = tw_put(self.out[i / self.chunks % self.lanes], &chunk);
}

static int get_block(struct tw_stream *in, struct fft_number *block, size_t n)
{
    struct chunk chunk;
    int error = 0;
    for (size_t from = 0; from < n && !error; from += FIR_CHUNK) {
        error = tw_get(in, &chunk);
        for (size_t i = 0; i < FIR_CHUNK && !error; i++)
            block[from + i] = (struct fft_number){chunk.x[i], 0};
    }
    return error;
}

static int put_block(struct tw_stream *out, const struct fft_number *block, size_t n)
{
    struct numbers numbers;
    int error = 0;
    for (size_t from = 0; from < n && !error; from += NUMBERS) {
        memcpy(numbers.x, block + from, sizeof numbers);
        error = tw_put(out, &numbers);
    }
    return error;
}

TW_TASK(transform, {
    struct tw_stream *in, *out;
    const struct fft_plan *plan;
})
{
    size_t n = self.plan->n;
    struct fft_number *block = malloc(n * sizeof *block);
    if (!block) {
        tw_process_fail(self.out, TW_ENOMEM);
        return;
    }
    int error = 0;
    while (!error && get_block(self.in, block, n) == 0) {
        fft_sequential(self.plan, block);
        error = put_block(self.out, block, n);
    }
    free(block);
}

TW_TASK(sink, {
    struct fir *job;
    struct tw_stream *const *in;
})
{
    struct numbers numbers;
    int error = 0;
    for (uint32_t block = 0; block < self.job->blocks && !error; block++) {
        struct tw_stream *in = self.in[block % self.job->lanes];
        for (size_t from = 0; from < self.job->plan.n && !error; from += NUMBERS) {
            error = tw_get(in, &numbers);
            if (!error)
                fir_add(self.job, numbers.x, from, NUMBERS);
        }
    }
}

// The processes that transform, each between the one that deals blocks out and the sink.
static void build_lanes(struct tw_network *net, const struct fir *job, struct tw_process *dealer,
                        struct tw_process *last, struct tw_stream **in, struct tw_stream **out,
                        struct tw_process **lane)
{
    for (uint32_t i = 0; i < job->lanes; i++) {
        lane[i] = tw_process_create(net, "transform");
        in[i] = tw_stream_create(net, "blocks", dealer, lane[i], sizeof(struct chunk), CAPACITY);
        out[i] = tw_stream_create(net, "spectra", lane[i], last, sizeof(struct numbers), CAPACITY);
    }
}

// Bodies are set in the order of the flow: in the sequential elision they run at once.
static int run_network(struct fir *job)
{
    struct tw_process *lane[FIR_LANES_MAX], *before, *dealer, *last, *next;
    struct tw_stream *in[FIR_LANES_MAX], *out[FIR_LANES_MAX], *from = NULL, *to;
    const struct tw_network_options options = {.wake = job->wake};
    struct tw_network *net = tw_network_create("fir", &options);
    uint64_t chunks = job->plan.n / FIR_CHUNK;
    before = tw_process_create(net, "source");
    dealer = tw_process_create(net, "deal");
    last = tw_process_create(net, "sink");
    build_lanes(net, job, dealer, last, in, out, lane);
    for (uint32_t i = 0; i <= job->stages; i++) {
        next = i < job->stages ? tw_process_create(net, "filter") : dealer;
        to = tw_stream_create(net, "samples", before, next, sizeof(struct chunk), CAPACITY);
        if (i == 0)
            tw_process_body(before, source, .out = to, .chunks = job->blocks * chunks);
        else
            tw_process_body(before, filter, .in = from, .out = to,
                            .tap = job->tap + (size_t)(i - 1) * job->taps, .taps = job->taps);
        before = next;
        from = to;
    }
    tw_process_body(dealer, deal, .in = from, .out = in, .lanes = job->lanes, .chunks = chunks);
    for (uint32_t i = 0; i < job->lanes; i++)
        tw_process_body(lane[i], transform, .in = in[i], .out = out[i], .plan = &job->plan);
    tw_process_body(last, sink, .job = job, .in = out);
    int error = tw_network_run(net);
    tw_network_destroy(net);
    return error;
}

TW_TASK(run_fir, { struct fir *job; })
{
    int error = run_network(self.job);
    if (error)
        tw_fail(error);
}

int fir_network(const struct tw_options *options, struct fir *job)
{
    return tw_run_with(options, run_fir, .job = job);
}
