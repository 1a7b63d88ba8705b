// SPDX-License-Identifier: Apache-2.0
// ctest: workers=2
// Fibers as memory: where everything stands in a block, guard pages, trimming, very many of them.
#include "support.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/os.h"
#include "core/deque.h"
#include "core/fiber.h"

enum { MANY = 40000, KEPT = 16 * 1024 };

static const size_t sizes[] = {65536, 65537, 100000, 131072, 1 << 20, 3 << 20, (3 << 20) + 1};

static void never(void *fiber)
{
    (void)fiber;
    abort();
}

static char *block_of(const struct twi_arena *arena, const struct twi_fiber *fiber)
{
    return (char *)((uintptr_t)fiber & ~(uintptr_t)(arena->block - 1));
}

// Whether the system can write the byte to a pipe: no fault, no sanitizer in between.
static int is_readable(const void *address)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    ssize_t wrote = write(ends[1], address, 1);
    int because = errno;
    close(ends[0]);
    close(ends[1]);
    if (wrote != 1)
        assert_int_equal(because, EFAULT);
    return wrote == 1;
}

// ---- layout ----

static void check_layout(const struct twi_arena *arena, const struct twi_fiber *fiber, size_t stack)
{
    const char *block = block_of(arena, fiber);
    const char *end = block + arena->block;
    assert_int_equal((uintptr_t)&fiber->mail % ((uintptr_t)1 << TWI_FIBER_SHIFT),
                     twi_fiber_offset((uintptr_t)&fiber->mail));
    assert_int_equal((uintptr_t)fiber % 64, 0);
    assert_ptr_equal(fiber->guard, block);
    assert_in_range(fiber->stack_low - block, twi_page_size(), 65536);
    assert_true((const char *)fiber - block >= (ptrdiff_t)stack);
    assert_true(fiber->deque.stack_soft > fiber->stack_low);
    assert_true(fiber->deque.stack_soft < (const char *)fiber - stack / 2);
    assert_int_equal((uintptr_t)fiber->slots % 64, 0);
    assert_true((const char *)fiber->slots >= (const char *)(fiber + 1));
    assert_ptr_equal((const char *)(fiber->bound + TWI_SLOTS_SPARE), end);
    assert_true(end - (const char *)fiber->slots >= (ptrdiff_t)(stack / 2));
}

// As thieves find it: empty, at the first slot, and every slot known by half of its address.
static void check_deque(struct twi_fiber *fiber)
{
    struct tw_fiber *f = &fiber->deque;
    struct tw_slot *last = fiber->bound + TWI_SLOTS_SPARE - 1;
    assert_ptr_equal(f->head, fiber->slots);
    assert_ptr_equal(f->limit, fiber->bound);
    assert_int_equal(f->word, twi_word(twi_low(fiber->slots), twi_low(fiber->slots)));
    assert_ptr_equal(twi_slot_at(f, twi_low(fiber->slots)), fiber->slots);
    assert_ptr_equal(twi_slot_at(f, twi_low(last)), last);
    assert_true(twi_low(last) > twi_low(fiber->slots));
    assert_int_equal(f->nudge_lock, 0);
    assert_null(fiber->stock);
    assert_int_equal(fiber->slots[0].state, 0);
    assert_int_equal(last->state, 0);
}

static void test_fiber_layout(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct twi_arena arena;
        twi_arena_init(&arena, sizes[i]);
        assert_int_equal(arena.block & (arena.block - 1), 0);
        for (int n = 0; n < 2 * TWI_CHUNK_FIBERS + 1; n++) {
            struct twi_fiber *fiber = twi_fiber_make(&arena, never);
            assert_non_null(fiber);
            check_layout(&arena, fiber, sizes[i]);
            check_deque(fiber);
            assert_ptr_equal(twi_fiber_of(&fiber->deque), fiber);
            assert_ptr_equal(twi_fiber_of_mail(&fiber->mail), fiber);
        }
        twi_arena_free(&arena);
    }
}

// The largest stack fills 4 GiB, the most that half of an address can tell apart.
static void test_fiber_layout_of_the_largest_stack(void **state)
{
    (void)state;
    struct twi_arena arena;
    twi_arena_init(&arena, (size_t)1 << 30);
    struct twi_fiber *fiber = twi_fiber_make(&arena, never);
    if (fiber) { // may be more than this process is allowed
        check_layout(&arena, fiber, (size_t)1 << 30);
        check_deque(fiber);
    }
    twi_arena_free(&arena);
}

static void test_fiber_blocks_are_apart(void **state)
{
    (void)state;
    enum { N = 3 * TWI_CHUNK_FIBERS };
    struct twi_arena arena;
    struct twi_fiber *fiber[N];
    twi_arena_init(&arena, 65536);
    for (int i = 0; i < N; i++) {
        fiber[i] = twi_fiber_make(&arena, never);
        for (int j = 0; j < i; j++)
            assert_ptr_not_equal(block_of(&arena, fiber[i]), block_of(&arena, fiber[j]));
    }
    twi_arena_free(&arena);
}

