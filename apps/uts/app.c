// SPDX-License-Identifier: Apache-2.0
// `twill run uts`: a named tree, with any of its parameters changed.
#include <twill/place.h>

#include "apps/app.h"
#include "apps/uts/uts.h"

#include <stdio.h>
#include <twill/twill.h>

// Trees with more nodes are compared with the table only.
#define ORACLE_NODES_MAX 200000000

#define KEEP UINT64_MAX // a number, or the index of a choice, that was not given

enum style { STYLE_FORK, STYLE_ASYNC, STYLE_ANY };

struct settings {
    const char *tree;
    unsigned style, sha, type, shape;
    uint64_t depth, seed, m, granularity, chunk;
    double b0, q, shift; // NAN: not given
};

static const char *const styles[] = {"fork", "async", "any", NULL};
static const char *const shas[] = {"auto", "portable", "ni", NULL};
static const char *const types[] = {"binomial", "geometric", "hybrid", "balanced", NULL};
static const char *const shapes[] = {"linear", "exponential", "cyclic", "fixed", NULL};

#define AT(field) offsetof(struct settings, field)

static const struct cli_option options[] = {
    {"tree", "NAME", "T1 to T5, T1L, T2L, T3L, T1XL, T1XXL, T3XXL, T1WL or T3WL (T1)", CLI_TEXT,
     AT(tree), 0, 0, NULL},
    {"style", NULL,
     "a fork or an async for each node, or one that any place may run (fork; any with several "
     "places)",
     CLI_CHOICE, AT(style), 0, 0, styles},
    {"chunk", "NODES", "nodes that a task carries; more than one only in the style any (1)",
     CLI_COUNT, AT(chunk), 1, UTS_CHUNK_MOST, NULL},
    {"sha", NULL, "SHA-1 by portable C or by the processor's instructions (auto)", CLI_CHOICE,
     AT(sha), 0, 0, shas},
    {"granularity", "TIMES", "how often each node's hash is calculated (1)", CLI_COUNT,
     AT(granularity), 1, 1e9, NULL},
    {"type", NULL, "the type of the tree, instead of the named one's", CLI_CHOICE, AT(type), 0, 0,
     types},
    {"shape", NULL, "how branching follows depth in a geometric tree", CLI_CHOICE, AT(shape), 0, 0,
     shapes},
    {"depth", "D", "the depth parameter", CLI_COUNT, AT(depth), 1, 1e6, NULL},
    {"b0", "B", "the branching factor of the root", CLI_REAL, AT(b0), 0, UTS_ROOT_CHILDREN_MAX,
     NULL},
    {"q", "Q", "the probability that a binomial node has children", CLI_REAL, AT(q), 0, 1, NULL},
    {"m", "M", "how many it then has", CLI_COUNT, AT(m), 0, UTS_CHILDREN_MAX, NULL},
    {"root-seed", "R", "the seed of the root", CLI_COUNT, AT(seed), 0, INT32_MAX, NULL},
    {"shift", "S", "the part of a hybrid tree's depth that is geometric", CLI_REAL, AT(shift), 0, 1,
     NULL},
    {.name = NULL},
};

static void defaults(void *settings)
{
    *(struct settings *)settings = (struct settings){
        .tree = "T1",
        .type = (unsigned)KEEP,
        .shape = (unsigned)KEEP,
        .depth = KEEP,
        .seed = KEEP,
        .m = KEEP,
        .granularity = 1,
        .chunk = 1,
        .b0 = NAN,
        .q = NAN,
        .shift = NAN,
    };
}

// Replaces the named tree's parameters by those given; true when any was.
static bool change(const struct settings *settings, struct uts_parameters *parameters)
{
    const struct uts_parameters named = *parameters;
    if (settings->type != (unsigned)KEEP)
        parameters->type = (enum uts_type)settings->type;
    if (settings->shape != (unsigned)KEEP)
        parameters->shape = (enum uts_shape)settings->shape;
    parameters->depth = settings->depth != KEEP ? settings->depth : named.depth;
    parameters->seed = settings->seed != KEEP ? settings->seed : named.seed;
    parameters->m = settings->m != KEEP ? settings->m : named.m;
    parameters->b0 = isnan(settings->b0) ? named.b0 : settings->b0;
    parameters->q = isnan(settings->q) ? named.q : settings->q;
    parameters->shift = isnan(settings->shift) ? named.shift : settings->shift;
    return parameters->type != named.type || parameters->shape != named.shape ||
           parameters->depth != named.depth || parameters->seed != named.seed ||
           parameters->m != named.m || parameters->b0 != named.b0 || parameters->q != named.q ||
           parameters->shift != named.shift;
}

