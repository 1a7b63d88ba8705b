// SPDX-License-Identifier: Apache-2.0
// The carrier over MPI (carrier.h), and with it the plugin (plugin.h): the only file that knows
// MPI.
//
//  - A packet and its bytes are one message on a communicator of our own; its tag says what it is.
//    Of thousands at once Open MPI takes a millisecond for each look, so most wait here. Messages
//    are probed for in the order in which MPI has them, which is that of sending for each pair; one
//    that is still coming in holds up the next.
//  - Of a long message MPI sends the news, and the rest when the receiver has answered and the
//    sender looks again, which may be asleep by then. So packets of middling size leave in pieces
//    that go at once, all but the last with a tag of their own.
//  - The pages of a host's places lie in a shared window, used by plain loads and stores. MPI's own
//    compare-and-swap crashes in some versions.
//  - An error that MPI reports ends the program, and so does the launcher when a place dies, or its
//    neighbours (watch.h): all places end.
//  - Who closes still answers until all places have: so nobody waits for an answer in vain.
//  - MPI can be started once in a process, so one that we started is finalised when the program
//    exits, not when a fabric is closed. It is not while one is open: a place that exits early
//    would wait there for the others, and they for it, where a launcher ends them all.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>
#include <twill/inline.h>
#include <twill/runtime.h>

#include "carrier.h"
#include "launcher.h"
#include "parcel.h"
#include "sharing.h"
#include "watch.h"
#include "yield.h"

enum {
    SENT_MOST = 64, // messages that MPI has at once: it looks at all of them each time
    PIECE_TAG = 64, // above every kind
    FINISH_LOOK_US = 2000,
    LINGER = 10 // looks
};

struct twi_carrier {
    MPI_Comm comm; // ours
    MPI_Comm host; // those that share memory
    MPI_Win window;
    int key;     // of MPI's end
    int is_over; // all of the above are gone
    int place, places;
    struct twi_page **pages;
    struct twi_sharing sharing;
    struct twi_parcel *first, *last;    // wait to be sent
    struct twi_parcel *sent[SENT_MOST]; // MPI has not yet done with them
    MPI_Request requests[SENT_MOST];
    unsigned sent_count;
    struct twi_parcel *coming; // not yet dropped
    MPI_Request coming_request;
    int is_here; // all of it
    struct twi_message message;
    struct twi_parcel **partial; // of each place: a packet whose last piece has not come; or NULL
    struct twi_parcels parcels;
};

static void fail(const struct twi_carrier *carrier, const char *what, const char *why)
{
    char text[MPI_MAX_ERROR_STRING + 128];
    snprintf(text, sizeof text, "place %d: MPI cannot %s: %s", carrier->place, what, why);
    tw_misuse(text, "");
}

// Apart, so that what goes well needs no room for a text.
__attribute__((noinline)) static void explain(const struct twi_carrier *carrier, int code,
                                              const char *what)
{
    char why[MPI_MAX_ERROR_STRING] = "";
    int length;
    MPI_Error_string(code, why, &length);
    fail(carrier, what, why);
}

static inline void check(const struct twi_carrier *carrier, int code, const char *what)
{
    if (!TWI_LIKELY(code == MPI_SUCCESS))
        explain(carrier, code, what);
}

static void *memory(const struct twi_carrier *carrier, void *got)
{
    if (!got)
        fail(carrier, "send or receive", "no memory");
    return got;
}

// ---- sending ----

static void ring(const struct twi_carrier *carrier, uint32_t place)
{
    if (carrier->pages[place])
        twi_page_ring(carrier->pages[place]);
}

// Begins to send the oldest that waits, as long as MPI has few. Who shares memory may be asleep.
static void begin(struct twi_carrier *carrier)
{
    while (carrier->first && carrier->sent_count < SENT_MOST) {
        struct twi_parcel *parcel = carrier->first;
        uint32_t length = twi_parcel_next_piece(parcel);
        int is_last = parcel->begun + length == twi_parcel_length(parcel);
        int code = MPI_Isend(twi_parcel_rest(parcel), (int)length, MPI_BYTE, (int)parcel->to,
                             is_last ? (int)parcel->kind : PIECE_TAG, carrier->comm,
                             &carrier->requests[carrier->sent_count]);
        check(carrier, code, "send");
        carrier->sent[carrier->sent_count++] = parcel;
        parcel->begun += length;
        parcel->under_way++;
        if (is_last) {
            carrier->first = parcel->next;
            ring(carrier, parcel->to);
        }
    }
}

// MPI has done with a piece. One that waited inside MPI came after its ring.
static void piece_sent(struct twi_carrier *carrier, struct twi_parcel *parcel)
{
    if (--parcel->under_way > 0 || parcel->begun < twi_parcel_length(parcel))
        return;
    ring(carrier, parcel->to);
    twi_parcel_put(&carrier->parcels, parcel);
}