#ifdef TWI_TSAN
enum { MADE_EACH = 100 }; // each costs TSan ten milliseconds
#else
enum { MADE_EACH = 1000 };
#endif

struct maker {
    struct twi_arena *arena;
    pthread_barrier_t *start;
    struct twi_fiber *made[MADE_EACH];
};

static void *make_some(void *argument)
{
    struct maker *maker = argument;
    pthread_barrier_wait(maker->start);
    for (int i = 0; i < MADE_EACH; i++)
        maker->made[i] = twi_fiber_make(maker->arena, never);
    return NULL;
}

static void test_fiber_made_by_several_threads(void **state)
{
    (void)state;
    enum { N = 4 };
    struct twi_arena arena;
    static struct maker makers[N];
    pthread_t threads[N];
    pthread_barrier_t start;
    twi_arena_init(&arena, 65536);
    pthread_barrier_init(&start, NULL, N);
    for (int i = 0; i < N; i++) {
        makers[i].arena = &arena;
        makers[i].start = &start;
        assert_int_equal(pthread_create(&threads[i], NULL, make_some, &makers[i]), 0);
    }
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&start);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < MADE_EACH; j++) {
            assert_non_null(makers[i].made[j]);
            assert_null(makers[i].made[j]->running); // each is given out once
            makers[i].made[j]->running = "taken";
        }
    assert_int_equal(arena.made, N * MADE_EACH);
    twi_arena_free(&arena);
}

// ---- guard and memory ----

static void check_guard(size_t stack, ptrdiff_t size)
{
    struct twi_arena arena;
    twi_arena_init(&arena, stack);
    for (int i = 0; i < 20; i++) {
        struct twi_fiber *fiber = twi_fiber_make(&arena, never);
        char *low = fiber->stack_low;
        assert_true(is_readable(low));
        assert_true(is_readable(low + twi_page_size()));
        assert_false(is_readable(low - 1));
        assert_false(is_readable(low - size));
        assert_true(twi_fiber_guards(fiber, low - 1));
        assert_true(twi_fiber_guards(fiber, low - size));
        assert_false(twi_fiber_guards(fiber, low));
        assert_false(twi_fiber_guards(fiber, low - size - 1));
        assert_false(twi_fiber_guards(fiber, fiber));
        assert_false(twi_fiber_guards(fiber, NULL));
        low[0] = 1;
        ((char *)(fiber->bound + TWI_SLOTS_SPARE))[-1] = 1;
    }
    twi_arena_free(&arena);
}

static void test_fiber_guard_grows_with_the_stack(void **state)
{
    (void)state;
    ptrdiff_t page = (ptrdiff_t)twi_page_size();
    check_guard(65536, page > 4096 ? page : 4096);
    check_guard((size_t)8 << 20, 65536);
}

static size_t resident_pages(const struct twi_arena *arena, const struct twi_fiber *fiber)
{
    static unsigned char is_resident[4096];
    size_t page = twi_page_size(), count = 0;
    size_t pages = (arena->block - (size_t)(fiber->stack_low - fiber->guard)) / page;
    assert_true(pages < sizeof is_resident);
    assert_int_equal(mincore(fiber->stack_low, pages * page, is_resident), 0);
    for (size_t i = 0; i < pages; i++)
        count += is_resident[i] & 1;
    return count;
}

static void test_fiber_fresh_one_occupies_its_header_only(void **state)
{
    (void)state;
    struct twi_arena arena;
    twi_arena_init(&arena, 1 << 20);
    size_t header_pages = sizeof(struct twi_fiber) / twi_page_size() + 1;
    for (int i = 0; i < 3; i++) {
        struct twi_fiber *fiber = twi_fiber_make(&arena, never);
        assert_in_range(resident_pages(&arena, fiber), 1, header_pages);
    }
    twi_arena_free(&arena);
}

static void test_fiber_trim_gives_back_what_is_far_from_the_header(void **state)
{
    (void)state;
    struct twi_arena arena;
    twi_arena_init(&arena, 1 << 20);
    struct twi_fiber *fiber = twi_fiber_make(&arena, never);
    size_t page = twi_page_size();
    char *high = (char *)fiber, *slots = (char *)fiber->slots;
    char *end = (char *)(fiber->bound + TWI_SLOTS_SPARE);
    size_t frame = 256; // where its first context stands
    memset(fiber->stack_low, 'x', (size_t)(high - fiber->stack_low) - frame);
    memset(slots, 'x', (size_t)(end - slots));
    struct twi_fiber before = *fiber;
    twi_fiber_trim(fiber);
    before.deepest = fiber->deepest;
    assert_memory_equal(&before, fiber, sizeof before);
    assert_in_range(resident_pages(&arena, fiber), 1, 2 * KEPT / page + 3);
    assert_int_equal(high[-(ptrdiff_t)frame - 1], 'x'); // near the header all is kept
    assert_int_equal(slots[page], 'x');
    assert_int_equal(fiber->stack_low[0], 0);
    assert_int_equal(high[-KEPT - 2 * (ptrdiff_t)page], 0);
    assert_int_equal(slots[KEPT + 2 * page], 0);
    assert_int_equal(end[-1], 0);
    twi_arena_free(&arena);
}

