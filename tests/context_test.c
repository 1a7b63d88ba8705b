// SPDX-License-Identifier: Apache-2.0
// ctest: workers=2
// Switching stacks: what runs where, and what of the processor's state each side keeps.
#include "support.h"

#include <fenv.h>
#include <string.h>

#include "base/context.h"
#include "base/sanitize.h"

enum { STACK_SIZE = 256 * 1024 };

// One stack and whoever is suspended on it.
struct side {
    struct twi_context context;
    struct twi_sanitize sanitize;
    struct side *back; // where its body returns to, again and again
    void (*body)(struct side *);
    unsigned char *stack;
    int fresh;
};

static void side_go(struct side *from, struct side *to)
{
    twi_sanitize_leave(&from->sanitize, &to->sanitize);
    twi_context_switch(&from->context, &to->context);
    twi_sanitize_enter(&from->sanitize, 0);
}

// Entry of every made side: its body, then nothing but going back.
static void side_enter(void *argument)
{
    struct side *side = argument;
    twi_sanitize_enter(&side->sanitize, side->fresh);
    side->fresh = 0;
    side->body(side);
    for (;;)
        side_go(side, side->back);
}

static void side_adopt(struct side *side)
{
    memset(side, 0, sizeof *side);
    twi_sanitize_adopt(&side->sanitize);
}

// A side on a stack whose end is `odd` bytes past an aligned address.
static void side_make(struct side *side, struct side *back, void (*body)(struct side *), size_t odd)
{
    memset(side, 0, sizeof *side);
    side->back = back;
    side->body = body;
    side->fresh = 1;
    side->stack = aligned_alloc(4096, STACK_SIZE);
    assert_non_null(side->stack);
    unsigned char *high = side->stack + STACK_SIZE - (odd ? 64 - odd : 0);
    twi_sanitize_make(&side->sanitize, side->stack, STACK_SIZE);
    twi_context_make(&side->context, side->stack, high, side_enter, side);
}

static void side_free(struct side *side)
{
    twi_sanitize_free(&side->sanitize);
    free(side->stack);
}

// ---- going there and back ----

struct count {
    struct side side;
    long visits;
    const void *frame;
};

static void count_visits(struct side *side)
{
    struct count *count = (struct count *)side;
    long own = 0;
    for (;;) {
        count->frame = __builtin_frame_address(0);
        count->visits = ++own;
        side_go(side, side->back);
    }
}

static void test_context_switches_there_and_back(void **state)
{
    (void)state;
    struct side here;
    struct count there = {.visits = 0};
    side_adopt(&here);
    side_make(&there.side, &here, count_visits, 0);
    int times = test_scaled(200000);
    for (int i = 1; i <= times; i++) {
        side_go(&here, &there.side);
        assert_int_equal(there.visits, i);
    }
    const unsigned char *frame = there.frame;
    assert_true(frame >= there.side.stack && frame < there.side.stack + STACK_SIZE);
    side_free(&there.side);
}

// Each passes control to the next; the last one back to the first caller.
static void pass_on(struct side *side)
{
    struct count *count = (struct count *)side;
    for (;;) {
        count->visits++;
        side_go(side, side->back);
    }
}

static void test_context_a_ring_of_many(void **state)
{
    (void)state;
    enum { SIDES = 50, ROUNDS = 100 };
    static struct count ring[SIDES];
    struct side here;
    side_adopt(&here);
    for (int i = 0; i < SIDES; i++) {
        ring[i].visits = 0;
        side_make(&ring[i].side, i + 1 < SIDES ? &ring[i + 1].side : &here, pass_on, 0);
    }
    for (int round = 1; round <= ROUNDS; round++) {
        side_go(&here, &ring[0].side);
        for (int i = 0; i < SIDES; i++)
            assert_int_equal(ring[i].visits, round);
    }
    for (int i = 0; i < SIDES; i++)
        side_free(&ring[i].side);
}

// ---- the stack as the calling convention wants it ----

struct align {
    struct side side;
    uintptr_t frame;
    char text[64];
};