// Takes back those that MPI has done with.
static void reap(struct twi_carrier *carrier)
{
    int count, done[SENT_MOST], left = 0;
    MPI_Status statuses[SENT_MOST];
    int code = MPI_Testsome((int)carrier->sent_count, carrier->requests, &count, done, statuses);
    check(carrier, code, "finish sending");
    for (int i = 0; i < count; i++) {
        piece_sent(carrier, carrier->sent[done[i]]);
        carrier->sent[done[i]] = NULL;
    }
    for (unsigned i = 0; i < carrier->sent_count && count > 0; i++)
        if (carrier->sent[i]) {
            carrier->requests[left] = carrier->requests[i];
            carrier->sent[left++] = carrier->sent[i];
        }
    if (count > 0)
        carrier->sent_count = (unsigned)left;
}

int twi_carrier_is_busy(struct twi_carrier *carrier)
{
    if (carrier->sent_count > 0) {
        reap(carrier);
        begin(carrier);
    }
    return carrier->sent_count > 0 || carrier->coming;
}

void twi_carrier_send(struct twi_carrier *carrier, uint32_t to, enum twi_kind kind,
                      const struct twi_packet *packet, const void *bytes)
{
    if (packet->size > INT_MAX - sizeof *packet)
        fail(carrier, "send", "a packet has 2 GiB or more");
    if (carrier->is_over)
        fail(carrier, "send", "the program has called MPI_Finalize");
    struct twi_parcel *parcel = memory(carrier, twi_parcel_get(&carrier->parcels, packet->size));
    parcel->to = to;
    parcel->kind = kind;
    parcel->packet = *packet;
    if (packet->size)
        memcpy(parcel->bytes, bytes, packet->size);
    *(carrier->first ? &carrier->last->next : &carrier->first) = parcel;
    carrier->last = parcel;
    begin(carrier);
    (void)twi_carrier_is_busy(carrier);
}

// ---- receiving ----

// Begins to receive the next message, if there is one: the first piece of a packet, or what follows
// the pieces that have come.
static void look_out(struct twi_carrier *carrier)
{
    MPI_Message message;
    MPI_Status status;
    int found, length;
    int code = MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, carrier->comm, &found, &message, &status);
    check(carrier, code, "look for messages");
    if (!found)
        return;
    MPI_Get_count(&status, MPI_BYTE, &length);
    struct twi_parcel *parcel = carrier->partial[status.MPI_SOURCE];
    if (!parcel) {
        parcel = memory(carrier,
                        twi_parcel_get(&carrier->parcels, (size_t)length - sizeof parcel->packet));
    } else if ((uint32_t)length > twi_parcel_length(parcel) - parcel->begun) {
        fail(carrier, "receive", "a piece is too long");
    }
    code =
        MPI_Imrecv(twi_parcel_rest(parcel), length, MPI_BYTE, &message, &carrier->coming_request);
    check(carrier, code, "receive");
    parcel->begun += (uint32_t)length;
    carrier->coming = parcel;
    carrier->is_here = 0;
    carrier->message = (struct twi_message){.from = (uint32_t)status.MPI_SOURCE,
                                            .kind = (enum twi_kind)status.MPI_TAG, // or PIECE_TAG
                                            .packet = &parcel->packet,
                                            .bytes = parcel->bytes};
}

// What has come is not the last piece.
static void put_aside(struct twi_carrier *carrier)
{
    struct twi_parcel **partial = &carrier->partial[carrier->message.from];
    if (!*partial)
        *partial = memory(carrier, twi_parcel_grow(&carrier->parcels, carrier->coming));
    carrier->coming = NULL;
}

// 1: a message, or a piece of one, is here.
static int has_come(struct twi_carrier *carrier)
{
    if (!carrier->coming)
        look_out(carrier);
    if (carrier->coming && !carrier->is_here)
        check(carrier, MPI_Test(&carrier->coming_request, &carrier->is_here, MPI_STATUS_IGNORE),
              "receive");
    return carrier->coming && carrier->is_here;
}

const struct twi_message *twi_carrier_look(struct twi_carrier *carrier)
{
    while (has_come(carrier)) {
        if ((int)carrier->message.kind != PIECE_TAG)
            return &carrier->message;
        put_aside(carrier);
    }
    return NULL;
}

void twi_carrier_drop(struct twi_carrier *carrier)
{
    carrier->partial[carrier->message.from] = NULL;
    twi_parcel_put(&carrier->parcels, carrier->coming);
    carrier->coming = NULL;
}

// ---- starting MPI ----

