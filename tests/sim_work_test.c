// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// Simulated work, each kind run to its end by one stack of tasks.
#include "support.h"

#include <string.h>
#include <unistd.h>

#include "sim/works.h"

struct stack {
    struct sim_spawner spawner;
    size_t task_size;
    unsigned char *bytes;
    size_t used, capacity;
    struct sim_answer answer;
    uint64_t cost_ns;
};

static void push(struct sim_spawner *spawner, const void *task)
{
    struct stack *stack = (struct stack *)spawner;
    if (stack->used == stack->capacity) {
        stack->capacity = stack->capacity ? 2 * stack->capacity : 1024;
        stack->bytes = realloc(stack->bytes, stack->capacity * stack->task_size);
    }
    memcpy(stack->bytes + stack->used++ * stack->task_size, task, stack->task_size);
}

static struct stack run_from(const struct sim_work *work, uint32_t places)
{
    struct stack stack = {.spawner = {.spawn = push}, .task_size = work->task_size};
    uint64_t task[SIM_TASK_MOST / sizeof(uint64_t)];
    assert_true(work->task_size <= sizeof task);
    for (uint32_t place = 0; place < places; place++)
        work->seed(work, place, places, &stack.spawner);
    while (stack.used > 0) {
        memcpy(task, stack.bytes + --stack.used * stack.task_size, stack.task_size);
        uint64_t cost_ns = work->cost(work, task);
        if (cost_ns == 0)
            fail_msg("%s: a task costs nothing", work->name);
        stack.cost_ns += cost_ns;
        work->run(work, task, &stack.spawner, &stack.answer);
    }
    free(stack.bytes);
    return stack;
}

// Runs it and takes it down; `right` is what check() has to say.
static struct stack run(struct sim_work *work, uint32_t places, int right)
{
    assert_non_null(work);
    struct stack stack = run_from(work, places);
    assert_int_equal(work->check(work, &stack.answer), right);
    if (work->total_ns(work) != 0)
        assert_int_equal(work->total_ns(work), stack.cost_ns);
    stack.answer.result++;
    if (right == 1)
        assert_int_equal(work->check(work, &stack.answer), 0);
    stack.answer.result--;
    work->destroy(work);
    return stack;
}

static char message[512];

// ---- uts ----

static void test_sim_work_uts_named(void **state)
{
    const struct uts_named_tree *named = uts_find_named(*state);
    struct sim_uts settings = {.tree = named->name, .node_ns = 10};
    struct sim_work *work = sim_work_uts(&settings, message, sizeof message);
    assert_int_equal(work->total_ns(work), named->known.nodes * 10);
    struct stack stack = run(work, 3, 1);
    assert_int_equal(stack.answer.nodes, named->known.nodes);
    assert_int_equal(stack.answer.result, named->known.leaves);
    assert_int_equal(stack.cost_ns, 10 * named->known.nodes);
}

// Any size of tasks finds the same tree.
static void test_sim_work_uts_chunks(void **state)
{
    (void)state;
    struct sim_uts settings = {
        .parameters = {.type = UTS_GEOMETRIC, .shape = UTS_FIXED, .depth = 6, .b0 = 4, .seed = 19},
        .node_ns = 1,
    };
    struct uts_tree tree;
    struct uts_count known;
    assert_null(uts_tree_init(&tree, &settings.parameters, UTS_SHA_AUTO, 1));
    assert_true(uts_search(&tree, &known));
    uint64_t tasks = UINT64_MAX;
    const uint32_t chunks[] = {1, 2, 8, 0, 1000};
    for (size_t i = 0; i < sizeof chunks / sizeof chunks[0]; i++) {
        settings.chunk = chunks[i];
        struct stack stack = run(sim_work_uts(&settings, message, sizeof message), 1, -1);
        assert_int_equal(stack.answer.nodes, known.nodes);
        assert_int_equal(stack.answer.result, known.leaves);
        assert_true(stack.answer.tasks <= tasks);
        tasks = stack.answer.tasks;
        if (chunks[i] == 1)
            assert_int_equal(tasks, known.nodes);
        if (chunks[i] == 1000) // the root, and one for each node that has children
            assert_int_equal(tasks, 1 + known.nodes - known.leaves);
    }
}

static void test_sim_work_uts_refuses(void **state)
{
    (void)state;
    struct sim_uts settings = {.tree = "T9", .node_ns = 1};
    assert_null(sim_work_uts(&settings, message, sizeof message));
    assert_string_equal(message, "uts T9: no such tree: T1 to T5 are, T1L to T3L, T1XL ...");
    settings.tree = "T1";
    settings.node_ns = 0;
    assert_null(sim_work_uts(&settings, message, sizeof message));
    assert_string_equal(message, "uts T1: a node costs 1 ns to 10 ms");
    settings = (struct sim_uts){.parameters = {.q = 1, .m = 3}, .node_ns = 1};
    assert_null(sim_work_uts(&settings, message, sizeof message));
    assert_string_equal(message,
                        "uts (custom): such a tree has no end: q times m is at most 1.001");
}

