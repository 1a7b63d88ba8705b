// SPDX-License-Identifier: Apache-2.0
// Where a woken fiber goes (src/rule/wake.h), and what a thief takes of those that wait.
#include "support.h"

#include "core/mailbox.h"
#include "core/turns.h"
#include "rule/wake.h"

enum { WAKER = 3, LAST = 5, MAILS = 20 };

static void test_wake_place(void **state)
{
    (void)state;
    unsigned paces[] = {0, 1, TWI_PACE_PAYS - 1, TWI_PACE_PAYS, 1000000};
    for (size_t i = 0; i < sizeof paces / sizeof *paces; i++) {
        assert_int_equal(twi_wake_place(TWI_WAKE_CUR, WAKER, LAST, paces[i]), WAKER);
        assert_int_equal(twi_wake_place(TWI_WAKE_LAST, WAKER, LAST, paces[i]), LAST);
        assert_int_equal(twi_wake_place(TWI_WAKE_LHWS, WAKER, LAST, paces[i]), LAST);
        assert_int_equal(twi_wake_place(TWI_WAKE_AUTO, WAKER, LAST, paces[i]),
                         i == 1 || i == 2 ? WAKER : LAST);
    }
}

static void test_wake_batch(void **state)
{
    (void)state;
    enum twi_wake all[] = {TWI_WAKE_AUTO, TWI_WAKE_CUR, TWI_WAKE_LAST, TWI_WAKE_LHWS};
    unsigned expected[] = {TWI_BATCH_MOST, 1, 1, TWI_BATCH_MOST};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(twi_wake_batch(all[i], TWI_SHARE_AUTO), expected[i]);
        assert_int_equal(twi_wake_batch(all[i], TWI_SHARE_ONE), 1);
        assert_int_equal(twi_wake_batch(all[i], TWI_SHARE_HALF), TWI_BATCH_MOST);
    }
}

// ---- taking half ----

static char *memory;

static int memory_make(void **state)
{
    (void)state;
    memory = twi_reserve((size_t)MAILS << TWI_FIBER_SHIFT, (size_t)1 << TWI_FIBER_SHIFT);
    return memory == NULL;
}

static int memory_free(void **state)
{
    (void)state;
    twi_unreserve(memory, (size_t)MAILS << TWI_FIBER_SHIFT);
    return 0;
}

static struct twi_mail *mail_at(int i)
{
    char *place = memory + ((size_t)i << TWI_FIBER_SHIFT);
    return (struct twi_mail *)(place + twi_fiber_offset((uintptr_t)place));
}

static int chain_length(const struct twi_chain *chain)
{
    int length = 0;
    for (struct twi_mail *mail = chain->first; mail; mail = mail->next) {
        length++;
        if (mail == chain->last)
            break;
    }
    return length;
}

// A box with `count` mails, the first of them on top.
static struct twi_mailbox box_of(int count)
{
    struct twi_mailbox box = {0};
    struct twi_chain chain = {NULL, NULL};
    for (int i = 0; i < count; i++)
        twi_chain_append(&chain, mail_at(i));
    if (count)
        twi_mailbox_put_chain(&box, &chain);
    return box;
}

static void test_wake_half_of_a_box(void **state)
{
    (void)state;
    for (int count = 0; count <= MAILS; count++)
        for (unsigned most = 1; most <= 6; most++) {
            struct twi_chain rest = {NULL, NULL};
            struct twi_mailbox box = box_of(count);
            struct twi_mail *first = twi_mailbox_take_half(&box, most, &rest);
            if (count == 0) {
                assert_null(first);
                continue;
            }
            unsigned half = ((unsigned)count + 1) / 2, expected = half < most ? half : most;
            assert_ptr_equal(first, mail_at(0));
            assert_int_equal(1 + chain_length(&rest), expected);
            for (int i = (int)expected; i < count; i++)
                assert_ptr_equal(twi_mailbox_take(&box), mail_at(i));
            assert_null(twi_mailbox_take(&box));
        }
}

// ---- turns ----

static void test_wake_turns_are_in_order(void **state)
{
    (void)state;
    struct twi_turns turns = {0};
    assert_null(twi_turns_take(&turns, 1));
    assert_null(twi_turns_swap(&turns, mail_at(0)));
    for (int i = 0; i < 3; i++)
        twi_turns_put(&turns, mail_at(i));
    assert_ptr_equal(twi_turns_swap(&turns, mail_at(3)), mail_at(0));
    assert_null(twi_turns_take(&turns, 0)); // the lock is held until the swapper has left
    twi_lock_drop(&turns.lock);
    for (int i = 1; i <= 3; i++)
        assert_ptr_equal(twi_turns_take(&turns, 0), mail_at(i));
    assert_true(twi_turns_empty(&turns));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wake_place),
        cmocka_unit_test(test_wake_batch),
        cmocka_unit_test_setup_teardown(test_wake_half_of_a_box, memory_make, memory_free),
        cmocka_unit_test_setup_teardown(test_wake_turns_are_in_order, memory_make, memory_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
