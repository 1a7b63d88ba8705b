// SPDX-License-Identifier: Apache-2.0
// Global memory, under a launcher: every place reads, writes and adds to the parts of all. The
// first argument says how they reach each other: `shared` (all of a host through memory), `mixed`
// (in pairs), `messages`. A second one is a mistake to make, and its message is expected. Says "all
// is well" at place 0.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "place/place.h"
#include "require.h"

TW_FUTURE(int, value)

static double number_of(unsigned place, size_t at)
{
    return place * 1e6 + (double)at;
}

// ---- arrays ----

enum { COUNT = 100000, ROUNDS = 20 };
static struct tw_global array, numbers;
static struct tw_matrix matrix;

// Many chunks, in one piece and in rows.
static void check_reading(unsigned place)
{
    double *got = malloc(COUNT * sizeof *got);
    tw_global_get(array, place, 0, got, COUNT);
    int wrong_ones = 0;
    for (size_t i = 0; i < COUNT; i++)
        wrong_ones += got[i] != number_of(place, i);
    REQUIRE(wrong_ones == 0);
    // 300 rows of 111 from a stride of 333 to one of 200.
    struct tw_part to = tw_part_rows(tw_part_here(got, 111), 300, 200);
    tw_copy(to, tw_part_rows(tw_part_of(array, place, 7, 111), 300, 333));
    for (size_t i = 0; i < 300 * (size_t)111; i++)
        wrong_ones += got[i / 111 * 200 + i % 111] != number_of(place, 7 + i / 111 * 333 + i % 111);
    REQUIRE(wrong_ones == 0);
    tw_global_get(array, place, COUNT, got, 0); // nothing, at its very end
    free(got);
}

// Every place writes a stretch of its own into every part, in rows.
static void check_writing(void)
{
    double mine[60], theirs[60];
    unsigned here = tw_here();
    for (unsigned to = 0; to < tw_places(); to++) {
        for (size_t i = 0; i < 60; i++)
            mine[i] = number_of(here, i) + 0.5 * to;
        tw_copy(tw_part_rows(tw_part_of(array, to, 1000 * (size_t)here, 20), 3, 50),
                tw_part_rows(tw_part_here(mine, 20), 3, 20));
    }
    REQUIRE(tw_places_barrier() == 0);
    for (unsigned from = 0; from < tw_places(); from++) {
        tw_copy(tw_part_rows(tw_part_here(theirs, 20), 3, 20),
                tw_part_rows(tw_part_of(array, here, 1000 * (size_t)from, 20), 3, 50));
        for (size_t i = 0; i < 60; i++)
            REQUIRE(theirs[i] == number_of(from, i) + 0.5 * here);
    }
    double between;
    tw_global_get(array, here, 20, &between, 1);
    REQUIRE(between == number_of(here, 20));
}

TW_TASK(use_array, { int unused; })
{
    double *own = tw_global_local(array);
    for (size_t i = 0; i < COUNT; i++)
        own[i] = number_of(tw_here(), i);
    REQUIRE(tw_global_reach(array, tw_here()) == own);
    REQUIRE(tw_places_barrier() == 0);
    for (unsigned i = 0; i < tw_places(); i++)
        check_reading((tw_here() + i) % tw_places());
    REQUIRE(tw_places_barrier() == 0);
    check_writing();
}

// ---- sums ----

TW_TASK(add_everywhere, { uint32_t rounds; })
{
    int64_t ones[600];
    for (size_t i = 0; i < 600; i++)
        ones[i] = 1;
    for (uint32_t round = 0; round < self.rounds; round++)
        for (unsigned to = 0; to < tw_places(); to++)
            tw_global_accumulate(numbers, to, round % 2, ones, 600);
}

TW_TASK(use_sums, { int unused; })
{
    tw_finish_spmd
    {
        for (int i = 0; i < 3; i++)
            tw_async(add_everywhere, .rounds = ROUNDS);
        for (int i = 0; i < 2; i++)
            tw_async_any(add_everywhere, .rounds = ROUNDS);
    }
    int64_t *own = tw_global_local(numbers), each = 5 * (int64_t)tw_places() * ROUNDS;
    REQUIRE(own[0] == each / 2);
    REQUIRE(own[600] == each / 2);
    for (size_t i = 1; i < 600; i++)
        REQUIRE(own[i] == each);
}

