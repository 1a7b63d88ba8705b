// SPDX-License-Identifier: Apache-2.0
// Traces: the rings, the file, and that both tell what the statistics tell.
#include "support.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "patience.h"
#include "trace/trace.h"
#include "trace_file.h"

static char path[64], second_path[72];

static int path_choose(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/twill-trace-%d.json", (int)getpid());
    snprintf(second_path, sizeof second_path, "%s.2", path);
    return 0;
}

static int path_remove(void **state)
{
    (void)state;
    unlink(path);
    unlink(second_path);
    return 0;
}

// ---- rings ----

static void test_ring_keeps_the_newest_and_counts_the_lost(void **state)
{
    (void)state;
    struct twi_ring ring;
    struct tw_fiber fiber = {0};
    assert_int_equal(twi_ring_init(&ring, 20), 0);
    assert_int_equal(ring.mask, 31);
    for (unsigned i = 0; i < 100; i++) {
        fiber.index = i;
        assert_int_equal(twi_ring_lost(&ring), i > 32 ? i - 32 : 0);
        twi_ring_add(&ring, TWI_EVENT_STEAL, &fiber, NULL, i);
    }
    assert_int_equal(twi_ring_lost(&ring), 68);
    for (uint64_t i = 68; i < 100; i++) {
        assert_int_equal(twi_ring_at(&ring, i)->fiber, i);
        assert_int_equal(twi_ring_at(&ring, i)->victim, i);
        if (i > 68)
            assert_true(twi_ring_at(&ring, i)->ticks >= twi_ring_at(&ring, i - 1)->ticks);
    }
    twi_ring_free(&ring);
}

static void test_ring_is_not_needed(void **state)
{
    (void)state;
    twi_trace(NULL, TWI_EVENT_WAKE, NULL, NULL);
    twi_trace_taken(NULL, TWI_EVENT_STEAL, NULL, 0);
}

// ---- the writer ----

static void add(struct twi_trace *trace, enum twi_trace_event event, uint32_t fiber,
                const char *task)
{
    struct tw_fiber f = {.index = fiber};
    twi_ring_add(twi_trace_ring(trace, 0), event, &f, task, 0);
}

static struct trace_file written(struct twi_trace *trace)
{
    struct trace_file file;
    assert_int_equal(twi_trace_end(trace), 0);
    twi_trace_free(trace);
    assert_true(trace_read(&file, path));
    assert_true(json_valid(file.text));
    return file;
}

static void test_trace_escapes_names(void **state)
{
    (void)state;
    struct twi_trace trace = {0};
    assert_int_equal(twi_trace_begin(&trace, path, 16, 1), 0);
    add(&trace, TWI_EVENT_START, 0, "\"quoted\"");
    add(&trace, TWI_EVENT_STOP, 0, NULL);
    add(&trace, TWI_EVENT_START, 0, "back\\slash\n\x01");
    add(&trace, TWI_EVENT_STOP, 0, NULL);
    struct trace_file file = written(&trace);
    assert_non_null(strstr(file.text, "\"name\":\"\\\"quoted\\\"\""));
    assert_non_null(strstr(file.text, "\"name\":\"back\\\\slash\\u000a\\u0001\""));
    trace_forget(&file);
}

static void test_trace_leaves_out_what_has_no_beginning(void **state)
{
    (void)state;
    struct twi_trace trace = {0};
    assert_int_equal(twi_trace_begin(&trace, path, 16, 1), 0);
    add(&trace, TWI_EVENT_START, 7, "lost");
    for (int i = 0; i < 12; i++)
        add(&trace, TWI_EVENT_WAKE, 7, NULL);
    add(&trace, TWI_EVENT_PARK, 7, NULL);
    add(&trace, TWI_EVENT_AWAKE, 8, NULL);
    add(&trace, TWI_EVENT_START, 8, "kept");
    add(&trace, TWI_EVENT_STOP, 8, NULL);
    add(&trace, TWI_EVENT_WAKE, 8, NULL);
    struct trace_file file = written(&trace);
    size_t slices = 0, lost = 0;
    for (size_t i = 0; i < file.count; i++) {
        slices += file.events[i].phase == 'X';
        lost += file.events[i].lost;
    }
    assert_int_equal(slices, 1);
    assert_int_equal(lost, 2);
    assert_non_null(strstr(file.text, "\"name\":\"kept\""));
    trace_forget(&file);
}