static enum app_outcome refuse_tree(struct app_run *run, const char *name)
{
    int used =
        snprintf(run->message, sizeof run->message, "--tree does not know '%.40s': give", name);
    for (size_t i = 0; i < uts_named_tree_count; i++)
        used += snprintf(run->message + used, sizeof run->message - (size_t)used, "%s %s",
                         i == 0 ? "" : ",", uts_named_trees[i].name);
    return APP_REFUSED;
}

// Over places, and with chunks, there is one style only.
static enum style style_of(const struct settings *settings)
{
    return tw_places() > 1 || settings->chunk > 1 ? STYLE_ANY : (enum style)settings->style;
}

// Makes the tree ready. `known` becomes its size, or zeros where that is not known.
static enum app_outcome prepare(const struct settings *settings, struct app_run *run,
                                struct uts_tree *tree, struct uts_count *known)
{
    const struct uts_named_tree *named = uts_find_named(settings->tree);
    if (!named)
        return refuse_tree(run, settings->tree);
    if (settings->sha == UTS_SHA_NI && !uts_hash_ni_available()) {
        snprintf(run->message, sizeof run->message,
                 "--sha ni: this processor has no SHA instructions; give auto or portable");
        return APP_REFUSED;
    }
    struct uts_parameters parameters = named->parameters;
    bool changed = change(settings, &parameters);
    *known = changed ? (struct uts_count){0} : named->known;
    const char *wrong = uts_tree_init(tree, &parameters, (enum uts_sha)settings->sha,
                                      (uint32_t)settings->granularity);
    if (wrong) {
        snprintf(run->message, sizeof run->message, "no such tree: %s", wrong);
        return APP_REFUSED;
    }
    const char *sha = tree->hash == uts_hash_ni ? "ni" : "portable";
    run->parameters[0].name = "tree";
    run->parameters[0].text = changed ? "custom" : named->name;
    run->parameters[1] = (struct app_fact){.name = "sha", .text = sha};
    if (!run->sequential) {
        const char *style = styles[style_of(settings)];
        run->parameters[2] = (struct app_fact){.name = "style", .text = style};
        run->parameters[3] = (struct app_fact){.name = "chunk", .count = settings->chunk};
    }
    return APP_DONE;
}

static int search(const struct settings *settings, struct app_run *run, const struct uts_tree *tree,
                  struct uts_count *found)
{
    if (run->sequential)
        return uts_search(tree, found) ? 0 : TW_ENOMEM;
    switch (style_of(settings)) {
    case STYLE_FORK:
        return uts_search_fork(run->options, tree, found);
    case STYLE_ASYNC:
        return uts_search_async(run->options, tree, found);
    case STYLE_ANY:
        break;
    }
    return settings->chunk > 1
               ? uts_search_chunks(run->options, tree, (uint32_t)settings->chunk, found)
               : uts_search_any(run->options, tree, found);
}

static bool equals_known(const struct uts_count *found, const struct uts_count *known)
{
    return found->nodes == known->nodes && (!known->leaves || found->leaves == known->leaves) &&
           (!known->depth || found->depth == known->depth);
}

static void check(struct app_run *run, const struct uts_tree *tree, const struct uts_count *found,
                  const struct uts_count *known)
{
    bool small = found->nodes <= ORACLE_NODES_MAX && !run->sequential;
    run->checked = run->check;
    if (run->check == APP_CHECK_AUTO)
        run->checked = small ? APP_CHECK_ORACLE : APP_CHECK_TABLE;
    if (run->checked == APP_CHECK_TABLE && known->nodes == 0)
        run->checked = APP_CHECK_NONE;
    if (run->checked == APP_CHECK_NONE)
        return;
    run->verified = known->nodes == 0 || equals_known(found, known);
    struct uts_count oracle;
    if (run->checked == APP_CHECK_ORACLE)
        run->verified = run->verified && uts_search(tree, &oracle) && equals_known(found, &oracle);
}

static enum app_outcome run(const void *given, struct app_run *run)
{
    const struct settings *settings = given;
    struct uts_tree tree;
    struct uts_count found, known;
    enum app_outcome outcome = prepare(settings, run, &tree, &known);
    if (outcome != APP_DONE)
        return outcome;
    app_start(run);
    int error = search(settings, run, &tree, &found);
    if (app_stop(run, error) != APP_DONE)
        return APP_FAILED;
    run->results[0] = (struct app_fact){.name = "nodes", .count = found.nodes};
    run->results[1] = (struct app_fact){.name = "depth", .count = found.depth};
    run->results[2] = (struct app_fact){.name = "leaves", .count = found.leaves};
    run->work = run->results[0];
    check(run, &tree, &found, &known);
    return APP_DONE;
}

const struct twill_app uts_app = {
    .name = "uts",
    .summary = "unbalanced tree search, a task for each node",
    .options = options,
    .settings_size = sizeof(struct settings),
    .defaults = defaults,
    .run = run,
    .so_far = uts_nodes_so_far,
    .counted = "nodes",
};
