// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// The balancers over thousands of random layouts: no task is lost or doubled, no core gets more
// than the algorithm promises, and the pieces that places run give what the whole gives.
#include "support.h"

#include <inttypes.h>

#include "balance/branch.h"
#include "balance/central.h"
#include "balance/donate.h"
#include "balance_scene.h"

enum { SEEDS = 3000 };

// ---- promises ----

struct outcome {
    uint64_t sum_ns, before_ns, after_ns; // of the busiest core
    uint64_t longest_ns;                  // of the tasks that moved
};

// Carries the moves out, each of which must name a task that is there, once.
static struct outcome carry_out(const struct balance_scene *scene, const struct twi_plan *plan)
{
    const struct twi_layout *layout = &scene->layout;
    uint64_t *load_ns = calloc(layout->cores, sizeof *load_ns);
    unsigned char *moved = calloc((size_t)scene->tasks + 1, 1);
    struct outcome outcome = {0};
    for (uint32_t core = 0; core < layout->cores; core++) {
        load_ns[core] = scene_load(scene, core);
        outcome.sum_ns += load_ns[core];
        outcome.before_ns = load_ns[core] > outcome.before_ns ? load_ns[core] : outcome.before_ns;
    }
    assert_true(plan->count <= plan->donated && plan->donated <= scene->tasks);
    for (uint32_t i = 0; i < plan->count; i++) {
        struct twi_move move = plan->moves[i];
        assert_true(move.donor < layout->cores && move.receiver < layout->cores);
        assert_int_not_equal(move.donor, move.receiver);
        uint32_t task = layout->first[move.donor] + move.index;
        assert_true(task < layout->first[move.donor + 1]);
        assert_int_equal(moved[task]++, 0);
        uint64_t duration_ns = twi_bin_ns(twi_bin_of(scene->duration_ns[task]));
        load_ns[move.donor] -= duration_ns;
        load_ns[move.receiver] += duration_ns;
        outcome.longest_ns = duration_ns > outcome.longest_ns ? duration_ns : outcome.longest_ns;
    }
    for (uint32_t core = 0; core < layout->cores; core++)
        outcome.after_ns = load_ns[core] > outcome.after_ns ? load_ns[core] : outcome.after_ns;
    free(load_ns);
    free(moved);
    return outcome;
}

// The longest task that a core gives away, be it that it comes back.
static uint64_t longest_donated(const struct balance_scene *scene, uint64_t limit_ns)
{
    const struct twi_layout *layout = &scene->layout;
    struct twi_database *database = malloc(twi_database_size(scene->tasks));
    struct twi_pick *picks = malloc(((size_t)scene->tasks + 1) * sizeof *picks);
    uint64_t longest = 0, kept;
    twi_database_make(database, scene->tasks);
    for (uint32_t core = 0; core < layout->cores; core++) {
        uint32_t count = twi_layout_donate(layout, core, limit_ns, database, picks, &kept);
        assert_true(kept <= limit_ns || count == 0);
        if (count && twi_bin_ns(picks[0].bin) > longest)
            longest = twi_bin_ns(picks[0].bin);
    }
    free(database);
    free(picks);
    return longest;
}

// A core that gets a task has at most the average then. In the tree it has less than D times that,
// or at most the average of its node's cores. That is above the average at the node above by at
// most a task over the node's cores, which at least double from level to level where a node has
// several children: all come to two tasks.
static void check(const struct balance_scene *scene, const struct twi_balancer *balancer,
                  const struct twi_balance_rules *rules, uint64_t seed)
{
    struct twi_plan plan = scene_plan(scene, balancer, rules, 0x5a);
    struct outcome outcome = carry_out(scene, &plan);
    int is_tree = balancer == &twi_persist_tree;
    uint64_t fill =
        twi_share_of(outcome.sum_ns, scene->layout.cores, is_tree ? rules->fill : 1000000);
    uint64_t limit = twi_share_of(outcome.sum_ns, scene->layout.cores, rules->keep);
    uint64_t longest = longest_donated(scene, limit);
    uint64_t promise = fill + (is_tree ? 2 : 1) * longest;
    promise = promise > limit ? promise : limit;
    if (outcome.after_ns > promise)
        fail_msg("%s, seed %" PRIu64 ": %" PRIu64 " ns, before it %" PRIu64 ", promised %" PRIu64,
                 balancer->name, seed, outcome.after_ns, outcome.before_ns, promise);
    if (outcome.before_ns <= limit)
        assert_int_equal(plan.donated, 0);
    free(plan.moves);
}

