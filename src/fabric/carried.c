// SPDX-License-Identifier: Apache-2.0
// The fabric on top of a carrier.
//
//  - Each place has a page (page.h). Places that share memory read each other's load, take each
//    other's lock and wake each other there, without a message. Other places are asked by messages,
//    which their progress answers.
//  - A carrier can only be waited for by looking again and again. A wait sleeps between two looks:
//    as long as can be where all places can ring, else the longer the longer nothing has come. What
//    is under way and needs to be looked after keeps the sleeps short.
#include <stdio.h>
#include <stdlib.h>

#include <twill/inline.h>

#include "carrier.h"
#include "inbox.h"
#include "watch.h"

enum {
    QUIET_MORE = 5,          // times longer are sleeps when nobody is expected,
    RING_LEAST = 4,          // where who comes would ring,
    RING_MORE = 50,          // ... up to that
    AT_ONCE = 64,            // messages of one progress
    DOZE_LEAST_NS = 20000,   // shorter ones take as long
    SERVE_LEAST_NS = 100000, // while closing ...
    SERVE_MOST_NS = 10000000 // ... for long: others may go on for hours
};
#define DOZE_MOST_NS 2000000u
#define WATCH_NS 100000000u    // between two looks at the processes of neighbours
#define TELL_NS 200000000u     // for the news of a death to leave
#define PARTING_NS 1000000000u // who closes may see others gone that have closed already

struct carried {
    struct twi_fabric fabric;
    struct twi_carrier *carrier;
    struct twi_page *page;   // of this place
    struct twi_page **pages; // of each place
    struct twi_inbox inbox;
    struct twi_watch watch;
    uint64_t watched_ns; // when it was last looked at
    uint64_t gone_ns;    // since when somebody is missing
    uint64_t timer_ns;
    uint64_t stirred_ns; // when something was last sent or came
    int is_stirred;      // since the last wait
    int all_ring;        // every place shares memory with this one
    uint64_t spin_ns, doze_most_ns;
};

static struct carried *carried_of(struct twi_fabric *fabric)
{
    return (struct carried *)fabric;
}

// ---- sending ----

static void post(struct carried *carried, uint32_t to, enum twi_kind kind,
                 const struct twi_packet *packet, const void *bytes)
{
    twi_carrier_send(carried->carrier, to, kind, packet, bytes);
    carried->is_stirred = 1;
}

static void post_word(struct carried *carried, uint32_t to, enum twi_kind kind, uint64_t word)
{
    post(carried, to, kind, &(struct twi_packet){.word = word}, NULL);
}

static void carried_send(struct twi_fabric *fabric, uint32_t to, const struct twi_packet *packet,
                         const void *bytes)
{
    struct carried *carried = carried_of(fabric);
    if (to == fabric->place) {
        twi_inbox_packet(&carried->inbox, packet, bytes);
        return;
    }
    if (to >= fabric->places) {
        char text[96];
        snprintf(text, sizeof text, "place %u: a packet to place %u, which is not there",
                 fabric->place, to);
        tw_misuse(text, "");
    }
    post(carried, to, TWI_PACKET, packet, bytes);
}

// ---- places that are gone ----

static _Noreturn void end_without(const struct carried *carried, uint32_t gone, uint32_t witness)
{
    char text[128], by[32] = "";
    if (witness != carried->fabric.place)
        snprintf(by, sizeof by, ", says place %u", witness);
    snprintf(text, sizeof text, "place %u: place %u is gone: its process has ended%s",
             carried->fabric.place, gone, by);
    tw_misuse(text, "");
}

// Ends the program when a neighbour is gone; those who cannot see that are told.
static void watch(struct carried *carried, uint64_t now_ns, uint64_t patience_ns)
{
    if (now_ns - carried->watched_ns < WATCH_NS)
        return;
    carried->watched_ns = now_ns;
    uint32_t gone = twi_watch_look(&carried->watch);
    if (gone == TWI_NOBODY)
        return;
    if (!carried->gone_ns)
        carried->gone_ns = now_ns;
    if (now_ns - carried->gone_ns < patience_ns)
        return;
    // One that ended for the same reason is not the first.
    uint32_t first = TWI_LOAD(&carried->pages[gone]->missed, TWI_RELAXED); // hint
    gone = first ? first - 1 : gone;
    TWI_STORE(&carried->page->missed, gone + 1, TWI_RELAXED); // hint
    for (uint32_t i = 0; i < carried->fabric.places; i++)
        if (!carried->pages[i])
            post_word(carried, i, TWI_GONE, gone);
    while (twi_carrier_is_busy(carried->carrier) && twi_now_ns() - now_ns < TELL_NS)
        twi_relax();
    end_without(carried, gone, carried->fabric.place);
}

// ---- loads and locks ----

static void carried_read(struct twi_fabric *fabric, uint32_t of)
{
    struct carried *carried = carried_of(fabric);
    if (carried->pages[of])
        twi_inbox_read(&carried->inbox, of, twi_page_load(carried->pages[of]));
    else
        post_word(carried, of, TWI_READ, 0);
}

