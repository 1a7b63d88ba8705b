// SPDX-License-Identifier: Apache-2.0
// What a place shows to its neighbours (src/fabric/page.h), where a communication worker sleeps
// without them (src/fabric/doze.h), what its workers leave for it (src/place/outbox.h), and how
// they see that it sleeps for long (src/place/repose.h).
//
// Nobody rises by time here, but in `nap`: a message or a call that is missed is a deadlock. What
// MPI carries is a word that is stored and read without any order: nothing but the fences of ring
// and lie_down makes it seen in time.
#include <string.h>

#include "fabric/doze.h"

// Between processes as between threads.
static int twi_futex_wait_shared(uint32_t *word, uint32_t expected, int64_t timeout_ns)
{
    return twi_futex_wait(word, expected, timeout_ns);
}

static int twi_futex_wake_shared(uint32_t *word, int count)
{
    return twi_futex_wake(word, count);
}

#include "fabric/page.h"
#include "place/outbox.h"
#include "place/repose.h"

enum { LETTERS = 2 };

static struct twi_page page;
static struct twi_doze doze;
static struct twi_letter *outbox;
static struct twi_letter letters[LETTERS];
static uint32_t written[LETTERS]; // plain memory that goes with a letter
static uint32_t mail[2];          // by sender
static uint32_t payload;          // plain memory
static uint64_t until_ns;         // of a repose
static uint32_t is_idle;          // the worker

static struct {
    unsigned char came[LETTERS];
} ghost;

static void setup(void)
{
    memset(&page, 0, sizeof page);
    memset(&doze, 0, sizeof doze);
    memset(letters, 0, sizeof letters);
    memset(written, 0, sizeof written);
    memset(mail, 0, sizeof mail);
    outbox = NULL;
    payload = 0;
    until_ns = 0;
    is_idle = 1;
    model_name(&until_ns, "until_ns");
    model_name(&is_idle, "is_idle");
    model_name(&page.owner, "owner");
    model_name(&page.sleep, "sleep");
    model_name(&doze.called, "called");
    model_name(&outbox, "outbox");
    model_name(&mail[0], "mail[0]");
    model_name(&mail[1], "mail[1]");
}

// It sleeps already, so far as others can see.
static void setup_asleep(void)
{
    setup();
    page.sleep = TWI_ASLEEP;
}

// ---- the lock ----

static void count_locked(uint32_t place)
{
    while (!twi_page_lock(&page, place))
        TWI_PAUSE();
    model_assert(TWI_LOAD(&page.owner, TWI_RELAXED) == place + 1, "the lock is another's");
    TWI_WRITE(payload, TWI_READ(payload) + 1);
    twi_page_unlock(&page);
}

static void lock_once(int id)
{
    count_locked((uint32_t)id);
}

static void lock_twice(int id)
{
    count_locked((uint32_t)id);
    count_locked((uint32_t)id);
}

static void check_three(void)
{
    model_assert(payload == 3, "%u of 3 were counted", payload);
}

static void check_four(void)
{
    model_assert(payload == 4, "%u of 4 were counted", payload);
}

// ---- sleep: thread 0 is the place's communication worker ----

static int has_mail(unsigned senders)
{
    return TWI_LOAD(&mail[0], TWI_RELAXED) && (senders < 2 || TWI_LOAD(&mail[1], TWI_RELAXED));
}

// As carried.c does. Whether it was called.
static int rest(unsigned senders, int64_t most_ns)
{
    if (!twi_page_lie_down(&page))
        return 1;
    if (has_mail(senders))
        return twi_page_rise(&page);
    return twi_page_sleep(&page, most_ns);
}

static void await_mail(unsigned senders)
{
    while (!has_mail(senders)) {
        model_forget(senders);
        (void)rest(senders, -1);
    }
}

static void send_mail(unsigned sender)
{
    TWI_STORE(&mail[sender], 1u, TWI_RELAXED);
    twi_page_ring(&page);
}

static void call(void)
{
    TWI_WRITE(payload, 7u);
    twi_page_call(&page);
}

static void must_see_payload(void)
{
    model_assert(TWI_READ(payload) == 7, "what was done before the call is not there");
}

static void ring(int id)
{
    if (id == 0)
        await_mail(1);
    else
        send_mail(0);
}

static void two_ring(int id)
{
    if (id == 0)
        await_mail(2);
    else
        send_mail((unsigned)id - 1);
}

// The first sleep may be over at any moment.
static void nap(int id)
{
    if (id == 1) {
        send_mail(0);
        return;
    }
    (void)rest(1, 1);
    await_mail(1);
}

// A ring tells of more than the message.
static void ring_tells(int id)
{
    if (id == 1) {
        TWI_WRITE(payload, 7u);
        twi_page_ring(&page);
    } else if (twi_page_sleep(&page, 1)) {
        must_see_payload();
    }
}

static void own_thread_calls(int id)
{
    if (id == 1) {
        call();
        return;
    }
    while (!rest(1, -1))
        model_forget(0);
    must_see_payload();
}

// It is called while it looks round.
static void call_of_who_spins(int id)
{
    if (id == 1) {
        call();
        return;
    }
    while (!twi_page_is_called(&page))
        TWI_PAUSE();
    model_assert(twi_page_rise(&page), "a call was lost");
    must_see_payload();
}

