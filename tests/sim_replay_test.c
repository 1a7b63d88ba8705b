// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// Recordings and their replay: what is the same, what differs and where, what is damaged. Those of
// real runs are in tests/mpi/places_record_test.sh.
#include "support.h"

#include <string.h>
#include <unistd.h>

#include "sim/replay.h"
#include "steal/host_record.h"
#include "steal/policies.h"

enum { EVENTS = 40, PATH_SIZE = 64 };

static char path[PATH_SIZE];

// What is recorded falsely: the event of this number, from 1; 0: none.
struct lie {
    uint64_t event;
    enum { ACTION_CHANGED, ACTION_LOST, ACTION_ADDED } kind;
};

static void tell_lie(struct twi_actions *actions, const struct lie *lie)
{
    if (lie->kind == ACTION_CHANGED)
        actions->list[0].count++;
    else if (lie->kind == ACTION_LOST)
        actions->count--;
    else
        twi_act(actions, (struct twi_action){.kind = TWI_DO_TIMER, .word = 77});
}

// What comes after these actions: a refusal, or the end of a pause.
static struct twi_event next_event(const struct twi_actions *actions)
{
    struct twi_event event = {.kind = TWI_ON_HUNGRY, .peer = TWI_NO_PLACE, .idle = 1};
    if (actions->count && actions->list[0].kind == TWI_DO_TIMER)
        event.kind = TWI_ON_TIMER;
    if (actions->count && actions->list[0].kind == TWI_DO_SEND) {
        event.kind = TWI_ON_MESSAGE;
        event.peer = actions->list[0].peer;
        event.message = TWI_REFUSED;
    }
    return event;
}

// A hungry place that everybody refuses.
static void record(const struct lie *lie)
{
    struct twi_host_parts parts = {.policy = &twi_policy_random,
                                   .detector = twi_detectors[0],
                                   .rules = {.place = 2,
                                             .places = 5,
                                             .workers = 1,
                                             .batch = 4,
                                             .hungry = 1,
                                             .backoff_ns = 1000,
                                             .backoff_most_ns = 8000,
                                             .seed = 9}};
    struct twi_recording *recording = twi_recording_create(path, &parts);
    void *state = calloc(1, parts.policy->size(&parts.rules));
    struct twi_event event = {.kind = TWI_ON_START, .peer = TWI_NO_PLACE};
    assert_non_null(recording);
    assert_non_null(state);
    parts.policy->start(state, &parts.rules);
    for (uint64_t i = 1; i <= EVENTS; i++) {
        struct twi_actions actions = {.count = 0};
        event.now_ns = 1000 * i;
        parts.policy->step(state, &event, &actions);
        struct twi_event next = next_event(&actions);
        if (lie->event == i)
            tell_lie(&actions, lie);
        twi_recording_step(recording, parts.policy, &event, &actions);
        event = next;
    }
    assert_int_equal(twi_recording_close(recording), 0);
    free(state);
}

static enum sim_replay_end replayed(struct sim_replay *replay)
{
    enum sim_replay_end end = sim_replay(path, replay);
    unlink(path);
    return end;
}

static void test_replay_of_the_same_agrees(void **state)
{
    (void)state;
    struct sim_replay replay;
    record(&(struct lie){0});
    assert_int_equal(replayed(&replay), SIM_REPLAY_SAME);
    assert_int_equal(replay.events, EVENTS);
    assert_true(replay.actions >= EVENTS - 1);
    assert_int_equal(replay.place, 2);
    assert_int_equal(replay.places, 5);
    assert_string_equal(replay.policy, "random");
}

static void test_replay_finds_the_first_difference(void **state)
{
    (void)state;
    static const struct {
        struct lie lie;
        const char *words;
    } lies[] = {
        {{17, ACTION_CHANGED}, "differs at event 17 "},
        {{2, ACTION_LOST}, "it did 'nothing more', now it does 'send "},
        {{EVENTS, ACTION_ADDED}, "it did 'timer 0 0 0 77', now it does 'nothing more'"},
    };
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        struct sim_replay replay;
        record(&lies[i].lie);
        assert_int_equal(replayed(&replay), SIM_REPLAY_DIFFERS);
        if (!strstr(replay.message, lies[i].words))
            fail_msg("'%s' instead of '%s'", replay.message, lies[i].words);
        assert_int_equal(replay.events, lies[i].lie.event);
    }
}

// ---- damage ----

static size_t read_all(char *bytes, size_t room)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t size = fread(bytes, 1, room, file);
    assert_true(size > 0 && size < room);
    fclose(file);
    return size;
}

static void write_all(const char *bytes, size_t size)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void test_replay_refuses_every_changed_byte(void **state)
{
    (void)state;
    static char bytes[1 << 16];
    struct sim_replay replay;
    record(&(struct lie){0});
    size_t size = read_all(bytes, sizeof bytes);
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 1;
        write_all(bytes, size);
        assert_int_equal(replayed(&replay), SIM_REPLAY_UNREADABLE);
        assert_true(strlen(replay.message) > 0);
        bytes[i] ^= 1;
    }
}

static void test_replay_refuses_every_truncated_file(void **state)
{
    (void)state;
    static char bytes[1 << 16];
    struct sim_replay replay;
    record(&(struct lie){0});
    size_t size = read_all(bytes, sizeof bytes);
    for (size_t cut = 0; cut < size; cut++) {
        write_all(bytes, cut);
        assert_int_equal(replayed(&replay), SIM_REPLAY_UNREADABLE);
    }
    write_all(bytes, size / 2);
    assert_int_equal(replayed(&replay), SIM_REPLAY_UNREADABLE);
    assert_non_null(strstr(replay.message, "is not complete"));
}

static void test_replay_needs_a_file(void **state)
{
    (void)state;
    struct sim_replay replay;
    assert_int_equal(replayed(&replay), SIM_REPLAY_UNREADABLE);
    assert_non_null(strstr(replay.message, "cannot be read"));
    assert_null(twi_recording_create("/none/recording", &(struct twi_host_parts){0}));
    assert_int_equal(twi_recording_close(NULL), 0);
}

int main(void)
{
    snprintf(path, sizeof path, "/tmp/sim_replay_test.%d", (int)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replay_of_the_same_agrees),
        cmocka_unit_test(test_replay_finds_the_first_difference),
        cmocka_unit_test(test_replay_refuses_every_changed_byte),
        cmocka_unit_test(test_replay_refuses_every_truncated_file),
        cmocka_unit_test(test_replay_needs_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