// ---- nqueens ----

static void test_sim_work_nqueens_solutions(void **state)
{
    (void)state;
    const uint64_t solutions[] = {92, 352, 724, 2680, 14200};
    for (uint32_t n = 8; n <= 12; n++) {
        struct sim_nqueens settings = {.n = n, .cutoff = SIM_NQUEENS_CUTOFF, .node_ns = 7};
        struct stack stack = run(sim_work_nqueens(&settings, message, sizeof message), 2, 1);
        assert_int_equal(stack.answer.result, solutions[n - 8]);
        assert_int_equal(stack.cost_ns, 7 * stack.answer.nodes);
    }
}

// Where the cutoff is changes the tasks, not what is searched.
static void test_sim_work_nqueens_cutoffs(void **state)
{
    (void)state;
    uint64_t nodes = 0, tasks = 0;
    for (uint32_t cutoff = 0; cutoff <= 9; cutoff++) {
        struct sim_nqueens settings = {.n = 8, .cutoff = cutoff, .node_ns = 1};
        struct stack stack = run(sim_work_nqueens(&settings, message, sizeof message), 1, 1);
        if (cutoff == 0)
            assert_int_equal(stack.answer.tasks, 1);
        if (cutoff == 1)
            assert_int_equal(stack.answer.tasks, 9);
        assert_true(cutoff == 0 || stack.answer.nodes == nodes);
        assert_true(stack.answer.tasks >= tasks);
        nodes = stack.answer.nodes;
        tasks = stack.answer.tasks;
    }
    assert_int_equal(nodes, 2057);
    assert_int_equal(tasks, nodes);
}

static void drop(struct sim_spawner *spawner, const void *task)
{
    (void)spawner, (void)task;
}

// A task that nobody asked for its cost is searched when it runs.
static void test_sim_work_nqueens_without_cost(void **state)
{
    (void)state;
    struct sim_nqueens settings = {.n = 6, .cutoff = 0, .node_ns = 1};
    struct sim_work *work = sim_work_nqueens(&settings, message, sizeof message);
    struct stack stack = {.spawner = {.spawn = push}, .task_size = work->task_size};
    work->seed(work, 0, 1, &stack.spawner);
    struct sim_spawner nobody = {.spawn = drop};
    struct sim_answer answer = {0};
    work->run(work, stack.bytes, &nobody, &answer);
    assert_int_equal(answer.result, 4);
    free(stack.bytes);
    work->destroy(work);
}

static void test_sim_work_nqueens_refuses(void **state)
{
    (void)state;
    struct sim_nqueens settings = {.n = 28, .node_ns = 1};
    assert_null(sim_work_nqueens(&settings, message, sizeof message));
    assert_string_equal(message, "nqueens: a board has 1 to 27 rows");
    settings = (struct sim_nqueens){.n = 8, .node_ns = 10000001};
    assert_null(sim_work_nqueens(&settings, message, sizeof message));
    assert_string_equal(message, "nqueens: a node costs 1 ns to 10 ms");
}

// ---- spread ----

// Tasks 0, 1, 2 and 13 of seed 1 with a mean of 1000 ns: they cost the same everywhere, for ever.
static const uint64_t few_costs[][4] = {
    [SIM_CONSTANT] = {1000, 1000, 1000, 1000}, [SIM_UNIFORM] = {1932, 610, 1605, 133},
    [SIM_EXPONENTIAL] = {34, 1187, 219, 2715}, [SIM_PARETO] = {508, 905, 558, 1943},
    [SIM_BIMODAL] = {500, 500, 500, 5500},
};

static void test_sim_work_spread_numbers(void **state)
{
    (void)state;
    const uint64_t indexes[] = {0, 1, 2, 13};
    for (unsigned d = 0; sim_distribution_names[d]; d++) {
        struct sim_spread settings = {
            .distribution = (enum sim_distribution)d, .mean_ns = 1000, .seed = 1};
        for (unsigned i = 0; i < 4; i++) {
            uint64_t cost = sim_spread_cost(&settings, indexes[i]);
            if (cost != few_costs[d][i])
                fail_msg("%s: cost %u is %llu, not %llu", sim_distribution_names[d], i,
                         (unsigned long long)cost, (unsigned long long)few_costs[d][i]);
        }
    }
}

