// SPDX-License-Identifier: Apache-2.0
// scatter: Twill's lane of scatter-gather (scatter.h), a process network whose streams have room
// for one number. TWILL_WAKE says where a process goes on that waited.
#include <stdlib.h>

#include "cases.h"
#include "leaves.h"
#include "scatter.h"

// What the central process has. The numbers stand there twice, so that each round's are a part.
struct centre {
    struct twb_scatter scatter;
    struct tw_stream **out, **in;
    uint64_t *numbers, *answers;
    uint64_t sum;
    double seconds;
};

static int go_round(struct centre *centre, long round)
{
    size_t tasks = (size_t)centre->scatter.tasks;
    const uint64_t *numbers = centre->numbers + twb_scatter_first(&centre->scatter, round);
    int error = tw_put_each(centre->out, tasks, numbers);
    return error ? error : tw_get_each(centre->in, tasks, centre->answers);
}

static uint64_t sum_of(const uint64_t *answers, long count)
{
    uint64_t sum = 0;
    for (long i = 0; i < count; i++)
        sum += answers[i];
    return sum;
}

TW_TASK(central, { struct centre *centre; })
{
    struct centre *centre = self.centre;
    int error = go_round(centre, 0);
    double start = twb_seconds();
    for (long round = 1; round <= centre->scatter.rounds && !error; round++) {
        error = go_round(centre, round);
        centre->sum += sum_of(centre->answers, centre->scatter.tasks);
    }
    centre->seconds = twb_seconds() - start;
}

TW_TASK(worker, {
    struct tw_stream *in, *out;
    uint64_t loops;
})
{
    uint64_t number, loops = self.loops;
    int error = 0;
    while (!error && tw_get(self.in, &number) == 0) {
        number = twb_leaf((long)number, loops);
        error = tw_put(self.out, &number);
    }
}

static struct centre make_centre(const struct twb_job *job)
{
    struct twb_scatter scatter = twb_scatter_read(job->parameters, job->size);
    size_t tasks = (size_t)scatter.tasks;
    struct centre centre = {.scatter = scatter,
                            .out = malloc(tasks * sizeof *centre.out),
                            .in = malloc(tasks * sizeof *centre.in),
                            .numbers = malloc(2 * tasks * sizeof *centre.numbers),
                            .answers = malloc(tasks * sizeof *centre.answers)};
    if (!centre.out || !centre.in || !centre.numbers || !centre.answers)
        twb_require(TW_ENOMEM);
    uint64_t number = 0;
    for (size_t i = 0; i < 2 * tasks; i++) {
        centre.numbers[i] = number;
        number = twb_scatter_next(&scatter, number);
    }
    return centre;
}

static void free_centre(struct centre *centre)
{
    free(centre->out);
    free(centre->in);
    free(centre->numbers);
    free(centre->answers);
}

static struct twb_answer run_scatter(const struct twb_job *job)
{
    struct centre centre = make_centre(job);
    struct tw_network *net = tw_network_create("scatter", NULL);
    struct tw_process *middle = tw_process_create(net, "central");
    for (long i = 0; i < centre.scatter.tasks; i++) {
        struct tw_process *process = tw_process_create(net, "worker");
        centre.out[i] = tw_stream_create(net, "out", middle, process, sizeof(uint64_t), 1);
        centre.in[i] = tw_stream_create(net, "back", process, middle, sizeof(uint64_t), 1);
        tw_process_body(process, worker, .in = centre.out[i], .out = centre.in[i],
                        .loops = centre.scatter.loops);
    }
    tw_process_body(middle, central, .centre = &centre);
    twb_require(tw_network_run(net));
    tw_network_destroy(net);
    free_centre(&centre);
    return (struct twb_answer){centre.seconds, centre.sum};
}

const struct twb_case twb_scatter_cases[] = {
    {"scatter", run_scatter},
    {NULL, NULL},
};