// ---- a run with everything in it ----

TW_TASK(note, { long *count; })
{
    __atomic_fetch_add(self.count, 1, __ATOMIC_RELAXED);
}

// Returns late, so that who joins it must wait.
TW_FUNCTION(int, slow, { int *begun; })
{
    uint64_t until = twi_now_ns() + 1000000;
    __atomic_store_n(self.begun, 1, __ATOMIC_RELEASE);
    while (twi_now_ns() < until)
        sched_yield();
    return 1;
}

TW_TASK(wait_for_slow, { long *count; })
{
    int begun = 0;
    uint64_t until = patience_until();
    tw_forked(slow) handle = tw_fork(slow, .begun = &begun);
    while (tw_workers() > 1 && !__atomic_load_n(&begun, __ATOMIC_ACQUIRE))
        patience_yield(until, "a thief", 0, 1);
    __atomic_fetch_add(self.count, tw_join(slow, handle), __ATOMIC_RELAXED);
}

// More than there are slots, then waits, one at a time: a thief must be free for each.
TW_TASK(everything, {
    int notes;
    int waits;
    long *count;
})
{
    tw_finish {
        for (int i = 0; i < self.notes; i++)
            tw_async(note, .count = self.count);
    }
    for (int i = 0; i < self.waits; i++)
        tw_call(wait_for_slow, .count = self.count);
}

enum { NOTES = 5000, WAITS = 10 };

struct traced_run {
    struct tw_worker_stats worker[8];
    struct tw_stats stats;
    struct trace_file file;
};

static void run_everything(struct traced_run *run, size_t events, unsigned workers)
{
    long count = 0;
    struct tw_options options;
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    *run = (struct traced_run){.stats = {.room = 8, .worker = run->worker}};
    options.trace = path;
    options.trace_events = events;
    options.stats = &run->stats;
    options.stack_size = 64 << 10;
    options.spin_ns = 20000;
    if (workers)
        options.workers = workers;
    assert_int_equal(
        tw_run_with(&options, everything, .notes = NOTES, .waits = WAITS, .count = &count), 0);
    assert_int_equal(count, NOTES + WAITS);
    assert_int_equal(run->stats.trace_error, 0);
    assert_true(trace_read(&run->file, path));
    assert_true(json_valid(run->file.text));
}

static void check_count(const struct trace_file *file, const char *name, unsigned worker,
                        uint64_t expected)
{
    uint64_t count = 0;
    for (size_t i = 0; i < file->count; i++) {
        const struct trace_event *e = &file->events[i];
        count += e->worker == worker && !e->is_task && (e->phase == 'i' || e->phase == 'X') &&
                 strcmp(e->name, name) == 0;
    }
    if (count != expected)
        fail_msg("worker %u: %lu times %s in the trace, %lu in the statistics", worker,
                 (unsigned long)count, name, (unsigned long)expected);
}

static void check_slices(const struct trace_file *file, unsigned worker,
                         const struct tw_worker_stats *stats, uint64_t parks[2])
{
    uint64_t starts = 0;
    for (size_t i = 0; i < file->count; i++) {
        const struct trace_event *e = &file->events[i];
        if (e->worker != worker || !e->is_task)
            continue;
        starts += (uint64_t)e->starts;
        parks[0] += !e->stops;
        parks[1] += !e->starts;
    }
    assert_int_equal(starts, stats->pieces);
}

static void check_against_statistics(const struct traced_run *run)
{
    uint64_t parks[2] = {0, 0};
    assert_int_equal(run->stats.sum.trace_lost, 0);
    for (unsigned i = 0; i < run->stats.workers; i++) {
        const struct tw_worker_stats *stats = &run->worker[i];
        check_count(&run->file, "steal", i, stats->steals);
        check_count(&run->file, "nudge", i, stats->nudges);
        check_count(&run->file, "wake", i, stats->wakes);
        check_count(&run->file, "sleep", i, stats->sleeps);
        check_count(&run->file, "share", i, stats->shares);
        check_count(&run->file, "overflow", i, stats->overflows);
        check_slices(&run->file, i, stats, parks);
    }
    assert_int_equal(parks[0], run->stats.sum.parks + run->stats.sum.overflows);
    assert_int_equal(parks[0], parks[1]);
}

