// SPDX-License-Identifier: Apache-2.0
// Small networks by script: each process has a list of steps. What goes through a link counts up
// from 0, and who gets it checks that.
#ifndef TEST_NETWORK_SCENE_H
#define TEST_NETWORK_SCENE_H

#include "support.h"

#include <string.h>

enum { SCENE_LINKS = 8, SCENE_TEXT = 8192 };

struct link {
    struct tw_stream *stream;
    long put, got;
};

struct step {
    enum { DONE, PUT, GET, END, ABANDON, SLEEP, FAIL, CANCEL } what;
    struct link *link;
    long count; // of items, milliseconds, or the error
};

struct scene {
    void (*build)(struct scene *scene, struct tw_network *network);
    struct tw_network_options options;
    struct link links[SCENE_LINKS];
    struct step steps[64]; // of all processes
    size_t used;
    long wrong; // items that came out of turn
    int failed; // the last error of a put or get
    int error;  // of the network
    char trouble[SCENE_TEXT];
    struct tw_network_stats stats;
};

static inline int scene_step(struct scene *scene, const struct step *step)
{
    struct link *link = step->link;
    int error = 0;
    for (long i = 0; (step->what == PUT || step->what == GET) && i < step->count && !error; i++) {
        long item = step->what == PUT ? link->put : 0;
        error = step->what == PUT ? tw_put(link->stream, &item) : tw_get(link->stream, &item);
        if (!error && step->what == PUT)
            link->put++;
        else if (!error && item != link->got++)
            __atomic_fetch_add(&scene->wrong, 1, __ATOMIC_RELAXED);
    }
    if (step->what == END)
        tw_stream_end(link->stream);
    else if (step->what == ABANDON)
        tw_stream_abandon(link->stream);
    else if (step->what == SLEEP)
        error = tw_sleep((uint64_t)step->count * 1000000);
    else if (step->what == FAIL)
        tw_process_fail(link->stream, (int)step->count);
    else if (step->what == CANCEL)
        tw_cancel();
    return error;
}

TW_TASK(scene_process, {
    struct scene *scene;
    const struct step *steps;
})
{
    int error = 0;
    for (const struct step *step = self.steps; step->what != DONE && !error; step++)
        error = scene_step(self.scene, step);
    if (error)
        __atomic_store_n(&self.scene->failed, error, __ATOMIC_RELAXED);
}

static inline void scene_script(struct scene *scene, struct tw_process *process,
                                const struct step *steps)
{
    const struct step *first = &scene->steps[scene->used];
    do
        scene->steps[scene->used++] = *steps;
    while (steps++->what != DONE);
    tw_process_body(process, scene_process, .scene = scene, .steps = first);
}

// SCRIPT(scene, process, {PUT, link, 3}, {GET, other, 1})
#define SCRIPT(scene, process, ...)                                                                \
    scene_script((scene), (process), (const struct step[]){__VA_ARGS__, {DONE, NULL, 0}})

static inline struct link *scene_link(struct scene *scene, struct tw_network *network, int number,
                                      const char *name, struct tw_process *from,
                                      struct tw_process *to, size_t capacity)
{
    struct link *link = &scene->links[number];
    link->stream = tw_stream_create(network, name, from, to, sizeof(long), capacity);
    return link;
}

static inline void scene_run(struct scene *scene)
{
    struct tw_network *network = tw_network_create("net", &scene->options);
    scene->build(scene, network);
    scene->error = tw_network_run(network);
    snprintf(scene->trouble, sizeof scene->trouble, "%s", tw_network_trouble(network));
    tw_network_count(network, &scene->stats);
    tw_network_destroy(network);
}

TW_TASK(scene_act, { struct scene *scene; })
{
    scene_run(self.scene);
}

static inline void scene_play(struct scene *scene)
{
    assert_int_equal(tw_run(scene_act, .scene = scene), 0);
    assert_int_equal(scene->wrong, 0);
}

#endif
