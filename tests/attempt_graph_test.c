// SPDX-License-Identifier: Apache-2.0
// ctest: timeout=240
// Failing and cancelling in random trees of tasks, against a sequential model: on one worker the
// very tasks run that the model says, on several every rule of attempt.h holds.
#include "support.h"

#include <string.h>

#include "base/rng.h"

enum { NODES = 60, WORDS = 4, ROOT = 0, GRAPHS = 3000 };

enum kind { FINISH, ATTEMPT, ATTEMPT_UNCAUGHT, FORKS };
enum act { NOTHING, FAIL, CANCEL };

struct node {
    enum kind kind;
    enum act act;
    int parent;
    int children, child[WORDS];
};

struct graph {
    int nodes;
    struct node node[NODES];
};

// What happened, or by the model should have.
struct history {
    uint32_t ran[NODES];
    int error[NODES]; // of the attempts
};

// ---- making trees ----

static void graph_make(struct graph *g, uint64_t seed)
{
    struct twi_rng rng = {.counter = seed * 1000003};
    memset(g, 0, sizeof *g);
    g->nodes = 2 + (int)(twi_rng_next(&rng) % (NODES - 2));
    unsigned wild = (unsigned)(twi_rng_next(&rng) % 12);
    for (int i = 0; i < g->nodes; i++) {
        struct node *n = &g->node[i];
        unsigned act = (unsigned)(twi_rng_next(&rng) % 40);
        n->kind = (enum kind)(twi_rng_next(&rng) % (FORKS + 1));
        n->act = act >= wild ? NOTHING : act % 3 ? FAIL : CANCEL;
        n->parent = -1;
        if (i == ROOT) {
            n->kind = FINISH;
            continue;
        }
        int p;
        do
            p = (int)(twi_rng_next(&rng) % (uint64_t)i);
        while (g->node[p].children == WORDS);
        n->parent = p;
        g->node[p].child[g->node[p].children++] = i;
    }
}

static int code_of(int node)
{
    return 100 + node;
}

static int is_attempt(enum kind kind)
{
    return kind == ATTEMPT || kind == ATTEMPT_UNCAUGHT;
}

// ---- the model ----

struct model {
    const struct graph *g;
    struct history *h;
    int cancelled[NODES];
    int around[NODES]; // the attempt a node's children are in; the root's: the run
};

static int model_cancelled(const struct model *m, int attempt)
{
    for (; attempt != ROOT; attempt = m->around[m->g->node[attempt].parent])
        if (m->cancelled[attempt])
            return 1;
    return m->cancelled[ROOT];
}

static void model_fail(struct model *m, int attempt, int error)
{
    int *now = &m->h->error[attempt];
    if (!*now || (*now == TW_ECANCELED && error != TW_ECANCELED))
        *now = error;
    m->cancelled[attempt] = 1;
}

static void model_run(struct model *m, int i, int attempt)
{
    const struct node *n = &m->g->node[i];
    m->h->ran[i]++;
    if (n->act != NOTHING)
        model_fail(m, attempt, n->act == FAIL ? code_of(i) : TW_ECANCELED);
    int inside = is_attempt(n->kind) ? i : attempt;
    m->around[i] = inside;
    for (int c = n->children - 1; c >= 0; c--)
        if (n->kind == FORKS || !model_cancelled(m, inside))
            model_run(m, n->child[c], inside);
    if (n->kind == ATTEMPT_UNCAUGHT && m->h->error[i] && m->h->error[i] != TW_ECANCELED)
        model_fail(m, attempt, m->h->error[i]);
    if (is_attempt(n->kind) && !m->h->error[i] && model_cancelled(m, attempt))
        m->h->error[i] = TW_ECANCELED;
}

// ---- the real thing ----

TW_TASK_DECLARE(visit, {
    const struct graph *g;
    struct history *h;
    int node;
});

TW_FUNCTION(int, visit_forked, {
    const struct graph *g;
    struct history *h;
    int node;
})
{
    tw_finish {
        tw_call(visit, .g = self.g, .h = self.h, .node = self.node);
    }
    return self.node;
}

static void start_children(const struct graph *g, struct history *h, const struct node *n)
{
    tw_finish {
        for (int c = 0; c < n->children; c++)
            tw_async(visit, .g = g, .h = h, .node = n->child[c]);
    }
}

static void fork_children(const struct graph *g, struct history *h, const struct node *n)
{
    tw_forked(visit_forked) forked[WORDS];
    for (int c = 0; c < n->children; c++)
        forked[c] = tw_fork(visit_forked, .g = g, .h = h, .node = n->child[c]);
    for (int c = n->children - 1; c >= 0; c--)
        if (tw_join(visit_forked, forked[c]) != n->child[c])
            abort();
}