// In the order of the file, which is that of the ring: ends never go back, and slices of a worker
// do not overlap.
static void check_time(const struct trace_file *file, unsigned worker)
{
    uint64_t last = 0, slice_end = 0;
    for (size_t i = 0; i < file->count; i++) {
        const struct trace_event *e = &file->events[i];
        if (e->worker != worker || (e->phase != 'i' && e->phase != 'X'))
            continue;
        assert_true(e->end_ns >= last);
        last = e->end_ns;
        if (e->phase != 'X')
            continue;
        assert_true(e->begin_ns >= slice_end);
        slice_end = e->end_ns;
    }
}

static int by_fiber_and_time(const void *left, const void *right)
{
    const struct trace_event *a = left, *b = right;
    if (a->fiber != b->fiber)
        return a->fiber < b->fiber ? -1 : 1;
    if (a->begin_ns != b->begin_ns)
        return a->begin_ns < b->begin_ns ? -1 : 1;
    return a->end_ns < b->end_ns ? -1 : a->end_ns > b->end_ns;
}

// Each fiber: start, park, go on, park, go on, ..., stop; on whichever worker.
static void check_fibers(const struct trace_file *file)
{
    struct trace_event *slices = calloc(file->count, sizeof *slices);
    size_t count = 0;
    for (size_t i = 0; i < file->count; i++)
        if (file->events[i].is_task)
            slices[count++] = file->events[i];
    qsort(slices, count, sizeof *slices, by_fiber_and_time);
    for (size_t i = 0; i < count; i++) {
        int continues = i > 0 && slices[i - 1].fiber == slices[i].fiber && !slices[i - 1].stops;
        assert_int_equal(slices[i].starts, !continues);
        if (continues)
            assert_string_equal(slices[i].name, slices[i - 1].name);
        if (i + 1 == count || slices[i + 1].fiber != slices[i].fiber)
            assert_true(slices[i].stops);
    }
    free(slices);
}

// Whether tasks had to wait, where there are workers enough for that.
static int check_everything(unsigned workers)
{
    struct traced_run run;
    run_everything(&run, 65536, workers);
    check_against_statistics(&run);
    for (unsigned i = 0; i < run.stats.workers; i++)
        check_time(&run.file, i);
    check_fibers(&run.file);
    if (run.stats.workers > 1)
        assert_true(run.stats.sum.steals + run.stats.sum.nudges > 0);
    else
        assert_true(run.stats.sum.overflows > 0);
    trace_forget(&run.file);
    return run.stats.workers == 1 || run.stats.sum.parks > 0;
}

static void test_trace_tells_what_the_statistics_tell(void **state)
{
    (void)state;
    uint64_t until = patience_until();
    while (!check_everything(0))
        patience_yield(until, "a task that waits", 0, 1);
}

static void test_trace_of_more_workers_than_processors(void **state)
{
    (void)state;
    for (int i = test_scaled(5); i > 0; i--)
        (void)check_everything(8);
}

static void test_trace_of_a_small_ring_says_what_is_lost(void **state)
{
    (void)state;
    struct traced_run run;
    run_everything(&run, 16, 0);
    uint64_t lost = 0;
    for (size_t i = 0; i < run.file.count; i++)
        lost += run.file.events[i].lost;
    assert_int_equal(lost, run.stats.sum.trace_lost);
    for (unsigned i = 0; i < run.stats.workers; i++) {
        uint64_t traced = run.worker[i].traced;
        assert_int_equal(run.worker[i].trace_lost, traced > 16 ? traced - 16 : 0);
        check_time(&run.file, i);
    }
    assert_true(lost > 0);
    trace_forget(&run.file);
}

// ---- files ----

static struct tw_options traced_to(const char *file)
{
    struct tw_options options;
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    options.trace = file;
    return options;
}

