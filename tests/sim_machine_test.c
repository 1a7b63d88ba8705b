// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// Machine files: those that are built in, what is written and read again, and all complaints.
#include "support.h"

#include <string.h>

#include "sim/machine.h"

static const char small[] = "name small\n"
                            "places 4\n"
                            "workers 2\n"
                            "latency 0.7us\n"
                            "overhead 350ns\n"
                            "gap 0.2us\n"
                            "gap-per-byte 0.1ns/B\n"
                            "read 1.5us\n";

static void check_same(const struct twi_sim_machine *machine, const char *source, const char *text)
{
    struct twi_sim_machine again;
    char message[512] = "";
    memset(&again, 0xff, sizeof again);
    if (sim_machine_parse(source, text, &again, message, sizeof message) != 0)
        fail_msg("%s", message);
    assert_memory_equal(&again, machine, sizeof again);
}

// Prints it, and reads that.
static void check_print(const struct twi_sim_machine *machine)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    sim_machine_print(file, machine);
    fclose(file);
    check_same(machine, "printed", text);
    free(text);
}

static void test_sim_machine_builtin(void **state)
{
    (void)state;
    struct twi_sim_machine machine;
    char message[512] = "";
    unsigned count = 0;
    for (const char *const *name = sim_machine_names(); *name; name++, count++) {
        if (sim_machine_read(*name, &machine, message, sizeof message) != 0)
            fail_msg("%s", message);
        assert_string_equal(machine.name, *name);
        check_print(&machine);
    }
    assert_int_equal(count, 5);
}

static void test_sim_machine_edison(void **state)
{
    (void)state;
    struct twi_sim_machine machine;
    char message[512];
    assert_int_equal(sim_machine_read("edison", &machine, message, sizeof message), 0);
    assert_int_equal(machine.places, 512);
    assert_int_equal(machine.workers, 23);
    assert_int_equal(machine.dedicated, 1);
    assert_int_equal(machine.latency_ns, 700);
    assert_int_equal(machine.overhead_ns, 350);
    assert_int_equal(machine.gap_ns, 200);
    assert_int_equal(machine.gap_ps_per_byte, 100);
    assert_int_equal(machine.read_ns, 1500);
    assert_int_equal(machine.node_ns, 296);
    assert_int_equal(machine.topology, TWI_TOPOLOGY_DRAGONFLY);
    assert_int_equal(machine.shape[0], 4);
    assert_int_equal(machine.shape[1], 96);
}

static void test_sim_machine_defaults(void **state)
{
    (void)state;
    struct twi_sim_machine machine, expected = {
                                        .name = "small",
                                        .places = 4,
                                        .workers = 2,
                                        .dedicated = 1,
                                        .latency_ns = 700,
                                        .overhead_ns = 350,
                                        .gap_ns = 200,
                                        .gap_ps_per_byte = 100,
                                        .read_ns = 1500,
                                        .poll_ns = 2000,
                                        .wake_ns = 1000,
                                        .task_ns = 100,
                                        .node_ns = 300,
                                        .topology = TWI_TOPOLOGY_FLAT,
                                    };
    char message[512];
    assert_int_equal(sim_machine_parse("small", small, &machine, message, sizeof message), 0);
    assert_string_equal(machine.name, expected.name);
    assert_memory_equal(&machine, &expected, sizeof machine);
}

static void test_sim_machine_topologies(void **state)
{
    (void)state;
    const char *const lines[] = {"topology flat", "topology torus", "topology torus 4 3 2",
                                 "topology dragonfly", "topology dragonfly 2 16"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct twi_sim_machine machine;
        char text[1024], message[512] = "";
        snprintf(text, sizeof text, "  %s # as it may be\r\n\n#\n%scommunication\tshared", lines[i],
                 small);
        if (sim_machine_parse("text", text, &machine, message, sizeof message) != 0)
            fail_msg("%s", message);
        assert_int_equal(machine.dedicated, 0);
        check_print(&machine);
    }
}

// What calibration writes beside the others.
static void test_sim_machine_shared_cores(void **state)
{
    (void)state;
    struct twi_sim_machine machine;
    char text[1024], message[512] = "";
    snprintf(text, sizeof text,
             "%scores 2\nnotice 30us\nnotice-busy 1.5ms\nstart 2ms\nstart-place 0.1ms\n", small);
    if (sim_machine_parse("text", text, &machine, message, sizeof message) != 0)
        fail_msg("%s", message);
    assert_int_equal(machine.cores, 2);
    assert_int_equal(machine.notice_ns, 30000);
    assert_int_equal(machine.notice_busy_ns, 1500000);
    assert_int_equal(machine.start_ns, 2000000);
    assert_int_equal(machine.start_place_ns, 100000);
    check_print(&machine);
}

