// SPDX-License-Identifier: Apache-2.0
// See build.h.
#include "apps/hf/build.h"

#include <twill/twill.h>

#include "apps/hf/quartet.h"
#include "apps/hf/system.h"

// The same error at all places: any that one has.
static int agree(int error)
{
    uint64_t failed = error ? (uint64_t)-error : 0;
    int met = tw_places_max(&failed, 1);
    return met ? met : -(int)failed;
}

// ---- the bounds of pairs ----

static void read_bounds(void *schwarz, size_t i, size_t j, double *bounds)
{
    const struct hf_spread *spread = schwarz;
    tw_tile_get(spread->matrix, (uint32_t)i, (uint32_t)j, bounds, spread->tile);
}

// The bounds are symmetric: only tiles with i <= j are filled, and read.
static void fill_bounds(const struct hf_spread *schwarz, const struct hf_system *system)
{
    for (size_t j = 0; j < schwarz->tiles; j++)
        for (size_t i = 0; i <= j; i++) {
            double *mine = tw_tile_local(schwarz->matrix, (uint32_t)i, (uint32_t)j);
            if (mine)
                hf_bounds(system, schwarz->tile, i, j, mine);
        }
}

int hf_build_fock(struct hf_fock *fock, const struct hf_system *system, size_t tile,
                  double tolerance)
{
    struct hf_spread schwarz;
    int error = hf_spread_make(&schwarz, system->functions, tile);
    if (error)
        return error;
    fill_bounds(&schwarz, system);
    error = tw_places_barrier();
    if (!error) {
        struct hf_bounds_source source = {read_bounds, &schwarz};
        int made = hf_fock_make(fock, system, tile, tolerance, &source);
        error = agree(made);
        if (error && !made)
            hf_fock_free(fock);
    }
    hf_spread_free(&schwarz);
    return error;
}

// ---- a task ----

// From the choice of a desk on nothing suspends, so that it stays this task's alone.
static void run_quartet(struct hf_build *build, size_t i, size_t j, size_t k, size_t l)
{
    size_t tile = build->result.tile;
    struct hf_operands operands = {.density_kl = hf_spread_read(&build->density, k, l),
                                   .density_jl = hf_spread_read(&build->density, j, l)};
    struct hf_desk *desk = &build->desk[tw_worker()];
    struct hf_sum left[2] = {{.data = NULL}};
    operands.fock_ij = hf_sum_turn(&desk->sum[HF_SUM_COULOMB], i, j, tile, &left[0]);
    operands.fock_ik = hf_sum_turn(&desk->sum[HF_SUM_EXCHANGE + k], i, k, tile, &left[1]);
    if (operands.density_kl && operands.density_jl && operands.fock_ij && operands.fock_ik)
        hf_quartet(&build->fock->screen, i, j, k, l, &operands);
    else
        tw_fail(TW_ENOMEM);
    for (int n = 0; n < 2; n++)
        if (left[n].data)
            hf_sum_give(&left[n], build->result.matrix, tile);
}

TW_TASK(quartet, { uint16_t i, j, k, l; })
{
    struct hf_build *build = tw_collection_local();
    if (hf_task_is_null(&build->fock->screen, self.i, self.j, self.k, self.l))
        tw_collection_null();
    else
        run_quartet(build, self.i, self.j, self.k, self.l);
}

// ---- seeds ----

// The worker here at which the tasks of a tile (I, J) begin, after `before` such tiles; -1: none.
static int worker_of(const struct hf_build *build, size_t i, size_t j, int before)
{
    if (build->plan.seed == HF_SEED_FIRST)
        return tw_here() == 0 ? 0 : -1;
    return tw_tile_owner(build->result.matrix, (uint32_t)i, (uint32_t)j) == tw_here() ? before : -1;
}

static int seed_known(struct hf_build *build)
{
    const struct hf_tasks *tasks = &build->fock->tasks;
    int error = 0, worker = -1, before = 0;
    for (size_t n = 0; n < tasks->count && !error; n++) {
        const struct hf_task *task = &tasks->task[n];
        if (n == 0 || task->i != task[-1].i || task->j != task[-1].j) {
            before += worker >= 0;
            worker = worker_of(build, task->i, task->j, before);
        }
        if (worker >= 0)
            error = tw_collection_add_near(build->tasks, worker, quartet, .i = task->i,
                                           .j = task->j, .k = task->k, .l = task->l);
    }
    return error;
}