// The C library's formatted output of a double stores vector registers by aligned instructions.
static void use_aligned_frames(struct side *side)
{
    struct align *align = (struct align *)side;
    align->frame = (uintptr_t)__builtin_frame_address(0);
    volatile double third = 1.0 / 3;
    snprintf(align->text, sizeof align->text, "%.3f %s", third, "there");
    side_go(side, side->back);
}

static void test_context_enters_aligned(void **state)
{
    (void)state;
    for (size_t odd = 0; odd < 64; odd++) {
        struct side here;
        struct align there = {.frame = 0};
        side_adopt(&here);
        side_make(&there.side, &here, use_aligned_frames, odd);
        side_go(&here, &there.side);
        assert_int_equal(there.frame % 16, 0);
        assert_string_equal(there.text, "0.333 there");
        side_free(&there.side);
    }
}

// ---- callee-saved registers ----

// Loads `in` into every register that a call must preserve, switches, and stores what is there
// after the switch back into `out`.
void test_context_keep(struct twi_context *from, const struct twi_context *to, const uint64_t *in,
                       uint64_t *out);

#if defined(__x86_64__)
enum { KEPT = 6 };
__asm__(".text\n"
        ".globl test_context_keep\n"
        "test_context_keep:\n"
        "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n"
        "    pushq %r13\n    pushq %r14\n    pushq %r15\n"
        "    pushq %rcx\n"
        "    movq 0(%rdx), %rbp\n    movq 8(%rdx), %rbx\n"
        "    movq 16(%rdx), %r12\n    movq 24(%rdx), %r13\n"
        "    movq 32(%rdx), %r14\n    movq 40(%rdx), %r15\n"
        "    call twi_context_switch\n"
        "    popq %rcx\n"
        "    movq %rbp, 0(%rcx)\n    movq %rbx, 8(%rcx)\n"
        "    movq %r12, 16(%rcx)\n    movq %r13, 24(%rcx)\n"
        "    movq %r14, 32(%rcx)\n    movq %r15, 40(%rcx)\n"
        "    popq %r15\n    popq %r14\n    popq %r13\n"
        "    popq %r12\n    popq %rbx\n    popq %rbp\n"
        "    ret\n");
#elif defined(__aarch64__)
enum { KEPT = 19 };
__asm__(".text\n"
        ".globl test_context_keep\n"
        "test_context_keep:\n"
        "    stp x29, x30, [sp, #-176]!\n"
        "    stp x19, x20, [sp, #16]\n    stp x21, x22, [sp, #32]\n"
        "    stp x23, x24, [sp, #48]\n    stp x25, x26, [sp, #64]\n"
        "    stp x27, x28, [sp, #80]\n    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n    str x3, [sp, #160]\n"
        "    ldp x19, x20, [x2]\n    ldp x21, x22, [x2, #16]\n"
        "    ldp x23, x24, [x2, #32]\n    ldp x25, x26, [x2, #48]\n"
        "    ldp x27, x28, [x2, #64]\n    ldp d8, d9, [x2, #80]\n"
        "    ldp d10, d11, [x2, #96]\n    ldp d12, d13, [x2, #112]\n"
        "    ldp d14, d15, [x2, #128]\n    ldr x29, [x2, #144]\n"
        "    bl twi_context_switch\n"
        "    ldr x3, [sp, #160]\n"
        "    stp x19, x20, [x3]\n    stp x21, x22, [x3, #16]\n"
        "    stp x23, x24, [x3, #32]\n    stp x25, x26, [x3, #48]\n"
        "    stp x27, x28, [x3, #64]\n    stp d8, d9, [x3, #80]\n"
        "    stp d10, d11, [x3, #96]\n    stp d12, d13, [x3, #112]\n"
        "    stp d14, d15, [x3, #128]\n    str x29, [x3, #144]\n"
        "    ldp x19, x20, [sp, #16]\n    ldp x21, x22, [sp, #32]\n"
        "    ldp x23, x24, [sp, #48]\n    ldp x25, x26, [sp, #64]\n"
        "    ldp x27, x28, [sp, #80]\n    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    ldp x29, x30, [sp], #176\n"
        "    ret\n");
