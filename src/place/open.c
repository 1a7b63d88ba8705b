// SPDX-License-Identifier: Apache-2.0
// This process as a place: the fabric it has, and the host of its runs.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twill/place.h>
#include <twill/runtime.h>

#include "base/os.h"
#include "fabric/load.h"
#include "place/gather.h"
#include "place/pieces.h"
#include "place/registry.h"
#include "place/shared.h"
#include "place/transfer.h"
#include "steal/rules.h"

static struct twi_place here;

static void on_mail(void *place, uint32_t from, const struct twi_packet *packet, const void *bytes)
{
    switch ((enum twi_mail_kind)packet->message) {
    case TWI_MAIL_DONE:
    case TWI_MAIL_RESULT:
    case TWI_MAIL_FAILED:
    case TWI_MAIL_CANCEL:
    case TWI_MAIL_GIVE_UP:
        twi_piece_mail(place, from, packet, bytes);
        break;
    case TWI_MAIL_UP:
    case TWI_MAIL_DOWN:
        twi_gather_mail(place, packet, bytes);
        break;
    case TWI_MAIL_COLLECT:
    case TWI_MAIL_VIEWS:
        twi_shared_mail(place, packet, bytes);
        break;
    case TWI_MAIL_LEFT:
        twi_leave_mail(place, from, packet->word);
        break;
    case TWI_MAIL_GET:
    case TWI_MAIL_PUT:
    case TWI_MAIL_ADD:
    case TWI_MAIL_GOT:
    case TWI_MAIL_STORED:
        twi_transfer_mail(place, from, packet, bytes);
        break;
    case TWI_MAIL_ITEMS:
        ((struct twi_place *)place)->items(place, from, packet, bytes);
        break;
    }
}

static const struct twi_machine *find(const struct twi_machine *const *table, const char *name)
{
    while (*table && strcmp((*table)->name, name) != 0)
        table++;
    return *table;
}

// One for each run, since settings may differ from run to run, though not from place to place. None
// is under way: packets of the next come only after a sum to which this place adds.
int twi_place_make_host(struct twi_place *place, const struct tw_options *options, unsigned workers)
{
    struct twi_host_parts parts = {
        .policy = find(twi_policies, options->policy),
        .detector = find(twi_detectors, options->detector),
        .rules = twi_rules_live(place->fabric->place, place->fabric->places, workers),
        .epoch = place->host ? twi_host_epoch(place->host) : 0,
        .fabric = place->fabric,
        .pool = &twi_place_pool_calls,
        .pool_of = place,
        .mail = on_mail,
        .record = twi_report_step,
        .recorder = place,
    };
    parts.rules.seed = options->seed * place->fabric->places + place->fabric->place + 1;
    if (!parts.policy || !parts.detector)
        return TW_EINVAL;
    int error = twi_report_begin(place, &parts, options->record);
    struct twi_host *host = error ? NULL : twi_host_create(&parts);
    if (!host)
        return error ? error : TW_ENOMEM;
    twi_host_destroy(place->host);
    place->host = host;
    return 0;
}

struct twi_mpi_settings twi_place_settings;
static struct twi_loaded loaded;
static const char *wanted_mpi; // by who opens first; NULL: as the environment has it

// What the program still calls as it exits is told who it was, and nothing more.
static void close_place(void)
{
    static struct twi_fabric over;
    if (!here.error && here.fabric->places > 1 && !loaded.plugin->is_over(here.fabric))
        twi_leave(&here);
    over.place = here.fabric->place;
    over.places = here.fabric->places;
    twi_fabric_unload(&loaded);
    here.fabric = &over;
    here.error = TW_EINVAL;
    snprintf(here.message, sizeof here.message, "places are over: the program exits");
}

// Variables that are refused keep their defaults; tw_run says so, if it is to use them.
static void open_place(void)
{
    const char *mpi = TWI_LOAD(&wanted_mpi, TWI_RELAXED); // relaxed: one of the callers'
    struct tw_options defaults;
    (void)tw_options_init(&defaults, NULL, 0);
    (void)twi_membarrier_ready(); // takes 11 ms once MPI has threads, which the first run would pay
    here.error = twi_fabric_load(&loaded, mpi ? mpi : defaults.mpi, &twi_place_settings,
                                 here.message, sizeof here.message);
    here.fabric = loaded.fabric;
    here.neighbours = loaded.facts.neighbours;
    here.shared = loaded.facts.sharing;
    here.is_main_only = loaded.facts.is_main_only;
    here.main = pthread_self();
    here.crowd = 1;
    if (!here.error && loaded.plugin)
        atexit(close_place);
    if (here.error || here.fabric->places == 1)
        return;
    twi_misuse_name(here.fabric->place);
    twi_registry_close();
    defaults.record = NULL; // no run yet
    here.error = twi_place_make_host(&here, &defaults, 1);
}

struct twi_place *twi_place_here(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_place);
    return &here;
}

struct twi_place *twi_place_open(const struct tw_options *options)
{
    if (options && options->mpi)
        TWI_STORE(&wanted_mpi, options->mpi, TWI_RELAXED); // relaxed: one of the callers'
    return twi_place_here();
}

int twi_place_refuse(struct twi_place *place)
{
    if (place->error || !place->is_main_only || pthread_equal(place->main, pthread_self()))
        return place->error;
    snprintf(place->message, sizeof place->message,
             "%s was initialised for %s threads: only the thread that did it may use places",
             loaded.facts.mpi, loaded.facts.level);
    return TW_EINVAL;
}

// A variable that is refused is refused at a place, which is named where there are several.
static int complain_of_variables(char *message, size_t size)
{
    struct tw_options defaults;
    char why[sizeof here.message];
    int error = tw_options_init(&defaults, why, sizeof why);
    if (!error || !message || !size)
        return error;
    if (tw_places() > 1)
        snprintf(message, size, "place %u: %s", tw_here(), why);
    else
        snprintf(message, size, "%s", why);
    return error;
}

int tw_places_open(const struct tw_options *options, char *message, size_t size)
{
    int error = options ? 0 : complain_of_variables(message, size);
    if (error)
        return error;
    struct twi_place *place = twi_place_open(options);
    error = twi_place_refuse(place);
    if (message && size)
        snprintf(message, size, "%s", place->message);
    return error;
}

unsigned tw_here(void)
{
    struct twi_place *place = twi_place_here();
    return place->fabric ? place->fabric->place : 0;
}

unsigned tw_places(void)
{
    struct twi_place *place = twi_place_here();
    return place->fabric ? place->fabric->places : 1;
}