// The task runs at place 0 only; those it starts, anywhere.
TW_TASK(add_from_one, { uint32_t tasks; })
{
    tw_finish {
        for (uint32_t i = 0; i < self.tasks; i++)
            tw_async_any(add_everywhere, .rounds = 2);
    }
}

static void sums_from_one(void)
{
    int64_t *own = tw_global_local(numbers);
    tw_global_fill(numbers, NULL);
    REQUIRE(tw_places_barrier() == 0);
    REQUIRE(tw_run(add_from_one, .tasks = 40) == 0);
    REQUIRE(own[0] == 40 && own[1] == 80 && own[599] == 80 && own[600] == 40 && own[601] == 0);
}

// ---- copies that are not waited for at once ----

enum { AHEAD = 12 };

TW_TASK(use_copies, { int unused; })
{
    double *got = malloc(AHEAD * 1000 * sizeof *got), sum[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    tw_future(value) futures[AHEAD] = {TW_FUTURE_INIT};
    struct tw_future *list[AHEAD];
    unsigned next = (tw_here() + 1) % tw_places(), last = (next + 1) % tw_places();
    tw_finish {
        for (unsigned i = 0; i < AHEAD; i++) {
            futures[i] = (tw_future(value))TW_FUTURE_INIT;
            list[i] = &futures[i].event;
            struct tw_part to = tw_part_here(got + 1000 * (size_t)i, 1000);
            REQUIRE(tw_async_copy(to, tw_part_of(array, next, 20000 + 1000 * (size_t)i, 1000),
                                  list[i]) == 0);
        }
        REQUIRE(tw_async_copy(tw_part_here(got, 1), tw_part_of(array, next, 0, 1), list[0]) ==
                TW_EALREADY);
        REQUIRE(tw_await_all(list, AHEAD, TW_NEVER) == 0);
        for (size_t i = 0; i < AHEAD * 1000; i++)
            REQUIRE(got[i] == number_of(next, 20000 + i));
    }
    // From one place to another, neither of them here; and sums of what is elsewhere.
    size_t mine = 50000 + 100 * (size_t)tw_here();
    REQUIRE(tw_places_barrier() == 0);
    tw_finish {
        REQUIRE(tw_async_copy(tw_part_of(array, last, mine, 100),
                              tw_part_of(array, next, 70000, 100), NULL) == 0);
    }
    tw_copy(tw_part_of(array, last, mine + 50, 10), tw_part_of(array, next, 80000, 10));
    tw_finish {
        REQUIRE(tw_async_accumulate(tw_part_of(array, last, mine, 8), tw_part_here(sum, 8), NULL) ==
                0);
        REQUIRE(tw_async_accumulate(tw_part_of(array, last, mine + 10, 8),
                                    tw_part_of(array, next, 90000, 8), NULL) == 0);
    }
    tw_global_get(array, last, mine, got, 100);
    REQUIRE(got[0] == number_of(next, 70000) + 1 && got[7] == number_of(next, 70007) + 8);
    REQUIRE(got[8] == number_of(next, 70008) && got[49] == number_of(next, 70049));
    REQUIRE(got[10] == number_of(next, 70010) + number_of(next, 90000));
    REQUIRE(got[50] == number_of(next, 80000) && got[60] == number_of(next, 70060));
    free(got);
    REQUIRE(tw_places_barrier() == 0);
}

// ---- what is cancelled ----

// What has begun is waited for.
TW_TASK(cancel_copies, { int unused; })
{
    double got[2000] = {0};
    struct tw_outcome outcome;
    unsigned next = (tw_here() + 1) % tw_places();
    tw_attempt(&outcome)
    {
        REQUIRE(tw_async_copy(tw_part_here(got, 1000), tw_part_of(array, next, 60000, 1000),
                              NULL) == 0);
        tw_cancel();
        tw_global_get(array, next, 61000, got + 1000, 1000);
    }
    for (size_t i = 0; i < 2000; i++)
        REQUIRE(got[i] == number_of(next, 60000 + i));
}

// Nobody has it when one place fails.
TW_TASK(fail_to_make, { int unused; })
{
    struct tw_global made = {1, 1};
    if (tw_here() == tw_places() - 1) {
        tw_fail(TW_ERANGE);
        return;
    }
    REQUIRE(tw_global_make(&made, TW_BYTE, 100) == TW_ECANCELED);
    REQUIRE(made.age == 0);
}

// ---- matrices ----

enum { ROWS = 47, COLUMNS = 61, TILE = 7, DOWN = 7, ACROSS = 9 };

TW_TASK(add_tile, { uint32_t i, j; })
{
    double ones[TILE * TILE];
    for (size_t k = 0; k < TILE * TILE; k++)
        ones[k] = 1;
    tw_tile_accumulate(matrix, self.i, self.j, ones, TILE);
}

static void check_tiles(void)
{
    struct tw_shape shape = tw_matrix_shape(matrix);
    unsigned own = 0;
    for (uint32_t i = 0; i < DOWN; i++)
        for (uint32_t j = 0; j < ACROSS; j++) {
            struct tw_tile tile = tw_matrix_tile(matrix, i, j);
            const double *here = tw_tile_local(matrix, i, j);
            REQUIRE((here != NULL) == (tile.owner == tw_here()));
            REQUIRE(tile.owner ==
                    i % shape.grid_rows * shape.grid_columns + j % shape.grid_columns);
            double got[TILE * 10];
            tw_tile_get(matrix, i, j, got, 10);
            for (uint32_t k = 0; k < tile.rows * tile.columns; k++) {
                uint32_t row = k / tile.columns, column = k % tile.columns;
                double expected = (tile.row + row) * 1000.0 + tile.column + column;
                REQUIRE(got[row * 10 + column] == expected);
                REQUIRE(!here || here[k] == expected);
            }
            own += here != NULL;
        }
    uint64_t all = own;
    REQUIRE(tw_places_sum(&all, 1) == 0 && all == DOWN * ACROSS);
}

TW_TASK(use_matrix, { int unused; })
{
    double whole[ROWS][COLUMNS + 3];
    memset(whole, 0, sizeof whole);
    for (unsigned i = 0; i < ROWS; i++)
        for (unsigned j = 0; j < COLUMNS; j++)
            whole[i][j] = i * 1000.0 + j;
    unsigned last = tw_places() - 1;
    if (tw_here() == last)
        tw_matrix_scatter(matrix, whole, COLUMNS + 3);
    REQUIRE(tw_places_barrier() == 0);
    check_tiles();
    REQUIRE(tw_places_barrier() == 0);
    tw_finish_spmd
    {
        for (uint32_t k = 0; k < DOWN * ACROSS; k++)
            tw_async_any(add_tile, .i = k / ACROSS, .j = k % ACROSS);
    }
    memset(whole, 0, sizeof whole);
    tw_matrix_gather(matrix, whole, COLUMNS + 3);
    for (unsigned i = 0; i < ROWS; i++)
        for (unsigned j = 0; j < COLUMNS + 3; j++)
            REQUIRE(whole[i][j] == (j < COLUMNS ? i * 1000.0 + j + tw_places() : 0));
    REQUIRE(tw_places_barrier() == 0);
    double seven = 7, got;
    tw_matrix_fill(matrix, &seven);
    REQUIRE(tw_places_barrier() == 0);
    tw_global_get(matrix.global, last, 0, &got, 1);
    REQUIRE(got == 7);
}

// ---- making and freeing ----

static void make_and_free(void)
{
    struct tw_global other = {0}, list[5];
    // One place wants another size, type, or shape; or it has no memory.
    int is_odd = tw_places() > 1 && tw_here() == tw_places() - 1;
    int expected = tw_places() > 1 ? TW_EINVAL : 0;
    REQUIRE(tw_global_make(&other, TW_INT32, 100 + (size_t)is_odd) == expected);
    REQUIRE(expected || tw_global_free(&other) == 0);
    REQUIRE(tw_global_make(&other, is_odd ? TW_INT32 : TW_FLOAT, 100) == expected);
    REQUIRE(expected || tw_global_free(&other) == 0);
    REQUIRE(tw_global_make(&other, TW_INT32, is_odd ? 0 : 100) == expected);
    REQUIRE(expected || tw_global_free(&other) == 0);
    REQUIRE(tw_global_make(&other, TW_INT32, 0) == TW_EINVAL);
    REQUIRE(tw_global_make(&other, TW_DOUBLE, (size_t)1 << 50) == TW_ENOMEM);
    REQUIRE(tw_global_make(&other, TW_DOUBLE, SIZE_MAX / 8) == TW_ENOMEM);
    struct tw_matrix odd;
    struct tw_shape shape = {TW_DOUBLE, 10, 10, 3, 3, tw_places() + 1, 1};
    REQUIRE(tw_matrix_make(&odd, shape) == TW_EINVAL);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < 5; i++)
            REQUIRE(tw_global_make(&list[i], TW_BYTE, 10 + 1000 * (size_t)i) == 0);
        for (unsigned i = 0; i < 5; i++) {
            const unsigned char *own = tw_global_local(list[(i + round) % 5]);
            REQUIRE(own[0] == 0 && own[9] == 0);
            tw_global_fill(list[(i + round) % 5], "x");
            REQUIRE(tw_global_free(&list[(i + round) % 5]) == 0);
        }
    }
}