static void test_fiber_trim_of_the_smallest(void **state)
{
    (void)state;
    struct twi_arena arena;
    twi_arena_init(&arena, 1);
    struct twi_fiber *fiber = twi_fiber_make(&arena, never);
    struct twi_fiber before = *fiber;
    twi_fiber_trim(fiber);
    twi_fiber_trim(fiber);
    before.deepest = fiber->deepest;
    assert_memory_equal(&before, fiber, sizeof before);
    check_deque(fiber);
    twi_arena_free(&arena);
}

// ---- running on one ----

static struct twi_context home;
static struct twi_sanitize home_sanitize;
static struct twi_fiber *ran;
static const char *ran_at;
static int ran_times;

static void run_here(void *argument)
{
    struct twi_fiber *self = argument;
    twi_sanitize_enter(&self->sanitize, 1);
    for (;;) {
        ran = self;
        ran_at = __builtin_frame_address(0);
        ran_times++;
        twi_sanitize_leave(&self->sanitize, &home_sanitize);
        twi_context_switch(&self->context, &home);
        twi_sanitize_enter(&self->sanitize, 0);
    }
}

static void visit(struct twi_fiber *fiber)
{
    twi_sanitize_leave(&home_sanitize, &fiber->sanitize);
    twi_context_switch(&home, &fiber->context);
    twi_sanitize_enter(&home_sanitize, 0);
}

// Suspended and trimmed, it goes on as if nothing had been.
static void test_fiber_runs_its_entry_on_its_stack(void **state)
{
    (void)state;
    struct twi_arena arena;
    twi_arena_init(&arena, 65536);
    twi_sanitize_adopt(&home_sanitize);
    for (int i = 0; i < 40; i++) {
        struct twi_fiber *fiber = twi_fiber_make(&arena, run_here);
        ran_times = 0;
        for (int visits = 1; visits <= 3; visits++) {
            visit(fiber);
            assert_ptr_equal(ran, fiber);
            assert_int_equal(ran_times, visits);
            twi_fiber_trim(fiber);
        }
        assert_true(ran_at > fiber->stack_low && ran_at < (const char *)fiber);
    }
    twi_arena_free(&arena);
}

// ---- very many ----

static long mappings(void)
{
    long lines = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    for (int c; (c = getc(maps)) != EOF;)
        lines += c == '\n';
    fclose(maps);
    return lines;
}

static unsigned long address_space_pages(void)
{
    unsigned long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    assert_non_null(statm);
    assert_int_equal(fscanf(statm, "%lu", &pages), 1);
    fclose(statm);
    return pages;
}

static int is_guarded_by_advice(void)
{
    return strcmp(twi_guard_kind(), "madvise") == 0;
}

// Guards by mprotect cut mappings in two, of which there are too few for so many.
static void test_fiber_forty_thousand(void **state)
{
    (void)state;
#ifdef TWI_TSAN
    skip(); // TSan has room for eight thousand
#endif
    if (test_is_emulated())
        skip();
    struct twi_arena arena;
    long before = mappings();
    unsigned long pages = address_space_pages();
    size_t made = 0;
    twi_arena_init(&arena, 65536);
    while (made < MANY && twi_fiber_make(&arena, never))
        made++;
    if (is_guarded_by_advice()) {
        assert_int_equal(made, MANY);
        assert_in_range(mappings() - before, 0, 2 * MANY / TWI_CHUNK_FIBERS);
    } else {
        assert_true(made > 1000);
    }
    assert_int_equal(arena.made, made);
    twi_arena_free(&arena);
    assert_in_range(address_space_pages(), 1, pages + MANY); // a page each has not stayed
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fiber_layout),
        cmocka_unit_test(test_fiber_layout_of_the_largest_stack),
        cmocka_unit_test(test_fiber_blocks_are_apart),
        cmocka_unit_test(test_fiber_made_by_several_threads),
        cmocka_unit_test(test_fiber_guard_grows_with_the_stack),
        cmocka_unit_test(test_fiber_fresh_one_occupies_its_header_only),
        cmocka_unit_test(test_fiber_trim_gives_back_what_is_far_from_the_header),
        cmocka_unit_test(test_fiber_trim_of_the_smallest),
        cmocka_unit_test(test_fiber_runs_its_entry_on_its_stack),
        cmocka_unit_test(test_fiber_forty_thousand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