#else
enum { KEPT = 0 };
void test_context_keep(struct twi_context *from, const struct twi_context *to, const uint64_t *in,
                       uint64_t *out)
{
    (void)in, (void)out;
    twi_context_switch(from, to);
}
#endif

struct keep {
    struct side side;
    uint64_t in[KEPT + 1], out[KEPT + 1];
};

static void keep_fill(struct keep *keep, uint64_t salt)
{
    for (int i = 0; i < KEPT; i++) {
        keep->in[i] = salt * 0x0101010101010101u + (uint64_t)i;
        keep->out[i] = 0;
    }
}

static void keep_go(struct keep *from, struct keep *to)
{
    twi_sanitize_leave(&from->side.sanitize, &to->side.sanitize);
    test_context_keep(&from->side.context, &to->side.context, from->in, from->out);
    twi_sanitize_enter(&from->side.sanitize, 0);
}

static int keep_holds(const struct keep *keep)
{
    return memcmp(keep->in, keep->out, KEPT * sizeof *keep->in) == 0;
}

static int there_kept;

static void keep_there(struct side *side)
{
    struct keep *keep = (struct keep *)side;
    for (uint64_t salt = 100;; salt++) {
        keep_fill(keep, salt);
        keep_go(keep, (struct keep *)side->back);
        there_kept += keep_holds(keep);
    }
}

static void test_context_keeps_callee_saved_registers(void **state)
{
    (void)state;
    enum { TIMES = 50 };
    struct keep here, there;
    side_adopt(&here.side);
    side_make(&there.side, &here.side, keep_there, 0);
    there_kept = 0;
    for (uint64_t salt = 1; salt <= TIMES; salt++) {
        keep_fill(&here, salt);
        keep_go(&here, &there);
        assert_memory_equal(here.in, here.out, KEPT * sizeof *here.in);
    }
    assert_int_equal(there_kept, TIMES - 1);
    side_free(&there.side);
}

// ---- floating-point control ----

struct rounding {
    struct side side;
    int first, later;
    double third;
    long double long_third;
};

static volatile double one = 1, three = 3;
static volatile long double long_one = 1, long_three = 3;

static void round_down_there(struct side *side)
{
    struct rounding *r = (struct rounding *)side;
    r->first = fegetround();
    fesetround(FE_DOWNWARD);
    for (;;) {
        r->third = one / three;
        r->long_third = long_one / long_three;
        side_go(side, side->back);
        r->later = fegetround();
    }
}

static void test_context_rounding_mode_is_each_side_s_own(void **state)
{
    (void)state;
    struct side here;
    struct rounding there = {.first = -1};
    side_adopt(&here);
    assert_int_equal(fesetround(FE_UPWARD), 0);
    side_make(&there.side, &here, round_down_there, 0); // takes over its maker's mode
    assert_int_equal(fesetround(FE_TOWARDZERO), 0);
    side_go(&here, &there.side);
    int after = fegetround();
    fesetround(FE_UPWARD);
    side_go(&here, &there.side);
    double third = one / three;
    long double long_third = long_one / long_three;
    int still = fegetround();
    fesetround(FE_TONEAREST);
    assert_int_equal(there.first, FE_UPWARD);
    assert_int_equal(there.later, FE_DOWNWARD);
    assert_int_equal(after, FE_TOWARDZERO);
    assert_int_equal(still, FE_UPWARD);
    assert_true(there.third < third);
    assert_true(there.long_third < long_third);
    side_free(&there.side);
}

static void test_context_kind_is_known(void **state)
{
    (void)state;
    const char *kind = twi_context_kind();
    assert_true(strcmp(kind, "x86-64") == 0 || strcmp(kind, "aarch64") == 0 ||
                strcmp(kind, "ucontext") == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_context_switches_there_and_back),
        cmocka_unit_test(test_context_a_ring_of_many),
        cmocka_unit_test(test_context_enters_aligned),
        cmocka_unit_test(test_context_keeps_callee_saved_registers),
        cmocka_unit_test(test_context_rounding_mode_is_each_side_s_own),
        cmocka_unit_test(test_context_kind_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