static void test_plan_conserves_tasks_and_keeps_its_promise(void **state)
{
    int seeds = test_scaled(SEEDS);
    (void)state;
    for (uint64_t seed = 0; seed < (uint64_t)seeds; seed++) {
        struct balance_scene scene = scene_random(seed);
        struct twi_balance_rules rules = scene_rules(seed);
        for (size_t i = 0; twi_balancers[i]; i++)
            check(&scene, twi_balancers[i], &rules, seed);
        scene_free(&scene);
    }
}

static void test_plan_is_the_same_each_time(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct balance_scene scene = scene_random(seed);
        struct twi_balance_rules rules = scene_rules(seed);
        for (size_t i = 0; twi_balancers[i]; i++) {
            struct twi_plan a = scene_plan(&scene, twi_balancers[i], &rules, 0);
            struct twi_plan b = scene_plan(&scene, twi_balancers[i], &rules, 0xff);
            assert_int_equal(a.count, b.count);
            assert_memory_equal(a.moves, b.moves, a.count * sizeof *a.moves);
            free(a.moves);
            free(b.moves);
        }
        scene_free(&scene);
    }
}

// ---- special cases ----

static uint32_t moves_of(struct balance_scene *scene, const struct twi_balancer *balancer)
{
    struct twi_balance_rules rules = TWI_BALANCE_RULES;
    struct twi_plan plan = scene_plan(scene, balancer, &rules, 1);
    carry_out(scene, &plan);
    check(scene, balancer, &rules, 0);
    free(plan.moves);
    return plan.count;
}

static void test_plan_has_nothing_to_do(void **state)
{
    (void)state;
    for (size_t i = 0; twi_balancers[i]; i++) {
        struct balance_scene none = scene_make(10, 10, 0, 0, 1);
        struct balance_scene one = scene_make(1, 1, 100, 4, 1);
        struct balance_scene empty = scene_make(1, 1, 0, 0, 1);
        struct balance_scene free_of_charge = scene_make(5, 1, 100, 0, 1);
        memset(free_of_charge.duration_ns, 0, 100 * sizeof(uint64_t));
        assert_int_equal(moves_of(&none, twi_balancers[i]), 0);
        assert_int_equal(moves_of(&one, twi_balancers[i]), 0);
        assert_int_equal(moves_of(&empty, twi_balancers[i]), 0);
        assert_int_equal(moves_of(&free_of_charge, twi_balancers[i]), 0);
        scene_free(&none);
        scene_free(&one);
        scene_free(&empty);
        scene_free(&free_of_charge);
    }
}

// All tasks but one are short, and at the same core as the long one: it is left alone there.
static void test_plan_of_one_huge_task(void **state)
{
    (void)state;
    for (size_t b = 0; twi_balancers[b]; b++) {
        struct balance_scene scene = scene_make(27, 1, 261, 1, 1);
        struct twi_balance_rules rules = TWI_BALANCE_RULES;
        scene.duration_ns[17] = UINT64_C(1000000000);
        struct twi_plan plan = scene_plan(&scene, twi_balancers[b], &rules, 1);
        struct outcome outcome = carry_out(&scene, &plan);
        assert_int_equal(outcome.after_ns, twi_bin_ns(twi_bin_of(UINT64_C(1000000000))));
        free(plan.moves);
        scene_free(&scene);
    }
}

// Tasks that are alike, all at one core, are shared out evenly. With its D above 1 the tree gives
// one more to some that have the average.
static void test_plan_of_equal_tasks_is_even(void **state)
{
    uint64_t task_ns = twi_bin_ns(twi_bin_of(1000000));
    (void)state;
    for (size_t b = 0; twi_balancers[b]; b++)
        for (uint32_t cores = 3; cores <= 729; cores *= 3) {
            struct balance_scene scene = scene_make(cores, 1, 8 * cores, 1, 1);
            struct twi_balance_rules rules = TWI_BALANCE_RULES;
            struct twi_plan plan = scene_plan(&scene, twi_balancers[b], &rules, 1);
            struct outcome outcome = carry_out(&scene, &plan);
            assert_in_range(outcome.after_ns, 8 * task_ns,
                            twi_balancers[b] == &twi_persist_tree ? 9 * task_ns : 8 * task_ns);
            free(plan.moves);
            scene_free(&scene);
        }
}