TW_TASK_DEFINE(visit)
{
    const struct node *n = &self.g->node[self.node];
    struct tw_outcome outcome = {0, "", "", 0, "", 0, 0};
    __atomic_fetch_add(&self.h->ran[self.node], 1, __ATOMIC_RELAXED);
    if (n->act == FAIL)
        tw_fail(code_of(self.node));
    if (n->act == CANCEL)
        tw_cancel();
    if (n->kind == FORKS)
        fork_children(self.g, self.h, n);
    else if (n->kind == ATTEMPT)
        tw_attempt(&outcome)
        {
            start_children(self.g, self.h, n);
        }
    else if (n->kind == ATTEMPT_UNCAUGHT)
        tw_attempt(NULL)
        {
            start_children(self.g, self.h, n);
        }
    else
        start_children(self.g, self.h, n);
    if (n->kind == ATTEMPT)
        self.h->error[self.node] = outcome.error;
}

static void run_real(const struct graph *g, struct history *h)
{
    memset(h, 0, sizeof *h);
    h->error[ROOT] = tw_run(visit, .g = g, .h = h, .node = ROOT);
}

// ---- comparing ----

static void check_same(const struct graph *g, const struct history *real)
{
    struct history expected = {{0}, {0}};
    struct model m = {.g = g, .h = &expected};
    model_run(&m, ROOT, ROOT);
    for (int i = 0; i < g->nodes; i++) {
        assert_int_equal(real->ran[i], expected.ran[i]);
        if (i == ROOT || g->node[i].kind == ATTEMPT)
            assert_int_equal(real->error[i], expected.error[i]);
    }
}

// The attempt node `i` acts on, by walking up.
static int attempt_of(const struct graph *g, int i)
{
    do
        i = g->node[i].parent;
    while (i > ROOT && !is_attempt(g->node[i].kind));
    return i < 0 ? ROOT : i;
}

// Whether something that ran could have given the attempt this error.
static int explains(const struct graph *g, const struct history *h, int attempt, int error)
{
    for (int i = 0; i < g->nodes; i++) {
        if (!h->ran[i])
            continue;
        int mine = attempt_of(g, i) == attempt;
        if (mine && g->node[i].act == FAIL && error == code_of(i))
            return 1;
        if (mine && g->node[i].act == CANCEL && error == TW_ECANCELED)
            return 1;
        if (mine && i != attempt && g->node[i].kind == ATTEMPT_UNCAUGHT && error != TW_ECANCELED &&
            explains(g, h, i, error))
            return 1;
    }
    return 0;
}

static int any_cause(const struct graph *g, const struct history *h, int attempt)
{
    if (explains(g, h, attempt, TW_ECANCELED))
        return 1;
    for (int i = 0; i < g->nodes; i++)
        if (explains(g, h, attempt, code_of(i)))
            return 1;
    return 0;
}

static int may_be_dropped(const struct graph *g, const struct history *h, int i)
{
    for (int a = attempt_of(g, i);; a = attempt_of(g, a)) {
        if (any_cause(g, h, a))
            return 1;
        if (a == ROOT)
            return 0;
    }
}

static void check_rules(const struct graph *g, const struct history *h)
{
    for (int i = 0; i < g->nodes; i++) {
        assert_in_range(h->ran[i], 0, 1);
        int parent = g->node[i].parent;
        int wanted = parent < 0 || h->ran[parent];
        if (!h->ran[i] && wanted)
            assert_true(g->node[parent].kind != FORKS && may_be_dropped(g, h, i));
        if (h->ran[i] && parent >= 0)
            assert_true(h->ran[parent]);
        if (!h->ran[i] || (i != ROOT && g->node[i].kind != ATTEMPT))
            continue;
        if (h->error[i] == TW_ECANCELED && i != ROOT && may_be_dropped(g, h, i))
            continue; // by what is around it
        if (h->error[i])
            assert_true(explains(g, h, i, h->error[i]));
        else
            assert_false(any_cause(g, h, i));
    }
}

static void test_attempt_random_graphs_against_the_model(void **state)
{
    (void)state;
    struct tw_options options;
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    for (int seed = 1; seed <= test_scaled(GRAPHS); seed++) {
        struct graph g;
        struct history h;
        graph_make(&g, (uint64_t)seed);
        run_real(&g, &h);
        check_rules(&g, &h);
        if (options.workers == 1)
            check_same(&g, &h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attempt_random_graphs_against_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