TW_TASK(make_inside, { int unused; })
{
    make_and_free();
}

// ---- mistakes ----

static const char *mistake;

TW_TASK(err, { int unused; })
{
    struct tw_global freed = numbers;
    double value = 0;
    unsigned last = tw_places() - 1;
    if (strcmp(mistake, "index") == 0)
        tw_global_get(array, last, COUNT - 1, &value, 2);
    if (strcmp(mistake, "place") == 0)
        tw_global_get(array, tw_places(), 0, &value, 1);
    if (strcmp(mistake, "tile") == 0)
        tw_tile_put(matrix, DOWN, 0, &value, 1);
    if (strcmp(mistake, "freed") == 0) {
        REQUIRE(tw_global_free(&numbers) == 0);
        tw_global_put(freed, last, 0, &value, 1);
    }
}

static void make_mistake(const char *what)
{
    double value = 0;
    mistake = what;
    if (strcmp(what, "outside") == 0)
        tw_global_get(array, (tw_here() + 1) % tw_places(), 0, &value, 1);
    else
        (void)tw_run_spmd(err, .unused = 0);
}

static void set_reach(const char *how)
{
    if (strcmp(how, "messages") == 0)
        twi_place_settings.host_places = 1;
    if (strcmp(how, "mixed") == 0)
        twi_place_settings.host_places = 2;
}