// In parts of a thousand of the mean, from 100,000 tasks: the average, the median and the spread of
// single costs.
static const struct shape {
    uint64_t average[2], median[2], least, most;
} shapes[] = {
    [SIM_CONSTANT] = {{1000, 1000}, {1000, 1000}, 1000, 1000},
    [SIM_UNIFORM] = {{990, 1010}, {985, 1015}, 0, 2000},
    [SIM_EXPONENTIAL] = {{990, 1010}, {680, 706}, 0, 45000}, // ln 2: 693
    [SIM_PARETO] = {{940, 1060}, {700, 714}, 500, 1000000},  // 1 / sqrt 2: 707
    [SIM_BIMODAL] = {{980, 1020}, {500, 500}, 500, 5500},
};

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static void test_sim_work_spread_shapes(void **state)
{
    (void)state;
    enum { TASKS = 100000, MEAN = 1000000 };
    static uint64_t costs[TASKS];
    for (unsigned d = 0; sim_distribution_names[d]; d++) {
        struct sim_spread settings = {
            .distribution = (enum sim_distribution)d, .mean_ns = MEAN, .seed = 7};
        const struct shape *shape = &shapes[d];
        uint64_t sum = 0;
        for (unsigned i = 0; i < TASKS; i++)
            sum += costs[i] = sim_spread_cost(&settings, i);
        qsort(costs, TASKS, sizeof costs[0], compare);
        uint64_t average = sum / TASKS / (MEAN / 1000), median = costs[TASKS / 2] / (MEAN / 1000);
        print_message("%s: average %llu, median %llu, %llu to %llu\n", sim_distribution_names[d],
                      (unsigned long long)average, (unsigned long long)median,
                      (unsigned long long)costs[0], (unsigned long long)costs[TASKS - 1]);
        assert_in_range(average, shape->average[0], shape->average[1]);
        assert_in_range(median, shape->median[0], shape->median[1]);
        assert_in_range(costs[0], shape->least * (MEAN / 1000), MEAN);
        assert_in_range(costs[TASKS - 1], MEAN, shape->most * (MEAN / 1000));
    }
}

// A mean of 1 ns leaves no task without a cost.
static void test_sim_work_spread_least(void **state)
{
    (void)state;
    for (unsigned d = 0; sim_distribution_names[d]; d++) {
        struct sim_spread settings = {
            .tasks = 1000, .distribution = (enum sim_distribution)d, .mean_ns = 1};
        struct stack stack = run(sim_work_spread(&settings, message, sizeof message), 1, 1);
        assert_in_range(stack.cost_ns, 1000, 4000);
    }
}

static void count_one(struct sim_spawner *spawner, const void *task)
{
    (void)task;
    ((struct stack *)spawner)->used++;
}

static uint64_t tasks_of(const struct sim_work *work, uint32_t place, uint32_t places)
{
    struct stack stack = {.spawner = {.spawn = count_one}};
    work->seed(work, place, places, &stack.spawner);
    return stack.used;
}

static void test_sim_work_spread_placements(void **state)
{
    (void)state;
    const uint32_t places[] = {1, 2, 7, 64, 5000};
    struct sim_spread settings = {
        .tasks = 3000, .distribution = SIM_EXPONENTIAL, .mean_ns = 500, .seed = 3};
    for (unsigned p = 0; sim_placement_names[p]; p++) {
        settings.placement = (enum sim_placement)p;
        for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
            struct stack stack =
                run(sim_work_spread(&settings, message, sizeof message), places[i], 1);
            assert_int_equal(stack.answer.tasks, 3000);
        }
    }
}

static void test_sim_work_spread_shares(void **state)
{
    (void)state;
    const uint64_t shares[][4] = {
        [SIM_ALL_ON_ONE] = {10000, 0, 0, 0},
        [SIM_IN_BLOCKS] = {2500, 2500, 2500, 2500},
        [SIM_SKEWED] = {4000, 3000, 2000, 1000},
        [SIM_AT_RANDOM] = {0},
    };
    struct sim_spread settings = {.tasks = 10000, .mean_ns = 1, .seed = 3};
    for (unsigned p = 0; sim_placement_names[p]; p++) {
        settings.placement = (enum sim_placement)p;
        struct sim_work *work = sim_work_spread(&settings, message, sizeof message);
        for (uint32_t place = 0; place < 4; place++) {
            if (p == SIM_AT_RANDOM)
                assert_in_range(tasks_of(work, place, 4), 2300, 2700);
            else
                assert_int_equal(tasks_of(work, place, 4), shares[p][place]);
        }
        work->destroy(work);
    }
}

static void test_sim_work_spread_unfolds(void **state)
{
    (void)state;
    struct sim_spread settings = {
        .tasks = 5, .distribution = SIM_UNIFORM, .mean_ns = 100, .fanout = 3, .depth = 4};
    struct stack stack = run(sim_work_spread(&settings, message, sizeof message), 2, 1);
    assert_int_equal(stack.answer.tasks, 5 * (1 + 3 + 9 + 27 + 81));
    settings.depth = 0;
    stack = run(sim_work_spread(&settings, message, sizeof message), 2, 1);
    assert_int_equal(stack.answer.tasks, 5);
    settings.depth = 4;
    settings.fanout = 0;
    stack = run(sim_work_spread(&settings, message, sizeof message), 2, 1);
    assert_int_equal(stack.answer.tasks, 5);
}

