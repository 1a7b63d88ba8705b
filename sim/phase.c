// SPDX-License-Identifier: Apache-2.0
// See phase.h. No task is created, so a queue is always a stretch of the lists at the start: its
// owner takes from one end, a steal parts it.
#include "sim/phase.h"

#include <stdlib.h>

#include "base/rng.h"
#include "fabric/sim_queue.h"
#include "sim/draw.h"

enum { ALONE = 4 }; // attempts that are simulated one by one, unless the options say otherwise
enum kind { TASK_ENDS, ATTEMPT, TASKS_COME, SUCCESS };

struct core {
    uint32_t tail, split, head; // shared tasks, then those of the owner; in start->task[]
    uint32_t running;           // a task
    uint32_t tries;             // attempts of this search
    uint32_t victim, waiting;   // places in the sets below, plus 1; 0: not in it
    uint64_t since_ns;          // it has been waiting
};

struct set {
    uint32_t *core;
    uint32_t count;
};

struct run {
    const struct sim_phase_options *options;
    struct sim_phase *phase;
    struct core *cores;
    struct set victims, waiting; // who shares something; who attempts to steal, counted by time
    uint32_t version;            // of the next success that was drawn last
    bool is_stale;               // the sets have changed since
    uint32_t alone, done;
    bool is_out_of_memory;
    struct twi_rng rng;
    struct twi_sim_queue queue;
};

static void put(struct run *run, uint64_t at_ns, enum kind kind, uint32_t core, uint32_t what)
{
    if (twi_sim_queue_put(&run->queue, at_ns, (uint32_t)kind, core, what) != 0)
        run->is_out_of_memory = true;
}

// ---- sets ----

static void enter(struct set *set, uint32_t *place, uint32_t core)
{
    set->core[set->count++] = core;
    *place = set->count;
}

// Returns who stands in its place now.
static uint32_t leave(struct set *set, uint32_t *place)
{
    uint32_t last = set->core[--set->count];
    set->core[*place - 1] = last;
    *place = 0;
    return last;
}

static void note_victim(struct run *run, uint32_t number)
{
    struct core *core = &run->cores[number];
    bool is_victim = core->split > core->tail;
    uint32_t place = core->victim;
    if (is_victim == (place != 0))
        return;
    if (is_victim) {
        enter(&run->victims, &core->victim, number);
    } else {
        uint32_t moved = leave(&run->victims, &core->victim);
        if (moved != number)
            run->cores[moved].victim = place;
    }
    run->is_stale = true;
}

static void stop_waiting(struct run *run, uint32_t number)
{
    struct core *core = &run->cores[number];
    uint32_t place = core->waiting;
    uint32_t moved = leave(&run->waiting, &core->waiting);
    if (moved != number)
        run->cores[moved].waiting = place;
    uint64_t attempts = (run->queue.now_ns - core->since_ns) / run->options->attempt_ns;
    run->phase->of[number].attempts += attempts ? (uint32_t)attempts : 1;
    run->is_stale = true;
}

// Each of the waiting attempts once in attempt_ns and meets one of the others.
static void draw_success(struct run *run)
{
    uint64_t chances = (uint64_t)run->waiting.count * run->victims.count;
    run->is_stale = false;
    run->version++;
    if (chances == 0)
        return;
    unsigned __int128 time_ns =
        (unsigned __int128)run->options->attempt_ns * (run->phase->cores - 1);
    uint64_t mean_ns = (uint64_t)(time_ns / chances);
    uint64_t later = sim_draw_exponential(mean_ns, twi_rng_next(&run->rng));
    put(run, run->queue.now_ns + later, SUCCESS, 0, run->version);
}

// ---- queues ----

// The owner's next task. False: its queue is empty.
static bool take_task(struct run *run, uint32_t number)
{
    struct core *core = &run->cores[number];
    uint64_t now = run->queue.now_ns;
    if (core->head == core->split) { // take back half of what is shared, one at least
        uint32_t shared = core->split - core->tail;
        if (shared == 0)
            return false;
        core->split -= shared > 1 ? shared / 2 : 1;
    }
    core->running = run->options->start->task[--core->head];
    if (core->split == core->tail)
        core->split += (core->head - core->split + 1) / 2;
    note_victim(run, number);
    uint64_t end = now + run->options->cost_ns[core->running] + run->options->task_ns;
    sim_usage_add(&run->phase->usage, now, end);
    put(run, end, TASK_ENDS, number, 0);
    return true;
}

static void steal(struct run *run, uint32_t number, uint32_t from)
{
    struct core *thief = &run->cores[number], *victim = &run->cores[from];
    uint32_t count = (victim->split - victim->tail + 1) / 2;
    thief->tail = thief->split = victim->tail;
    thief->head = victim->tail += count;
    note_victim(run, from);
    run->phase->of[number].steals++;
    put(run, run->queue.now_ns + run->options->attempt_ns / 2 + count * run->options->give_ns,
        TASKS_COME, number, 0);
}