// ---- in pieces, with messages ----

// A place: it has its own database, and sees of others what they send.
struct message {
    unsigned char *bytes;
    uint32_t count; // of picks
};

static struct message write_message(const struct twi_branch *branch, const struct twi_pick *picks,
                                    uint32_t count)
{
    struct message message = {malloc(sizeof *branch + count * sizeof *picks), count};
    memcpy(message.bytes, branch, sizeof *branch);
    if (count)
        memcpy(message.bytes + sizeof *branch, picks, count * sizeof *picks);
    return message;
}

// A node between its way up and its way down.
struct node {
    uint32_t fan, kept;
    struct twi_branch children[TWI_FAN_MOST];
    struct twi_pick *pool; // the first are kept
    uint8_t *to;
};

// Takes the children's messages, says what it hands up.
static struct message ascend(struct node *node, struct message *from, uint64_t fill_ns)
{
    struct twi_branch up = {0};
    uint32_t count = 0, at = 0;
    for (uint32_t i = 0; i < node->fan; i++)
        count += from[i].count;
    struct twi_pick *picks = malloc((count + 1) * sizeof *picks);
    node->pool = malloc((count + 1) * sizeof *node->pool);
    node->to = malloc(count + 1);
    for (uint32_t i = 0; i < node->fan; i++) {
        memcpy(&node->children[i], from[i].bytes, sizeof node->children[i]);
        memcpy(picks + at, from[i].bytes + sizeof up, from[i].count * sizeof *picks);
        at += from[i].count;
        free(from[i].bytes);
    }
    twi_branch_merge(node->children, node->fan, picks, node->pool);
    node->kept = twi_branch_assign(node->children, node->fan, node->pool, count, fill_ns, node->to);
    for (uint32_t i = 0; i < node->fan; i++) {
        up.load_ns += node->children[i].load_ns;
        up.cores += node->children[i].cores;
    }
    up.count = count - node->kept;
    free(picks);
    return write_message(&up, node->pool + node->kept, up.count);
}

// Takes what came from above, and writes the children's lists.
static void descend(struct node *node, struct message came, struct message *to_children)
{
    struct twi_branch unused = {0};
    uint32_t counts[TWI_FAN_MOST], all = node->kept + came.count;
    struct twi_pick *picks = malloc((came.count + 1) * sizeof *picks);
    struct twi_pick *out = malloc((all + 1) * sizeof *out), *at = out;
    uint8_t *to = malloc(came.count + 1);
    memcpy(picks, came.bytes + sizeof unused, came.count * sizeof *picks);
    twi_branch_assign(node->children, node->fan, picks, came.count, UINT64_MAX, to);
    twi_branch_part((struct twi_assigned){node->pool, node->to, node->kept},
                    (struct twi_assigned){picks, to, came.count}, node->fan, out, counts);
    for (uint32_t i = 0; i < node->fan; at += counts[i++])
        to_children[i] = write_message(&unused, at, counts[i]);
    free(came.bytes);
    free(picks);
    free(out);
    free(to);
    free(node->pool);
    free(node->to);
}

static struct message donate_alone(const struct balance_scene *scene, uint32_t core,
                                   uint64_t limit_ns)
{
    const struct twi_layout *layout = &scene->layout;
    uint32_t tasks = layout->first[core + 1] - layout->first[core];
    struct twi_database *database = malloc(twi_database_size(tasks));
    struct twi_pick *picks = malloc((tasks + 1) * sizeof *picks);
    twi_database_make(database, tasks);
    for (uint32_t i = 0; i < tasks; i++)
        twi_database_add(database, i, layout->duration_ns[layout->first[core] + i]);
    uint32_t count = twi_donate(database, core, limit_ns, picks);
    struct twi_branch leaf = {database->load_ns, 1, count};
    struct message message = write_message(&leaf, picks, count);
    free(database);
    free(picks);
    return message;
}

