// SPDX-License-Identifier: Apache-2.0
// ctest: workers=2
// Mailboxes: newest first with one thread; with several, nothing is lost, doubled, or held by two.
#include "support.h"

#include <pthread.h>
#include <sched.h>

#include "base/os.h"
#include "base/rng.h"
#include "core/mailbox.h"

enum { THREADS = 4, MAILS_MOST = 64, BOXES = 3, STEPS = 300000 };

#define SPACING ((size_t)1 << TWI_FIBER_SHIFT)

// What a fiber would be: a link at the address that mailboxes expect, and contents.
struct letter {
    struct twi_mail mail; // first: known by it
    int held;             // by whoever took it
    long visits;          // plain: only the holder writes
};

static char *memory;

static int memory_make(void **state)
{
    (void)state;
    memory = twi_reserve(MAILS_MOST * SPACING, SPACING);
    return memory == NULL;
}

static int memory_free(void **state)
{
    (void)state;
    twi_unreserve(memory, MAILS_MOST * SPACING);
    return 0;
}

static struct letter *letter(size_t n)
{
    char *place = memory + n * SPACING;
    return (struct letter *)(place + twi_fiber_offset((uintptr_t)place));
}

// ---- one thread ----

static void test_mailbox_newest_first(void **state)
{
    (void)state;
    struct twi_mailbox box = {0};
    assert_true(twi_mailbox_empty(&box));
    assert_null(twi_mailbox_take(&box));
    for (size_t i = 0; i < MAILS_MOST; i++) {
        twi_mailbox_put(&box, &letter(i)->mail);
        assert_false(twi_mailbox_empty(&box));
    }
    for (size_t i = MAILS_MOST; i-- > 0;)
        assert_ptr_equal(twi_mailbox_take(&box), &letter(i)->mail);
    assert_true(twi_mailbox_empty(&box));
    assert_null(twi_mailbox_take(&box));
}

static void test_mailbox_put_between_takes(void **state)
{
    (void)state;
    struct twi_mailbox box = {0};
    twi_mailbox_put(&box, &letter(0)->mail);
    twi_mailbox_put(&box, &letter(1)->mail);
    assert_ptr_equal(twi_mailbox_take(&box), &letter(1)->mail);
    twi_mailbox_put(&box, &letter(2)->mail);
    twi_mailbox_put(&box, &letter(1)->mail);
    assert_ptr_equal(twi_mailbox_take(&box), &letter(1)->mail);
    assert_ptr_equal(twi_mailbox_take(&box), &letter(2)->mail);
    assert_ptr_equal(twi_mailbox_take(&box), &letter(0)->mail);
    assert_null(twi_mailbox_take(&box));
}

// A letter taken and put back is not what it was, to someone who looked before.
static void test_mailbox_every_take_leaves_a_trace(void **state)
{
    (void)state;
    struct twi_mailbox box = {0};
    twi_mailbox_put(&box, &letter(0)->mail);
    uint64_t before = box.newest;
    twi_mailbox_put(&box, twi_mailbox_take(&box));
    assert_int_not_equal(box.newest, before);
    assert_ptr_equal(twi_mail_unpack(box.newest), &letter(0)->mail);
}

static void test_mailbox_addresses_survive_packing(void **state)
{
    (void)state;
    for (size_t i = 0; i < MAILS_MOST; i++) {
        struct twi_mail *mail = &letter(i)->mail;
        assert_ptr_equal(twi_mail_unpack(twi_mail_pack(UINT32_MAX, mail)), mail);
        assert_int_equal(twi_mail_pack(7, mail) >> 32, 7);
    }
    assert_null(twi_mail_unpack(twi_mail_pack(9, NULL)));
    uintptr_t high = ((uintptr_t)1 << 48) - SPACING; // the last one there can be
    high += twi_fiber_offset(high);
    assert_int_equal((uintptr_t)twi_mail_unpack(twi_mail_pack(1, (struct twi_mail *)high)), high);
}

// ---- several threads ----

struct carrier {
    pthread_t thread;
    struct twi_mailbox *boxes;
    struct twi_rng rng;
    int steps;
    long carried, wrong;
};

// Moves letters from box to box.
static void *carrier_main(void *argument)
{
    struct carrier *c = argument;
    for (int i = 0; i < c->steps; i++) {
        struct twi_mail *mail = twi_mailbox_take(&c->boxes[twi_rng_below(&c->rng, BOXES)]);
        if (!mail) {
            if (i % 64 == 0)
                sched_yield();
            continue;
        }
        struct letter *taken = (struct letter *)mail;
        c->wrong += __atomic_exchange_n(&taken->held, 1, __ATOMIC_RELAXED) != 0;
        taken->visits++;
        c->carried++;
        __atomic_store_n(&taken->held, 0, __ATOMIC_RELAXED);
        twi_mailbox_put(&c->boxes[twi_rng_below(&c->rng, BOXES)], mail);
    }
    return NULL;
}

// Empties all boxes: each letter is there once. Returns how often they were carried.
static long collect(struct twi_mailbox *boxes, size_t mails)
{
    size_t found = 0;
    long visits = 0;
    for (int i = 0; i < BOXES; i++)
        for (struct twi_mail *mail; (mail = twi_mailbox_take(&boxes[i]));) {
            struct letter *one = (struct letter *)mail;
            assert_int_equal(one->held, 0);
            one->held = 2;
            visits += one->visits;
            found++;
        }
    assert_int_equal(found, mails);
    return visits;
}

static void carry(size_t mails, uint64_t seed)
{
    struct twi_mailbox boxes[BOXES] = {{0}};
    struct carrier carriers[THREADS];
    long carried = 0;
    for (size_t i = 0; i < mails; i++) {
        *letter(i) = (struct letter){{NULL}, 0, 0};
        twi_mailbox_put(&boxes[i % BOXES], &letter(i)->mail);
    }
    for (int i = 0; i < THREADS; i++) {
        struct carrier *c = &carriers[i];
        *c = (struct carrier){.boxes = boxes, .rng = {seed + (uint64_t)i}};
        c->steps = test_scaled(STEPS);
        assert_int_equal(pthread_create(&c->thread, NULL, carrier_main, c), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(carriers[i].thread, NULL);
        assert_int_equal(carriers[i].wrong, 0);
        carried += carriers[i].carried;
    }
    assert_true(carried > 0);
    assert_int_equal(collect(boxes, mails), carried);
}

// With few letters the same one is newest again and again: what the tag is for.
static void test_mailbox_stress_few_letters(void **state)
{
    (void)state;
    for (size_t mails = 1; mails <= 5; mails++)
        carry(mails, 100 * mails);
}

static void test_mailbox_stress_many_letters(void **state)
{
    (void)state;
    carry(MAILS_MOST, 1);
}

#define WITH_MEMORY(f) cmocka_unit_test_setup_teardown(f, memory_make, memory_free)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_MEMORY(test_mailbox_newest_first),
        WITH_MEMORY(test_mailbox_put_between_takes),
        WITH_MEMORY(test_mailbox_every_take_leaves_a_trace),
        WITH_MEMORY(test_mailbox_addresses_survive_packing),
        WITH_MEMORY(test_mailbox_stress_few_letters),
        WITH_MEMORY(test_mailbox_stress_many_letters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