#ifdef OPEN_MPI
#define NAME "openmpi"
#define TITLE "Open MPI"
enum { IS_MPICH = 0 };
static const struct tw_mpi_cure cures[] = {
    {"OMPI_MCA_osc", "^rdma,ucx", "its one-sided rdma crashes, and fails over TCP"},
    {"OMPI_MCA_mpi_yield_when_idle", "0", "a yield gives away whole time slices"},
    {0},
};
#else
#define NAME "mpich"
#define TITLE "MPICH"
enum { IS_MPICH = 1 };
static const struct tw_mpi_cure cures[] = {{0}};
#endif

static unsigned open_count; // fabrics that are open
static int has_far;         // places on other hosts
static pid_t starter;       // of MPI; a child that exits leaves it alone

static void finish(void)
{
    int finalized, done = 0, found;
    MPI_Request all_here;
    MPI_Finalized(&finalized);
    if (open_count > 0 || finalized || getpid() != starter)
        return;
    // Here a place may wait for long. It sleeps, which MPI_Finalize would not.
    for (MPI_Ibarrier(MPI_COMM_WORLD, &all_here); !done; usleep(FINISH_LOOK_US))
        MPI_Test(&all_here, &done, MPI_STATUS_IGNORE);
    // Some do not know yet: our last messages have to leave.
    for (int i = 0; i < LINGER && has_far; i++, usleep(FINISH_LOOK_US))
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    if (!IS_MPICH || !has_far || !twi_launcher_leave())
        MPI_Finalize();
}

static const char *level_name(int level)
{
    return level == MPI_THREAD_MULTIPLE     ? "multiple"
           : level == MPI_THREAD_SERIALIZED ? "serialized"
           : level == MPI_THREAD_FUNNELED   ? "funneled"
                                            : "single";
}

// Of "Open MPI v4.1.4, package: ..." or "MPICH Version: 4.0.2 ..." the number.
static void tell_version(char *version, size_t size)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    MPI_Get_library_version(text, &length);
    const char *number = text + strcspn(text, "0123456789");
    snprintf(version, size, TITLE " %.*s", (int)strcspn(number, ", \t\n"), number);
}

static int start(struct twi_mpi_facts *facts, char *message, size_t size)
{
    int running, over, level, is_main;
    twi_yield_when_idle(1);
    MPI_Finalized(&over);
    if (over) {
        snprintf(message, size, "MPI is over: the program has called MPI_Finalize");
        return 0;
    }
    MPI_Initialized(&running);
    if (!running) {
        for (const struct tw_mpi_cure *cure = cures; cure->variable; cure++)
            setenv(cure->variable, cure->value, 0);
        if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS) {
            snprintf(message, size, "MPI_Init_thread failed");
            return 0;
        }
        starter = getpid();
        atexit(finish);
    }
    MPI_Query_thread(&level);
    MPI_Is_thread_main(&is_main);
    tell_version(facts->mpi, sizeof facts->mpi);
    facts->level = level_name(level);
    facts->was_running = running;
    facts->is_main_only = level < MPI_THREAD_SERIALIZED;
    if (facts->is_main_only && !is_main) {
        snprintf(message, size,
                 "%s was initialised for %s threads: only the thread that did it may use places",
                 facts->mpi, facts->level);
        return 0;
    }
    return 1;
}

// ---- a carrier's life ----

// Who has which processors: all of the host tell.
static struct twi_sharing compare_processors(const struct twi_carrier *carrier)
{
    int rank, size;
    MPI_Comm_rank(carrier->host, &rank);
    MPI_Comm_size(carrier->host, &size);
    struct twi_processors own, *each = memory(carrier, calloc((size_t)size, sizeof own));
    twi_processors_here(&own);
    check(carrier,
          MPI_Allgather(&own, sizeof own, MPI_BYTE, each, sizeof own, MPI_BYTE, carrier->host),
          "compare processors");
    struct twi_sharing sharing = twi_sharing_of(each, (uint32_t)size, (uint32_t)rank);
    free(each);
    return sharing;
}

// The places of this host, or groups of them, and where their pages are.
static void find_neighbours(struct twi_carrier *carrier, uint32_t most)
{
    MPI_Comm host;
    MPI_Group ours, all;
    int rank, size;
    check(carrier,
          MPI_Comm_split_type(carrier->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host),
          "tell hosts apart");
    MPI_Comm_rank(host, &rank);
    MPI_Comm_split(host, most ? rank / (int)most : 0, rank, &carrier->host);
    MPI_Comm_free(&host);
    struct twi_page *page;
    check(carrier,
          MPI_Win_allocate_shared(sizeof *page, 1, MPI_INFO_NULL, carrier->host, &page,
                                  &carrier->window),
          "share memory");
    memset(page, 0, sizeof *page);
    twi_watch_introduce(page);
    carrier->sharing = compare_processors(carrier);
    page->group = carrier->sharing.first;
    MPI_Comm_size(carrier->host, &size);
    MPI_Comm_group(carrier->host, &ours);
    MPI_Comm_group(carrier->comm, &all);
    for (int i = 0; i < size; i++) {
        int place, unit;
        MPI_Aint bytes;
        MPI_Group_translate_ranks(ours, 1, &i, all, &place);
        MPI_Win_shared_query(carrier->window, i, &bytes, &unit, &carrier->pages[place]);
    }
    MPI_Group_free(&ours);
    MPI_Group_free(&all);
    MPI_Barrier(carrier->comm); // all pages are clean
}