static void work_or_search(struct run *run, uint32_t number)
{
    if (take_task(run, number))
        return;
    run->cores[number].tries = 0;
    if (run->options->is_stealing && run->phase->cores > 1)
        put(run, run->queue.now_ns + run->options->attempt_ns / 2, ATTEMPT, number, 0);
}

// ---- events ----

static void on_end(struct run *run, uint32_t number)
{
    struct sim_phase *phase = run->phase;
    uint32_t task = run->cores[number].running;
    phase->core[run->done] = number;
    phase->task[run->done++] = task;
    phase->of[number].tasks++;
    phase->of[number].load_ns += run->options->cost_ns[task];
    work_or_search(run, number);
}

static void on_attempt(struct run *run, uint32_t number)
{
    struct core *core = &run->cores[number];
    uint32_t from = twi_rng_below(&run->rng, run->phase->cores - 1);
    from += from >= number;
    run->phase->of[number].attempts++;
    if (run->cores[from].victim) {
        steal(run, number, from);
    } else if (++core->tries < run->alone) {
        put(run, run->queue.now_ns + run->options->attempt_ns, ATTEMPT, number, 0);
    } else {
        enter(&run->waiting, &core->waiting, number);
        core->since_ns = run->queue.now_ns;
        run->is_stale = true;
    }
}

static void on_success(struct run *run, uint32_t version)
{
    if (version != run->version)
        return;
    uint32_t number = run->waiting.core[twi_rng_below(&run->rng, run->waiting.count)];
    uint32_t from = run->victims.core[twi_rng_below(&run->rng, run->victims.count)];
    stop_waiting(run, number);
    steal(run, number, from);
}

static void handle(struct run *run, const struct twi_sim_event *event)
{
    switch ((enum kind)event->kind) {
    case TASK_ENDS:
        on_end(run, event->place);
        break;
    case ATTEMPT:
        on_attempt(run, event->place);
        break;
    case TASKS_COME:
        work_or_search(run, event->place);
        break;
    case SUCCESS:
        on_success(run, event->what);
        break;
    }
    if (run->is_stale)
        draw_success(run);
}

// ---- the run ----

static void begin(struct run *run)
{
    const struct sim_lists *start = run->options->start;
    for (uint32_t i = 0; i < start->cores; i++) {
        struct core *core = &run->cores[i];
        core->tail = core->split = start->first[i];
        core->head = start->first[i + 1];
        if (core->head - core->tail > 1) // as it was when the second task was put in
            core->split++;
    }
    for (uint32_t i = 0; i < start->cores; i++)
        work_or_search(run, i);
    draw_success(run);
}

static void go(struct run *run)
{
    struct twi_sim_event event;
    begin(run);
    while (run->done < run->phase->tasks && !run->is_out_of_memory &&
           twi_sim_queue_take(&run->queue, &event)) {
        run->phase->events++;
        handle(run, &event);
    }
    run->phase->last_task_ns = run->queue.now_ns;
    run->phase->makespan_ns = run->queue.now_ns + run->options->end_ns;
    run->queue.now_ns = run->phase->makespan_ns;
    while (run->waiting.count > 0)
        stop_waiting(run, run->waiting.core[run->waiting.count - 1]);
}

static bool alloc(struct run *run, const struct sim_lists *start)
{
    struct sim_phase *phase = run->phase;
    size_t tasks = (size_t)start->tasks + 1, cores = start->cores;
    phase->core = malloc(tasks * sizeof *phase->core);
    phase->task = malloc(tasks * sizeof *phase->task);
    phase->of = calloc(cores, sizeof *phase->of);
    run->cores = calloc(cores, sizeof *run->cores);
    run->victims.core = malloc(cores * sizeof *run->victims.core);
    run->waiting.core = malloc(cores * sizeof *run->waiting.core);
    return phase->core && phase->task && phase->of && run->cores && run->victims.core &&
           run->waiting.core;
}

int sim_phase_run(struct sim_phase *phase, const struct sim_phase_options *options)
{
    struct run *run = calloc(1, sizeof *run);
    *phase = (struct sim_phase){.tasks = options->start->tasks, .cores = options->start->cores};
    if (!run)
        return -1;
    run->options = options;
    run->phase = phase;
    run->alone = options->alone ? options->alone : ALONE;
    run->rng.counter = options->seed;
    sim_usage_start(&phase->usage);
    twi_sim_queue_init(&run->queue);
    bool is_done = alloc(run, options->start);
    if (is_done) {
        go(run);
        is_done = run->done == phase->tasks && !run->is_out_of_memory;
    }
    twi_sim_queue_destroy(&run->queue);
    free(run->cores);
    free(run->victims.core);
    free(run->waiting.core);
    free(run);
    if (!is_done)
        sim_phase_free(phase);
    return is_done ? 0 : -1;
}

void sim_phase_free(struct sim_phase *phase)
{
    free(phase->core);
    free(phase->task);
    free(phase->of);
    phase->core = phase->task = NULL;
    phase->of = NULL;
}