static void test_trace_that_cannot_be_written_runs_nothing(void **state)
{
    (void)state;
    long count = 0;
    struct tw_options options = traced_to("/no/such/folder/trace.json");
    assert_int_equal(tw_run_with(&options, note, .count = &count), TW_EIO);
    options.trace = "/tmp";
    assert_int_equal(tw_run_with(&options, note, .count = &count), TW_EIO);
    assert_int_equal(count, 0);
}

static void test_trace_on_a_full_disk_is_told(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    long count = 0;
    struct tw_stats stats = {.room = 0};
    struct tw_options options = traced_to("/dev/full");
    options.stats = &stats;
    assert_int_equal(tw_run_with(&options, note, .count = &count), 0);
    assert_int_equal(count, 1);
    assert_int_equal(stats.trace_error, TW_EIO);
}

static void test_trace_of_the_next_run_takes_the_place(void **state)
{
    (void)state;
    struct traced_run run;
    run_everything(&run, 65536, 0);
    trace_forget(&run.file);
    long count = 0;
    struct tw_options options = traced_to(path);
    assert_int_equal(tw_run_with(&options, note, .count = &count), 0);
    struct trace_file file;
    assert_true(trace_read(&file, path));
    assert_true(json_valid(file.text));
    assert_null(strstr(file.text, "everything"));
    assert_non_null(strstr(file.text, "\"name\":\"note\""));
    assert_int_not_equal(access(second_path, F_OK), 0);
    trace_forget(&file);
}

// Two pools are known to run at once when each has seen the other.
TW_TASK(meet, { int *present; })
{
    uint64_t until = patience_until();
    __atomic_fetch_add(self.present, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(self.present, __ATOMIC_ACQUIRE) < 2)
        patience_yield(until, "the other pool", 1, 2);
}

static void *run_meet(void *present)
{
    struct tw_options options;
    int error = tw_options_init(&options, NULL, 0);
    options.trace = path;
    if (!error)
        error = tw_run_with(&options, meet, .present = present);
    return (void *)(intptr_t)error;
}

static void test_trace_of_pools_at_once_have_a_file_each(void **state)
{
    (void)state;
    int present = 0;
    pthread_t other;
    void *failed;
    assert_int_equal(pthread_create(&other, NULL, run_meet, &present), 0);
    assert_null(run_meet(&present));
    pthread_join(other, &failed);
    assert_null(failed);
    const char *const paths[] = {path, second_path};
    for (int i = 0; i < 2; i++) {
        struct trace_file file;
        assert_true(trace_read(&file, paths[i]));
        assert_true(json_valid(file.text));
        assert_non_null(strstr(file.text, "\"name\":\"meet\""));
        trace_forget(&file);
    }
}

// ---- counters ----

TW_TASK(cancel_all, { long *count; })
{
    struct tw_outcome outcome;
    tw_attempt(&outcome)
    {
        tw_cancel();
        for (int i = 0; i < 10; i++)
            tw_async(note, .count = self.count);
    }
}

static void test_stats_count_what_is_dropped(void **state)
{
    (void)state;
    long count = 0;
    struct tw_stats stats = {.room = 0};
    struct tw_options options = traced_to(NULL);
    options.stats = &stats;
    assert_int_equal(tw_run_with(&options, cancel_all, .count = &count), 0);
    assert_int_equal(count, 0);
    assert_int_equal(stats.sum.dropped, 10);
    assert_int_equal(stats.sum.traced, 0);
}

#define FILES(f) cmocka_unit_test_setup_teardown(f, path_choose, path_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ring_keeps_the_newest_and_counts_the_lost),
        cmocka_unit_test(test_ring_is_not_needed),
        FILES(test_trace_escapes_names),
        FILES(test_trace_leaves_out_what_has_no_beginning),
        FILES(test_trace_tells_what_the_statistics_tell),
        FILES(test_trace_of_more_workers_than_processors),
        FILES(test_trace_of_a_small_ring_says_what_is_lost),
        cmocka_unit_test(test_trace_that_cannot_be_written_runs_nothing),
        cmocka_unit_test(test_trace_on_a_full_disk_is_told),
        FILES(test_trace_of_the_next_run_takes_the_place),
        FILES(test_trace_of_pools_at_once_have_a_file_each),
        cmocka_unit_test(test_stats_count_what_is_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