static void carried_lock(struct twi_fabric *fabric, uint32_t of)
{
    struct carried *carried = carried_of(fabric);
    if (carried->pages[of])
        twi_inbox_locked(&carried->inbox, of, twi_page_lock(carried->pages[of], fabric->place));
    else
        post_word(carried, of, TWI_LOCK, 0);
}

static void carried_unlock(struct twi_fabric *fabric, uint32_t of)
{
    struct carried *carried = carried_of(fabric);
    if (carried->pages[of])
        twi_page_unlock(carried->pages[of]);
    else
        post_word(carried, of, TWI_UNLOCK, 0);
}

static void carried_publish(struct twi_fabric *fabric, uint32_t load)
{
    twi_page_publish(carried_of(fabric)->page, load);
}

static void carried_tell_active(struct twi_fabric *fabric, uint32_t workers)
{
    twi_page_tell_active(carried_of(fabric)->page, workers);
}

static uint32_t carried_others_active(struct twi_fabric *fabric)
{
    struct carried *carried = carried_of(fabric);
    uint32_t active = 0;
    for (uint32_t i = 0; i < fabric->places; i++)
        if (carried->pages[i] && i != fabric->place &&
            carried->pages[i]->group == carried->page->group)
            active += twi_page_active(carried->pages[i]);
    return active;
}

static void carried_show(struct twi_fabric *fabric, int descriptor)
{
    carried_of(fabric)->page->memory = (uint32_t)(descriptor + 1);
}

// Numbers of processes mean something only to those who count alike.
static int carried_shown(struct twi_fabric *fabric, uint32_t of, uint32_t *process, int *descriptor)
{
    const struct carried *carried = carried_of(fabric);
    const struct twi_page *page = carried->pages[of];
    if (!page || !page->numbering || page->numbering != carried->page->numbering || !page->memory)
        return 0;
    *process = page->process;
    *descriptor = (int)page->memory - 1;
    return 1;
}

// ---- receiving ----

static void handle(struct carried *carried, const struct twi_message *message)
{
    const struct twi_sink *sink = carried->fabric.sink;
    void *host = carried->fabric.host;
    uint32_t from = message->from;
    uint64_t word = message->packet->word;
    switch (message->kind) {
    case TWI_PACKET:
        sink->packet(host, from, message->packet, message->bytes);
        break;
    case TWI_READ:
        post_word(carried, from, TWI_LOAD, twi_page_load(carried->page));
        break;
    case TWI_LOAD:
        sink->read(host, from, (uint32_t)word);
        break;
    case TWI_LOCK:
        post_word(carried, from, TWI_LOCKED, (uint64_t)twi_page_lock(carried->page, from));
        break;
    case TWI_LOCKED:
        sink->locked(host, from, (int)word);
        break;
    case TWI_UNLOCK:
        twi_page_unlock(carried->page);
        break;
    case TWI_GONE:
        end_without(carried, (uint32_t)word, from);
    }
}

static const struct twi_message *look(struct carried *carried)
{
    return carried->fabric.places > 1 ? twi_carrier_look(carried->carrier) : NULL;
}

// Takes what has come from other places. Returns how much.
static unsigned receive(struct carried *carried)
{
    unsigned count = 0;
    const struct twi_message *message;
    for (; count < AT_ONCE && (message = look(carried)) != NULL; count++) {
        handle(carried, message);
        twi_carrier_drop(carried->carrier);
    }
    carried->is_stirred |= count > 0;
    return count;
}

static unsigned carried_progress(struct twi_fabric *fabric)
{
    struct carried *carried = carried_of(fabric);
    unsigned count = 0;
    if (carried->timer_ns && twi_now_ns() >= carried->timer_ns) {
        carried->timer_ns = 0;
        fabric->sink->timer(fabric->host);
        count++;
    }
    count += receive(carried);
    (void)twi_carrier_is_busy(carried->carrier);
    return count + twi_inbox_hand_over(&carried->inbox, fabric);
}

// ---- time ----

static uint64_t carried_now(struct twi_fabric *fabric)
{
    (void)fabric;
    return twi_now_ns();
}

static void carried_timer(struct twi_fabric *fabric, uint64_t at_ns)
{
    carried_of(fabric)->timer_ns = at_ns;
}

static uint64_t within(uint64_t ns, uint64_t least, uint64_t most)
{
    return ns < least ? least : ns < most ? ns : most;
}

// How long to sleep before the next look. Waking costs 20 to 60 us, and the longest sleeps are a
// small part of the time in which nothing came: an idle place takes half a percent of a processor.
static uint64_t doze_ns(const struct carried *carried, uint64_t now_ns, int is_busy)
{
    uint64_t quiet = now_ns - carried->stirred_ns, most = carried->doze_most_ns;
    if (carried->fabric.places == 1)
        return INT64_MAX;
    if (carried->all_ring && !is_busy)
        return within(quiet / 8, RING_LEAST * most, RING_MORE * most);
    if (quiet / 4 < most)
        return within(quiet / 4, DOZE_LEAST_NS, most);
    return within(quiet / 128, most, QUIET_MORE * most);
}