// Level by level, as messages would go; returns moves like a plan of the whole.
static struct twi_plan plan_by_messages(const struct balance_scene *scene,
                                        const struct twi_balance_rules *rules)
{
    uint32_t cores = scene->layout.cores, levels = twi_levels(cores, rules->fan);
    struct outcome outcome = carry_out(scene, &(struct twi_plan){0});
    uint64_t limit_ns = twi_share_of(outcome.sum_ns, cores, rules->keep);
    uint64_t fill_ns = twi_share_of(outcome.sum_ns, cores, rules->fill);
    struct message *mail = malloc(cores * sizeof *mail), *next = malloc(cores * sizeof *next);
    struct node **nodes = calloc(levels + 1, sizeof *nodes);
    struct twi_plan plan = {.moves = malloc((scene->tasks + 1) * sizeof *plan.moves)};
    for (uint32_t core = 0; core < cores; core++)
        mail[core] = donate_alone(scene, core, limit_ns);
    for (uint32_t level = 1; level <= levels; level++) {
        uint32_t count = twi_level_nodes(cores, rules->fan, level);
        uint32_t below = twi_level_nodes(cores, rules->fan, level - 1);
        nodes[level] = calloc(count, sizeof **nodes);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t left = below - i * rules->fan;
            assert_true(twi_node_core(i, rules->fan, level) < cores);
            nodes[level][i].fan = left < rules->fan ? left : rules->fan;
            next[i] = ascend(&nodes[level][i], mail + i * rules->fan,
                             level == levels ? UINT64_MAX : fill_ns);
        }
        memcpy(mail, next, count * sizeof *mail);
    }
    for (uint32_t level = levels; level > 0; level--) {
        uint32_t count = twi_level_nodes(cores, rules->fan, level);
        for (uint32_t i = 0; i < count; i++)
            descend(&nodes[level][i], mail[i], next + i * rules->fan);
        memcpy(mail, next, twi_level_nodes(cores, rules->fan, level - 1) * sizeof *mail);
        free(nodes[level]);
    }
    for (uint32_t core = 0; core < cores; core++) {
        for (uint32_t i = 0; i < mail[core].count; i++) {
            struct twi_pick pick;
            memcpy(&pick, mail[core].bytes + sizeof(struct twi_branch) + i * sizeof pick,
                   sizeof pick);
            twi_plan_add(&plan, &pick, core);
        }
        free(mail[core].bytes);
    }
    free(nodes);
    free(mail);
    free(next);
    return plan;
}

static void test_plan_by_messages_is_that_of_the_whole(void **state)
{
    int seeds = test_scaled(300);
    (void)state;
    for (uint64_t seed = 0; seed < (uint64_t)seeds; seed++) {
        struct balance_scene scene = scene_random(seed);
        struct twi_balance_rules rules = scene_rules(seed);
        if (scene.layout.cores > 1) {
            struct twi_plan whole = scene_plan(&scene, &twi_persist_tree, &rules, 3);
            struct twi_plan parts = plan_by_messages(&scene, &rules);
            assert_int_equal(whole.count, parts.count);
            if (whole.count)
                assert_memory_equal(whole.moves, parts.moves, whole.count * sizeof *whole.moves);
            free(whole.moves);
            free(parts.moves);
        }
        scene_free(&scene);
    }
}

// The test by which the tree's first step is mended: a task finds a poor core of the same node, and
// goes no further.
static void test_plan_of_a_tree_stays_near(void **state)
{
    uint32_t first[] = {0, 4, 4, 6, 8, 10, 12, 14, 16, 18};
    uint64_t duration_ns[18];
    struct twi_layout layout = {9, first, duration_ns};
    struct balance_scene scene = {layout, first, duration_ns, 18};
    struct twi_balance_rules rules = TWI_BALANCE_RULES;
    (void)state;
    for (int i = 0; i < 18; i++)
        duration_ns[i] = 300;
    struct twi_plan plan = scene_plan(&scene, &twi_persist_tree, &rules, 0);
    assert_int_equal(plan.count, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(plan.moves[i].donor, 0);
        assert_int_equal(plan.moves[i].receiver, 1);
    }
    free(plan.moves);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan_conserves_tasks_and_keeps_its_promise),
        cmocka_unit_test(test_plan_is_the_same_each_time),
        cmocka_unit_test(test_plan_has_nothing_to_do),
        cmocka_unit_test(test_plan_of_one_huge_task),
        cmocka_unit_test(test_plan_of_equal_tasks_is_even),
        cmocka_unit_test(test_plan_by_messages_is_that_of_the_whole),
        cmocka_unit_test(test_plan_of_a_tree_stays_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