static struct twi_carrier *carrier_make(const struct twi_mpi_settings *settings)
{
    struct twi_carrier *carrier = calloc(1, sizeof *carrier);
    if (!carrier)
        return NULL;
    MPI_Comm_rank(MPI_COMM_WORLD, &carrier->place);
    check(carrier, MPI_Comm_dup(MPI_COMM_WORLD, &carrier->comm), "make a communicator");
    MPI_Comm_set_errhandler(carrier->comm, MPI_ERRORS_RETURN);
    MPI_Comm_size(carrier->comm, &carrier->places);
    carrier->pages = memory(carrier, calloc((size_t)carrier->places, sizeof(struct twi_page *)));
    carrier->partial =
        memory(carrier, calloc((size_t)carrier->places, sizeof(struct twi_parcel *)));
    find_neighbours(carrier, settings->host_places);
    return carrier;
}

static void carrier_free(struct twi_carrier *carrier)
{
    twi_parcels_free(&carrier->parcels);
    free(carrier->partial);
    free(carrier->pages);
    free(carrier);
}

// Returns when all places have come here. Called by us, or by MPI as it is finalised: a program
// that does that itself does it before it exits.
static int part(MPI_Comm self, int key, void *fabric, void *unused)
{
    struct twi_carrier *carrier = twi_carried_carrier(fabric);
    MPI_Request all_here;
    int done = 0;
    (void)self, (void)key, (void)unused;
    if (carrier->is_over)
        return MPI_SUCCESS;
    twi_yield_when_idle(1);
    while (twi_carrier_is_busy(carrier))
        twi_carried_serve(fabric);
    check(carrier, MPI_Ibarrier(carrier->comm, &all_here), "close");
    while (!done || twi_carrier_is_busy(carrier)) {
        twi_carried_serve(fabric);
        if (!done)
            check(carrier, MPI_Test(&all_here, &done, MPI_STATUS_IGNORE), "close");
    }
    MPI_Win_free(&carrier->window);
    MPI_Comm_free(&carrier->host);
    MPI_Comm_free(&carrier->comm);
    carrier->is_over = 1;
    open_count--;
    return MPI_SUCCESS;
}

// ---- the plugin ----

static struct twi_fabric *plugin_open(const struct twi_mpi_settings *settings,
                                      struct twi_mpi_facts *facts, char *message, size_t size)
{
    *facts = (struct twi_mpi_facts){0};
    if (!start(facts, message, size))
        return NULL;
    twi_yield_when_idle(1);
    struct twi_carrier *carrier = carrier_make(settings);
    twi_yield_when_idle(0);
    struct twi_fabric *fabric =
        carrier ? twi_carried_create(carrier, (uint32_t)carrier->place, (uint32_t)carrier->places,
                                     carrier->pages, settings)
                : NULL;
    if (!fabric)
        tw_misuse("no memory for the fabric of a place", "");
    for (int i = 0; i < carrier->places; i++)
        facts->neighbours += carrier->pages[i] != NULL;
    facts->sharing = carrier->sharing;
    has_far |= facts->neighbours < fabric->places;
    open_count++;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, part, &carrier->key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, carrier->key, fabric);
    return fabric;
}

static void plugin_close(struct twi_fabric *fabric)
{
    struct twi_carrier *carrier = twi_carried_carrier(fabric);
    if (!carrier->is_over) {
        (void)part(MPI_COMM_SELF, carrier->key, fabric, NULL);
        MPI_Comm_delete_attr(MPI_COMM_SELF, carrier->key);
        MPI_Comm_free_keyval(&carrier->key);
    }
    twi_carried_destroy(fabric);
    carrier_free(carrier);
}

static int plugin_is_over(struct twi_fabric *fabric)
{
    return twi_carried_carrier(fabric)->is_over;
}

TW_API extern const struct twi_mpi_plugin twi_mpi_plugin;
const struct twi_mpi_plugin twi_mpi_plugin = {
    .twill = TW_VERSION,
    .name = NAME,
    .cures = cures,
    .version = tell_version,
    .open = plugin_open,
    .close = plugin_close,
    .is_over = plugin_is_over,
};
