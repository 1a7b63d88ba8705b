// SPDX-License-Identifier: Apache-2.0
// What the split queue of a collection costs. `split_owner:<way>` and `array_owner:<way>` add and
// take <size> tasks of 64 bytes, in seconds: on the queue, and on an array with a count, which
// nobody can steal from. Ways: `deep` adds a thousand and takes them; `shallow` keeps a hundred and
// adds and takes one. `split_steal` takes half of 10,000 tasks that another thread added, <size>
// times, in seconds each; `memcpy_steal` copies as many bytes that another thread wrote.
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "collection/split.h"

enum { DEEP = 1000, SHALLOW = 100, OFFERED = 10000, ORDER = 14, WORDS = 8 };

struct task {
    uint64_t word[WORDS];
};

static inline struct task task_of(uint64_t number)
{
    return (struct task){{number, 1, 2, 3, 4, 5, 6, 7}};
}

// ---- the owner ----

struct array {
    struct task *task;
    size_t count, room;
};

// What they have in common, so that compilers know as much of the one as of the other.
static inline bool array_add(struct array *a, struct task task)
{
    if (a->count == a->room)
        return false;
    a->task[a->count++] = task;
    return true;
}

static inline bool array_take(struct array *a, struct task *task)
{
    if (a->count == 0)
        return false;
    *task = a->task[--a->count];
    return true;
}

static inline bool split_add(struct twi_split *q, struct task task)
{
    struct task *slot = twi_split_next(q);
    if (slot == NULL)
        return false;
    *slot = task;
    twi_split_add(q, 1);
    twi_split_offer(q, 0);
    return true;
}

static inline bool split_take(struct twi_split *q, struct task *task)
{
    const struct task *slot = twi_split_take(q);
    if (slot == NULL)
        return false;
    *task = *slot;
    twi_split_offer(q, 1);
    return true;
}

static inline void opaque(void *memory)
{
    __asm__ __volatile__("" : : "r"(memory) : "memory");
}

// Sums the numbers of `size` tasks that were added and taken, `batch` at a time.
#define TWB_ADD_AND_TAKE(add, take, where, size, batch)                                            \
    (__extension__({                                                                               \
        uint64_t sum = 0;                                                                          \
        struct task task;                                                                          \
        for (long done = 0; done < (size); done += (batch)) {                                      \
            for (long i = 0; i < (batch); i++) {                                                   \
                (void)add((where), task_of((uint64_t)(done + i)));                                 \
                opaque(where);                                                                     \
            }                                                                                      \
            for (long i = 0; i < (batch); i++) {                                                   \
                if (take((where), &task))                                                          \
                    opaque(&task);                                                                 \
                sum += task.word[0];                                                               \
            }                                                                                      \
        }                                                                                          \
        sum;                                                                                       \
    }))

static bool is_deep(const struct twb_job *job)
{
    if (strcmp(job->parameters, "deep") == 0)
        return true;
    if (strcmp(job->parameters, "shallow") == 0)
        return false;
    fprintf(stderr, "serve: not a way to use a queue: '%s'\n", job->parameters);
    exit(2);
}

static struct twb_answer run_split_owner(const struct twb_job *job)
{
    struct twi_split queue;
    bool deep = is_deep(job);
    if (twi_split_open(&queue, sizeof(struct task), ORDER) != 0)
        twb_require(TW_ENOMEM);
    for (int i = 0; !deep && i < SHALLOW; i++)
        (void)split_add(&queue, task_of(0));
    double begun = twb_seconds();
    uint64_t sum = deep ? TWB_ADD_AND_TAKE(split_add, split_take, &queue, job->size, DEEP)
                        : TWB_ADD_AND_TAKE(split_add, split_take, &queue, job->size, 1);
    double seconds = twb_seconds() - begun;
    twi_split_close(&queue);
    return (struct twb_answer){seconds, sum};
}

