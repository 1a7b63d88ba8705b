// SPDX-License-Identifier: Apache-2.0
// Scatter-gather on threads of the system: a channel is a mutex, a condition and room for one.
#include <stdbool.h>
#include <stdlib.h>

#include "../leaves.h"
#include "../scatter.h"
#include "threads.h"

// One writes and one reads, and it is read before it is written again: nobody waits for room.
struct channel {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t number;
    bool full, closed;
};

static void prepare(struct channel *channel)
{
    pthread_mutex_init(&channel->lock, NULL);
    pthread_cond_init(&channel->changed, NULL);
}

static void dispose(struct channel *channel)
{
    pthread_cond_destroy(&channel->changed);
    pthread_mutex_destroy(&channel->lock);
}

// The reader is woken when it can have the lock.
static void send_number(struct channel *channel, uint64_t number)
{
    pthread_mutex_lock(&channel->lock);
    channel->number = number;
    channel->full = true;
    pthread_mutex_unlock(&channel->lock);
    pthread_cond_signal(&channel->changed);
}

static void close_channel(struct channel *channel)
{
    pthread_mutex_lock(&channel->lock);
    channel->closed = true;
    pthread_mutex_unlock(&channel->lock);
    pthread_cond_signal(&channel->changed);
}

// False: closed.
static bool receive(struct channel *channel, uint64_t *number)
{
    pthread_mutex_lock(&channel->lock);
    while (!channel->full && !channel->closed)
        pthread_cond_wait(&channel->changed, &channel->lock);
    bool full = channel->full;
    *number = channel->number;
    channel->full = false;
    pthread_mutex_unlock(&channel->lock);
    return full;
}

// One of the tasks beside the central one.
struct outpost {
    struct channel out, back;
    uint64_t loops;
    pthread_t thread;
} __attribute__((aligned(64)));

static void *be_outpost(void *argument)
{
    struct outpost *self = argument;
    uint64_t number;
    while (receive(&self->out, &number))
        send_number(&self->back, twb_leaf((long)number, self->loops));
    return NULL;
}

static struct outpost *start_outposts(const struct twb_scatter *scatter)
{
    struct outpost *others =
        aligned_alloc(_Alignof(struct outpost), (size_t)scatter->tasks * sizeof *others);
    if (others == NULL)
        abort();
    for (long i = 0; i < scatter->tasks; i++) {
        others[i] = (struct outpost){.loops = scatter->loops};
        prepare(&others[i].out);
        prepare(&others[i].back);
        others[i].thread = start(be_outpost, &others[i]);
    }
    return others;
}

static void end_outposts(const struct twb_scatter *scatter, struct outpost *others)
{
    for (long i = 0; i < scatter->tasks; i++)
        close_channel(&others[i].out);
    for (long i = 0; i < scatter->tasks; i++) {
        pthread_join(others[i].thread, NULL);
        dispose(&others[i].out);
        dispose(&others[i].back);
    }
    free(others);
}

static uint64_t go_round(const struct twb_scatter *scatter, struct outpost *others, long round)
{
    uint64_t sum = 0, number = twb_scatter_first(scatter, round), reply;
    for (long i = 0; i < scatter->tasks; i++) {
        send_number(&others[i].out, number);
        number = twb_scatter_next(scatter, number);
    }
    for (long i = 0; i < scatter->tasks; i++)
        if (receive(&others[i].back, &reply))
            sum += reply;
    return sum;
}

struct twb_answer run_scatter(const struct twb_job *job)
{
    struct twb_scatter scatter = twb_scatter_read(job->parameters, job->size);
    struct outpost *others = start_outposts(&scatter);
    go_round(&scatter, others, 0);
    uint64_t sum = 0;
    double begun = twb_seconds();
    for (long round = 1; round <= scatter.rounds; round++)
        sum += go_round(&scatter, others, round);
    struct twb_answer answer = {twb_seconds() - begun, sum};
    end_outposts(&scatter, others);
    return answer;
}