static int seed_tile(struct hf_build *build, int worker, size_t i, size_t j)
{
    size_t tiles = build->result.tiles;
    int error = 0;
    for (size_t k = 0; k < tiles; k++)
        for (size_t l = 0; l < tiles && !error; l++)
            error = tw_collection_add_near(build->tasks, worker, quartet, .i = (uint16_t)i,
                                           .j = (uint16_t)j, .k = (uint16_t)k, .l = (uint16_t)l);
    return error;
}

static int seed_all(struct hf_build *build)
{
    size_t tiles = build->result.tiles;
    int error = 0, before = 0;
    for (size_t i = 0; i < tiles; i++)
        for (size_t j = 0; j < tiles && !error; j++) {
            int worker = worker_of(build, i, j, before);
            before += worker >= 0;
            error = worker >= 0 ? seed_tile(build, worker, i, j) : 0;
        }
    return error;
}

// ---- all of them ----

static int make_tasks(struct hf_build *build)
{
    build->desk = hf_desks_make(tw_workers(), build->result.tiles);
    int error = agree(build->desk ? 0 : TW_ENOMEM);
    if (error)
        return error;
    error = tw_collection_create(
        &build->tasks, &(struct tw_collection_options){
                           .task_size = 8, .balance = build->plan.balance, .local = build});
    if (error)
        return error;
    return agree(build->plan.balance == TW_BALANCE_STEAL_ALL ? seed_all(build) : seed_known(build));
}

int hf_build_open(struct hf_build *build, const struct hf_fock *fock, struct hf_plan plan,
                  struct tw_collection_stats *stats)
{
    size_t n = fock->screen.system->functions, tile = fock->screen.tile;
    *build = (struct hf_build){.fock = fock, .plan = plan, .stats = stats};
    int error = hf_spread_make(&build->density, n, tile);
    if (error)
        return error;
    error = hf_spread_make(&build->result, n, tile);
    if (error) {
        hf_spread_free(&build->density);
        return error;
    }
    error = make_tasks(build);
    if (error)
        hf_build_close(build);
    return error;
}

void hf_build_close(struct hf_build *build)
{
    tw_collection_free(build->tasks);
    hf_desks_free(build->desk, tw_workers());
    hf_spread_free(&build->result);
    hf_spread_free(&build->density);
}

static void give_all(struct hf_build *build)
{
    for (unsigned worker = 0; worker < tw_workers(); worker++)
        for (size_t n = 0; n < build->desk[worker].count; n++)
            hf_sum_give(&build->desk[worker].sum[n], build->result.matrix, build->result.tile);
}

// The part of all places in a build: the density is there.
static int take_part(struct hf_build *build)
{
    int error = build->builds++ > 0 ? tw_collection_restore(build->tasks) : 0;
    tw_matrix_fill(build->result.matrix, NULL);
    hf_spread_renew(&build->density);
    error = agree(error);
    if (error)
        return error;
    error = tw_collection_process(build->tasks);
    give_all(build);
    int met = tw_places_barrier();
    return error ? error : met;
}

// ---- who leads and who follows ----

static int announce(uint64_t is_more)
{
    return tw_places_broadcast(0, &is_more, sizeof is_more);
}

int hf_build_lead(void *builder, const struct hf_tiles *density, struct hf_tiles *result)
{
    struct hf_build *build = builder;
    int error = hf_spread_put(&build->density, density);
    if (!error)
        error = announce(1);
    if (!error)
        error = take_part(build);
    if (!error)
        error = hf_spread_get(&build->result, result);
    if (!error)
        build->stats[build->builds - 1] = *tw_collection_stats(build->tasks);
    return error;
}

int hf_build_dismiss(void)
{
    return announce(0);
}

// An error of a build is the leader's, too, who then dismisses all.
int hf_build_follow(struct hf_build *build)
{
    int error = 0;
    for (;;) {
        uint64_t is_more = 0;
        int met = tw_places_broadcast(0, &is_more, sizeof is_more);
        if (met || !is_more)
            return met ? met : error;
        error = take_part(build);
    }
}