// Neither takes the other's place. A call is known by what it is about.
static void call_and_ring(int id)
{
    if (id == 1) {
        send_mail(0);
    } else if (id == 2) {
        TWI_STORE(&mail[1], 1u, TWI_RELAXED);
        twi_page_call(&page);
    } else {
        await_mail(2);
    }
}

// A worker looks for messages while the place sleeps, and leaves off: what came meanwhile is not
// left lying.
static void attended(int id)
{
    if (id == 0) {
        await_mail(1);
    } else if (id == 1) {
        send_mail(0);
    } else {
        twi_page_attend(&page);
        twi_page_neglect(&page);
        if (has_mail(1))
            twi_page_call(&page);
    }
}

// It is called while another attends to it.
static void called_though_attended(int id)
{
    if (id == 1) {
        twi_page_attend(&page);
        call();
        return;
    }
    while (!rest(1, -1))
        model_forget(0);
    must_see_payload();
}

// It may sleep for long only while the worker is idle, and until it is called.
static void repose(int id)
{
    enum { SHORT = 10, LONG = 1000 };
    if (id == 1) {
        TWI_STORE(&is_idle, 0u, TWI_RELAXED);
        if (twi_repose_lasts(&until_ns, SHORT))
            twi_page_call(&page);
        return;
    }
    twi_repose_begin(&until_ns);
    int is_long = TWI_LOAD(&is_idle, TWI_RELAXED) != 0;
    twi_repose_until(&until_ns, is_long ? LONG : SHORT);
    while (is_long && !rest(1, -1))
        model_forget(0);
    twi_repose_until(&until_ns, 0);
}

// ---- doze ----

static void doze_called(int id)
{
    if (id == 0) {
        twi_doze_wait(&doze, -1);
        must_see_payload();
    } else {
        TWI_WRITE(payload, 7u);
        twi_doze_call(&doze);
    }
}

static void doze_of_two(int id)
{
    if (id == 0) {
        while (!has_mail(2)) {
            model_forget(0);
            twi_doze_wait(&doze, -1);
        }
    } else {
        TWI_STORE(&mail[id - 1], 1u, TWI_RELAXED);
        twi_doze_call(&doze);
    }
}

// ---- the outbox ----

static void post(int i)
{
    TWI_WRITE(written[i], 7u);
    twi_outbox_put(&outbox, &letters[i]);
    twi_page_call(&page);
}

static unsigned take_letters(void)
{
    unsigned count = 0;
    struct twi_letter *letter = twi_outbox_take(&outbox), *next;
    for (; letter; letter = next, count++) {
        next = TWI_READ(letter->next);
        model_assert(TWI_READ(written[letter - letters]) == 7, "a letter that is not written yet");
        ghost.came[letter - letters]++;
    }
    return count;
}

static void take_all(void)
{
    for (unsigned count = 0; (count += take_letters()) < LETTERS;) {
        model_forget(count);
        (void)rest(1, -1);
    }
}

static void two_post(int id)
{
    if (id == 0)
        take_all();
    else
        post(id - 1);
}

static void one_posts_two(int id)
{
    if (id == 1) {
        post(0);
        post(1);
        return;
    }
    struct twi_letter *letter = twi_outbox_take(&outbox);
    if (letter && TWI_READ(letter->next))
        model_assert(letter == &letters[0], "the letters changed places");
    for (; letter; letter = TWI_READ(letter->next))
        ghost.came[letter - letters]++;
    while (ghost.came[0] + ghost.came[1] < LETTERS) {
        model_observe((uint64_t)(ghost.came[0] + ghost.came[1]));
        (void)rest(1, -1);
        (void)take_letters();
    }
}

static void check_letters(void)
{
    for (int i = 0; i < LETTERS; i++)
        model_assert(ghost.came[i] == 1, "letter %d came %u times", i, ghost.came[i]);
}

#define PROGRAM(test, count, before, after)                                                        \
    {                                                                                              \
        .name = #test, .threads = count, .setup = before, .thread = test, .check = after,          \
        .ghost = &ghost, .ghost_size = sizeof ghost,                                               \
    }

static const struct model_program programs[] = {
    PROGRAM(lock_once, 3, setup, check_three),
    PROGRAM(lock_twice, 2, setup, check_four),
    PROGRAM(ring, 2, setup, NULL),
    PROGRAM(two_ring, 3, setup, NULL),
    PROGRAM(nap, 2, setup, NULL),
    PROGRAM(ring_tells, 2, setup_asleep, NULL),
    PROGRAM(own_thread_calls, 2, setup, NULL),
    PROGRAM(call_of_who_spins, 2, setup, NULL),
    PROGRAM(call_and_ring, 3, setup, NULL),
    PROGRAM(attended, 3, setup, NULL),
    PROGRAM(called_though_attended, 2, setup, NULL),
    PROGRAM(repose, 2, setup, NULL),
    PROGRAM(doze_called, 2, setup, NULL),
    PROGRAM(doze_of_two, 3, setup, NULL),
    PROGRAM(two_post, 3, setup, check_letters),
    PROGRAM(one_posts_two, 2, setup, check_letters),
};

int main(int argc, char **argv)
{
    return model_main(programs, sizeof programs / sizeof *programs, argc, argv);
}
