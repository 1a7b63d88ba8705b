// SPDX-License-Identifier: Apache-2.0
// The network: one process deals rows of blocks out to several lanes, in each of which one
// transforms and another codes; the last takes rows from the lanes in the same order and writes the
// file. A message is a pointer, and with it goes the row.
#include "apps/jpeg/jpeg.h"

#include <twill/twill.h>

#define CAPACITY 2 // rows

TW_TASK(deal, {
    const struct jpeg *job;
    struct tw_stream *const *out;
})
{
    int error = 0;
    for (uint32_t i = 0; i < self.job->rows && !error; i++) {
        struct jpeg_row *row = &self.job->row[i];
        error = tw_put(self.out[i % self.job->lanes], &row);
    }
}

// Transforms or codes.
TW_TASK(work, {
    const struct jpeg *job;
    int (*step)(const struct jpeg *job, struct jpeg_row *row);
    struct tw_stream *in, *out;
})
{
    struct jpeg_row *row;
    int error = 0;
    while (!error && tw_get(self.in, &row) == 0) {
        error = self.step(self.job, row);
        if (error)
            tw_process_fail(self.out, error);
        else
            error = tw_put(self.out, &row);
    }
}

// A get that fails has its own reason, which the network knows.
TW_TASK(merge, {
    struct jpeg *job;
    struct tw_stream *const *in;
})
{
    struct jpeg_row *row;
    int error = jpeg_file_begin(self.job);
    for (uint32_t i = 0; i < self.job->rows && !error; i++) {
        if (tw_get(self.in[i % self.job->lanes], &row) != 0)
            return;
        error = jpeg_file_add(self.job, row);
    }
    if (!error)
        error = jpeg_file_end(self.job);
    if (error)
        tw_process_fail(self.in[0], error);
}

struct lane {
    struct tw_process *transform, *code;
    struct tw_stream *between;
};

// Bodies are set in the order of the flow: in the sequential elision they run at once.
static int run_network(struct jpeg *job)
{
    struct lane lane[JPEG_LANES_MAX];
    struct tw_stream *in[JPEG_LANES_MAX], *out[JPEG_LANES_MAX];
    const size_t size = sizeof(struct jpeg_row *);
    const struct tw_network_options options = {.wake = job->wake};
    struct tw_network *net = tw_network_create("jpeg", &options);
    struct tw_process *first = tw_process_create(net, "deal");
    struct tw_process *last = tw_process_create(net, "merge");
    for (uint32_t i = 0; i < job->lanes; i++) {
        struct lane *l = &lane[i];
        l->transform = tw_process_create(net, "transform");
        l->code = tw_process_create(net, "code");
        in[i] = tw_stream_create(net, "pixels", first, l->transform, size, CAPACITY);
        l->between = tw_stream_create(net, "coefficients", l->transform, l->code, size, CAPACITY);
        out[i] = tw_stream_create(net, "bytes", l->code, last, size, CAPACITY);
    }
    tw_process_body(first, deal, .job = job, .out = in);
    for (uint32_t i = 0; i < job->lanes; i++) {
        tw_process_body(lane[i].transform, work, .job = job, .step = jpeg_row_transform,
                        .in = in[i], .out = lane[i].between);
        tw_process_body(lane[i].code, work, .job = job, .step = jpeg_row_code,
                        .in = lane[i].between, .out = out[i]);
    }
    tw_process_body(last, merge, .job = job, .in = out);
    int error = tw_network_run(net);
    tw_network_destroy(net);
    return error;
}

TW_TASK(run_jpeg, { struct jpeg *job; })
{
    int error = run_network(self.job);
    if (error)
        tw_fail(error);
}

int jpeg_network(const struct tw_options *options, struct jpeg *job)
{
    return tw_run_with(options, run_jpeg, .job = job);
}