// Neighbours reach each other through memory, nobody else.
static void check_reach(void)
{
    unsigned reached = 0, neighbours = twi_place_here()->neighbours;
    for (unsigned i = 0; i < tw_places(); i++)
        reached += tw_global_reach(array, i) != NULL;
    REQUIRE(reached == (neighbours ? neighbours : 1));
    if (tw_here() == 0)
        printf("%u places share memory with place 0\n", reached);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "shared";
    char message[256];
    set_reach(how);
    if (tw_places_open(NULL, message, sizeof message) != 0) {
        fprintf(stderr, "%s\n", message);
        return 1;
    }
    struct tw_shape shape = {TW_DOUBLE, ROWS, COLUMNS, TILE, TILE, 0, 0};
    REQUIRE(tw_global_make(&array, TW_DOUBLE, COUNT) == 0);
    REQUIRE(tw_global_make(&numbers, TW_INT64, 1000) == 0);
    REQUIRE(tw_matrix_make(&matrix, shape) == 0);
    check_reach();
    if (argc > 2)
        make_mistake(argv[2]);
    make_and_free();
    REQUIRE(tw_run_spmd(use_array, .unused = 0) == 0);
    REQUIRE(tw_run_spmd(use_sums, .unused = 0) == 0);
    sums_from_one();
    REQUIRE(tw_run_spmd(use_copies, .unused = 0) == 0);
    REQUIRE(tw_run_spmd(cancel_copies, .unused = 0) == 0);
    REQUIRE(tw_run_spmd(fail_to_make, .unused = 0) == TW_ERANGE);
    REQUIRE(tw_run_spmd(use_matrix, .unused = 0) == 0);
    REQUIRE(tw_run_spmd(make_inside, .unused = 0) == 0);
    REQUIRE(tw_matrix_free(&matrix) == 0);
    REQUIRE(tw_global_free(&numbers) == 0);
    REQUIRE(tw_global_free(&array) == 0);
    uint64_t all_wrong = wrong;
    REQUIRE(tw_places_sum(&all_wrong, 1) == 0);
    if (tw_here() == 0 && all_wrong == 0)
        printf("all is well at %u places\n", tw_places());
    return all_wrong != 0;
}