// Whether a message has come, or this place was called. Sleeps if not.
static int doze(struct carried *carried, uint64_t most_ns)
{
    if (!twi_page_lie_down(carried->page))
        return 1;
    if (look(carried)) {
        (void)twi_page_rise(carried->page);
        return 1;
    }
    twi_lock_drop(&carried->fabric.turn);
    int is_called = twi_page_sleep(carried->page, (int64_t)most_ns);
    twi_lock_take(&carried->fabric.turn);
    return is_called;
}

static void carried_wait(struct twi_fabric *fabric, uint64_t until_ns)
{
    struct carried *carried = carried_of(fabric);
    if (!twi_inbox_is_empty(&carried->inbox))
        return;
    if (carried->timer_ns && carried->timer_ns < until_ns)
        until_ns = carried->timer_ns;
    uint64_t now = twi_now_ns(), start = now;
    watch(carried, now, 0);
    if (carried->is_stirred)
        carried->stirred_ns = now;
    carried->is_stirred = 0;
    for (; now < until_ns; now = twi_now_ns()) {
        int is_busy = twi_carrier_is_busy(carried->carrier);
        if (now - start < carried->spin_ns) {
            if (twi_page_is_called(carried->page) && twi_page_rise(carried->page))
                break;
            if (look(carried))
                break;
            twi_relax();
            continue;
        }
        uint64_t most = doze_ns(carried, now, is_busy), left = until_ns - now;
        if (doze(carried, most < left ? most : left))
            break;
    }
}

static void carried_wake(struct twi_fabric *fabric)
{
    twi_page_call(carried_of(fabric)->page);
}

static void carried_attend(struct twi_fabric *fabric, int on)
{
    struct carried *carried = carried_of(fabric);
    if (on) {
        twi_page_attend(carried->page);
        return;
    }
    twi_page_neglect(carried->page);
    if (look(carried))
        twi_page_call(carried->page);
}

static const struct twi_fabric_calls calls = {
    .name = "mpi",
    .now_ns = carried_now,
    .send = carried_send,
    .read = carried_read,
    .lock = carried_lock,
    .unlock = carried_unlock,
    .publish = carried_publish,
    .timer = carried_timer,
    .progress = carried_progress,
    .wait = carried_wait,
    .wake = carried_wake,
    .attend = carried_attend,
    .tell_active = carried_tell_active,
    .others_active = carried_others_active,
    .show = carried_show,
    .shown = carried_shown,
};

// ---- its life ----

struct twi_fabric *twi_carried_create(struct twi_carrier *carrier, uint32_t place, uint32_t places,
                                      struct twi_page **pages,
                                      const struct twi_mpi_settings *settings)
{
    struct carried *carried = calloc(1, sizeof *carried);
    if (!carried)
        return NULL;
    *carried = (struct carried){
        .fabric = {.calls = &calls, .place = place, .places = places},
        .carrier = carrier,
        .page = pages[place],
        .pages = pages,
        .all_ring = 1,
        .is_stirred = 1,
        .spin_ns = settings->spin_ns,
        .doze_most_ns = settings->doze_most_ns ? settings->doze_most_ns : DOZE_MOST_NS,
    };
    twi_inbox_init(&carried->inbox);
    if (twi_watch_open(&carried->watch, place, places, pages) != 0) {
        free(carried);
        return NULL;
    }
    for (uint32_t i = 0; i < places; i++)
        carried->all_ring &= pages[i] != NULL;
    return &carried->fabric;
}

struct twi_carrier *twi_carried_carrier(struct twi_fabric *fabric)
{
    return carried_of(fabric)->carrier;
}

static void drop_packet(void *host, uint32_t from, const struct twi_packet *packet,
                        const void *bytes)
{
    (void)host, (void)from, (void)packet, (void)bytes;
}

static void drop_read(void *host, uint32_t of, uint32_t load)
{
    (void)host, (void)of, (void)load;
}

static void drop_locked(void *host, uint32_t of, int is_ours)
{
    (void)host, (void)of, (void)is_ours;
}

void twi_carried_serve(struct twi_fabric *fabric)
{
    static const struct twi_sink nobody = {
        .packet = drop_packet, .read = drop_read, .locked = drop_locked};
    struct carried *carried = carried_of(fabric);
    uint64_t now = twi_now_ns();
    if (fabric->sink != &nobody) {
        fabric->sink = &nobody;
        carried->stirred_ns = now;
    }
    watch(carried, now, PARTING_NS);
    if (receive(carried) > 0)
        carried->stirred_ns = now;
    else if (twi_page_lie_down(carried->page))
        (void)twi_page_sleep(carried->page, (int64_t)within((now - carried->stirred_ns) / 8,
                                                            SERVE_LEAST_NS, SERVE_MOST_NS));
}

void twi_carried_destroy(struct twi_fabric *fabric)
{
    twi_inbox_destroy(&carried_of(fabric)->inbox);
    twi_watch_close(&carried_of(fabric)->watch);
    free(fabric);
}