// `line` stands in line 9, after those of `small`.
static const struct wrong {
    const char *line, *complaint;
} wrongs[] = {
    {"latncy 1us",
     "x:9: there is no key 'latncy': the keys are name, places, workers, "
     "communication, topology, latency, hop, overhead, gap, gap-per-byte, read, poll, "
     "notice, notice-busy, wake, task, node, cores, start, start-place"},
    {"cores 5000", "x:9: 'cores': '5000' is no whole number from 0 to 4096"},
    {"notice 2s", "x:9: 'notice 2s' is out of range: 0ns to 1s"},
    {"start 3", "x:9: 'start 3' has no unit that is known: give ns, us, ms or s"},
    {"gap 1us", "x:9: 'gap' is given twice, first in line 6"},
    {"poll", "x:9: 'poll' has no value"},
    {"poll 1 us", "x:9: 'poll' has one value, but 'us' follows"},
    {"poll 10", "x:9: 'poll 10' has no unit that is known: give ns, us, ms or s"},
    {"poll 10ps/B", "x:9: 'poll 10ps/B' has no unit that is known: give ns, us, ms or s"},
    {"poll us", "x:9: 'poll us' is no number that is known: give one as 350ns or 0.35us"},
    {"poll .5us", "x:9: 'poll .5us' is no number that is known: give one as 350ns or 0.35us"},
    {"poll 5.us", "x:9: 'poll 5.us' is no number that is known: give one as 350ns or 0.35us"},
    {"poll -5us", "x:9: 'poll -5us' is no number that is known: give one as 350ns or 0.35us"},
    {"poll 1.2.3us", "x:9: 'poll 1.2.3us' has no unit that is known: give ns, us, ms or s"},
    {"poll 12345678901ns",
     "x:9: 'poll 12345678901ns' is no number that is known: give one as 350ns or 0.35us"},
    {"poll 0.0005us", "x:9: 'poll 0.0005us' is no whole number of nanoseconds"},
    {"poll 0us", "x:9: 'poll 0us' is out of range: 1ns to 1s"},
    {"poll 1.1s", "x:9: 'poll 1.1s' is out of range: 1ns to 1s"},
    {"node 11ms", "x:9: 'node 11ms' is out of range: 1ns to 10ms"},
    {"communication both", "x:9: 'communication': 'both' is neither dedicated nor shared"},
    {"topology ring", "x:9: 'topology': 'ring' is none of flat, torus and dragonfly"},
    {"topology flat 3", "x:9: 'topology flat' has 0 sizes"},
    {"topology torus 3 3", "x:9: 'topology torus' has 3 sizes, or none"},
    {"topology torus 3 3 3 3 3 3", "x:9: 'topology torus' has 3 sizes, or none"},
    {"topology dragonfly 0 1", "x:9: 'topology': '0' is no whole number from 1 to 10000"},
    {"topology torus 3 1 1 # too small\nwake 1us",
     "x:9: a torus of 3 by 1 by 1 has no room for 4 places"},
};

static void check_wrong(const char *text, const char *complaint)
{
    struct twi_sim_machine machine;
    char message[512] = "";
    if (sim_machine_parse("x", text, &machine, message, sizeof message) == 0)
        fail_msg("taken, instead of: %s", complaint);
    assert_string_equal(message, complaint);
}

static void test_sim_machine_complaints(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s\n", small, wrongs[i].line);
        check_wrong(text, wrongs[i].complaint);
    }
    check_wrong("name A\n", "x:1: 'name': 'A' is no name: give up to 31 small letters, digits, "
                            "- and _");
    check_wrong("places 0\n", "x:1: 'places': '0' is no whole number from 1 to 1000000");
    check_wrong("\nworkers two\n", "x:2: 'workers': 'two' is no whole number from 1 to 4096");
    check_wrong("gap-per-byte 1us\n",
                "x:1: 'gap-per-byte 1us' has no unit that is known: give ps/B or ns/B");
    check_wrong("", "x:0: the file ends without 'name'");
    char text[1024];
    snprintf(text, sizeof text, "# more\n%.*s", (int)(strstr(small, "read") - small), small);
    check_wrong(text, "x:8: the file ends without 'read'");
    snprintf(text, sizeof text, "name a\n%0300d\n", 1);
    check_wrong(text, "x:2: a line is at most 255 bytes long");
}

static void test_sim_machine_small_buffer(void **state)
{
    (void)state;
    struct twi_sim_machine machine;
    char message[9] = "";
    assert_int_equal(sim_machine_parse("machine", "x 1", &machine, message, sizeof message), -1);
    assert_string_equal(message, "machine:");
    assert_int_equal(sim_machine_read("moon", &machine, message, sizeof message), -1);
    assert_string_equal(message, "there is");
}

static void test_sim_machine_files(void **state)
{
    (void)state;
    char path[] = "/tmp/sim_machine_XXXXXX.machine", message[512];
    struct twi_sim_machine machine;
    FILE *file = fdopen(mkstemps(path, 8), "w");
    assert_non_null(file);
    fputs(small, file);
    fclose(file);
    assert_int_equal(sim_machine_read(path, &machine, message, sizeof message), 0);
    check_same(&machine, "small", small);
    assert_non_null(file = fopen(path, "a"));
    fputs("hop 1\n", file);
    fclose(file);
    assert_int_equal(sim_machine_read(path, &machine, message, sizeof message), -1);
    char expected[512];
    snprintf(expected, sizeof expected,
             "%s:9: 'hop 1' has no unit that is known: give ns, us, ms or s", path);
    assert_string_equal(message, expected);
    remove(path);
    assert_int_equal(sim_machine_read(path, &machine, message, sizeof message), -1);
    snprintf(expected, sizeof expected, "%s: cannot be read: No such file or directory", path);
    assert_string_equal(message, expected);
    assert_int_equal(sim_machine_read("/", &machine, message, sizeof message), -1);
    assert_string_equal(message, "/: cannot be read: Is a directory");
    assert_int_equal(sim_machine_read("moon", &machine, message, sizeof message), -1);
    assert_string_equal(message,
                        "there is no machine 'moon': give edison, hopper, intrepid, local, "
                        "titan, or a file as ./my.machine");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sim_machine_builtin),
        cmocka_unit_test(test_sim_machine_edison),
        cmocka_unit_test(test_sim_machine_defaults),
        cmocka_unit_test(test_sim_machine_topologies),
        cmocka_unit_test(test_sim_machine_shared_cores),
        cmocka_unit_test(test_sim_machine_complaints),
        cmocka_unit_test(test_sim_machine_small_buffer),
        cmocka_unit_test(test_sim_machine_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