static struct twb_answer run_array_owner(const struct twb_job *job)
{
    struct array array = {.room = (size_t)1 << ORDER};
    bool deep = is_deep(job);
    array.task = aligned_alloc(64, array.room * sizeof *array.task);
    if (array.task == NULL)
        twb_require(TW_ENOMEM);
    for (int i = 0; !deep && i < SHALLOW; i++)
        (void)array_add(&array, task_of(0));
    double begun = twb_seconds();
    uint64_t sum = deep ? TWB_ADD_AND_TAKE(array_add, array_take, &array, job->size, DEEP)
                        : TWB_ADD_AND_TAKE(array_add, array_take, &array, job->size, 1);
    double seconds = twb_seconds() - begun;
    free(array.task);
    return (struct twb_answer){seconds, sum};
}

// ---- a thief ----

// A round: the owner adds 10,000 tasks, the thief takes half of them or copies as many bytes.
struct scene {
    struct twi_split owner, thief;
    unsigned char *copy;
    long rounds;
    uint32_t turn; // even: the owner's. writers: both
};

static void await_turn(struct scene *scene, uint32_t turn)
{
    for (unsigned i = 0; __atomic_load_n(&scene->turn, __ATOMIC_ACQUIRE) != turn; i++)
        if (i % 1024 == 1023)
            sched_yield();
}

static void end_turn(struct scene *scene)
{
    __atomic_fetch_add(&scene->turn, 1, __ATOMIC_RELEASE);
}

static void *owner_main(void *argument)
{
    struct scene *scene = argument;
    struct task task;
    for (long round = 0; round < scene->rounds; round++) {
        await_turn(scene, 2 * (uint32_t)round);
        while (split_take(&scene->owner, &task))
            opaque(&task);
        for (uint64_t i = 0; i < OFFERED; i++) {
            *(struct task *)twi_split_next(&scene->owner) = task_of(i);
            twi_split_add(&scene->owner, 1);
        }
        twi_split_share(&scene->owner, OFFERED);
        end_turn(scene);
    }
    return NULL;
}

// In two parts where the ring of the owner ends among them.
static uint64_t steal_half(struct scene *scene)
{
    uint32_t count = twi_split_rob(&scene->owner, &scene->thief, OFFERED / 2);
    if (count > 0 && count < OFFERED / 2)
        count += twi_split_rob(&scene->owner, &scene->thief, OFFERED / 2 - count);
    return count;
}

static uint64_t copy_half(struct scene *scene)
{
    size_t size = OFFERED / 2 * sizeof(struct task);
    memcpy(scene->copy, scene->owner.slot, size);
    opaque(scene->copy);
    return OFFERED / 2;
}

static void forget_stolen(struct scene *scene)
{
    struct task task;
    while (split_take(&scene->thief, &task))
        opaque(&task);
}

static struct twb_answer run_thief(const struct twb_job *job, uint64_t (*half)(struct scene *))
{
    struct scene scene = {.rounds = job->size};
    pthread_t owner;
    double seconds = 0;
    uint64_t moved = 0;
    scene.copy = aligned_alloc(64, OFFERED * sizeof(struct task));
    if (scene.copy == NULL || twi_split_open(&scene.owner, sizeof(struct task), ORDER) != 0 ||
        twi_split_open(&scene.thief, sizeof(struct task), ORDER) != 0 ||
        pthread_create(&owner, NULL, owner_main, &scene) != 0)
        twb_require(TW_ENOMEM);
    for (long round = 0; round < scene.rounds; round++) {
        await_turn(&scene, 2 * (uint32_t)round + 1);
        double begun = twb_seconds();
        moved += half(&scene);
        seconds += twb_seconds() - begun;
        forget_stolen(&scene);
        end_turn(&scene);
    }
    pthread_join(owner, NULL);
    twi_split_close(&scene.owner);
    twi_split_close(&scene.thief);
    free(scene.copy);
    return (struct twb_answer){seconds / (double)job->size, moved};
}

static struct twb_answer run_split_steal(const struct twb_job *job)
{
    return run_thief(job, steal_half);
}

static struct twb_answer run_memcpy_steal(const struct twb_job *job)
{
    return run_thief(job, copy_half);
}

const struct twb_case twb_collection_cases[] = {
    {"split_owner", run_split_owner},
    {"array_owner", run_array_owner},
    {"split_steal", run_split_steal},
    {"memcpy_steal", run_memcpy_steal},
    {NULL, NULL},
};