static void refuse_spread(struct sim_spread settings, const char *complaint)
{
    assert_null(sim_work_spread(&settings, message, sizeof message));
    assert_string_equal(message, complaint);
}

static void test_sim_work_spread_refuses(void **state)
{
    (void)state;
    refuse_spread((struct sim_spread){.tasks = SIM_TASKS_MOST + 1, .mean_ns = 1},
                  "tasks: there are 4294967296 tasks at the start, at most");
    refuse_spread((struct sim_spread){.tasks = 1, .mean_ns = 0},
                  "tasks: tasks cost 1 ns to 1000 s, on average");
    refuse_spread((struct sim_spread){.tasks = 1, .mean_ns = 1, .fanout = 2, .depth = 32},
                  "tasks: fanout and depth make more than 4294967296 tasks");
    refuse_spread((struct sim_spread){.tasks = 20000000, .mean_ns = SIM_COST_MOST_NS},
                  "tasks: all costs together are more than 2^64 ns");
}

// ---- recorded ----

static struct sim_work *recorded(const char *text, enum sim_placement placement)
{
    char path[] = "/tmp/sim_work_XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    struct sim_recorded settings = {.path = path, .placement = placement};
    struct sim_work *work = sim_work_recorded(&settings, message, sizeof message);
    unlink(path);
    return work;
}

static void test_sim_work_recorded_costs(void **state)
{
    (void)state;
    for (unsigned p = 0; sim_placement_names[p]; p++) {
        struct sim_work *work =
            recorded("# costs\n10\n\n  20 # the second\r\n1000000000000", (enum sim_placement)p);
        assert_non_null(work);
        assert_int_equal(work->total_ns(work), UINT64_C(1000000000030));
        struct stack stack = run(work, 5, 1);
        assert_int_equal(stack.answer.tasks, 3);
    }
}

static void refuse_recorded(const char *text, const char *complaint)
{
    assert_null(recorded(text, SIM_IN_BLOCKS));
    const char *behind_path = strchr(message, ':');
    assert_non_null(behind_path);
    assert_string_equal(behind_path, complaint);
}

static void test_sim_work_recorded_refuses(void **state)
{
    (void)state;
    refuse_recorded("1\n\nten\n", ":3: 'ten' is no cost: a whole number of nanoseconds, 1 to "
                                  "1000000000000");
    refuse_recorded("1 2\n", ":1: '1 2' is no cost: a whole number of nanoseconds, 1 to "
                             "1000000000000");
    refuse_recorded("7\n0\n", ":2: '0' is no cost: a whole number of nanoseconds, 1 to "
                              "1000000000000");
    refuse_recorded("1000000000001", ":1: '1000000000001' is no cost: a whole number of "
                                     "nanoseconds, 1 to 1000000000000");
    refuse_recorded("99999999999999999999", ":1: '99999999999999999999' is no cost: a whole number "
                                            "of nanoseconds, 1 to 1000000000000");
    refuse_recorded("# nothing\n\n", ":2: the file ends without a cost");
    struct sim_recorded settings = {.path = "/nowhere/costs"};
    assert_null(sim_work_recorded(&settings, message, sizeof message));
    assert_string_equal(message, "/nowhere/costs: cannot be read: No such file or directory");
}

#define TREE(name) cmocka_unit_test_prestate(test_sim_work_uts_named, (void *)name)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TREE("T1"),
        TREE("T3"),
        cmocka_unit_test(test_sim_work_uts_chunks),
        cmocka_unit_test(test_sim_work_uts_refuses),
        cmocka_unit_test(test_sim_work_nqueens_solutions),
        cmocka_unit_test(test_sim_work_nqueens_cutoffs),
        cmocka_unit_test(test_sim_work_nqueens_without_cost),
        cmocka_unit_test(test_sim_work_nqueens_refuses),
        cmocka_unit_test(test_sim_work_spread_numbers),
        cmocka_unit_test(test_sim_work_spread_shapes),
        cmocka_unit_test(test_sim_work_spread_least),
        cmocka_unit_test(test_sim_work_spread_placements),
        cmocka_unit_test(test_sim_work_spread_shares),
        cmocka_unit_test(test_sim_work_spread_unfolds),
        cmocka_unit_test(test_sim_work_spread_refuses),
        cmocka_unit_test(test_sim_work_recorded_costs),
        cmocka_unit_test(test_sim_work_recorded_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
