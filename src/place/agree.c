// SPDX-License-Identifier: Apache-2.0
// See agree.h.
#include "place/agree.h"

#include <stdio.h>

#include <twill/place.h>
#include <twill/runtime.h>

#include "place/build.h"
#include "place/mix.h"
#include "place/registry.h"

enum { TERMS = sizeof(struct twi_terms) / sizeof(uint64_t) };

// What is said of a place whose term, in the order of twi_terms, is not that of place 0.
static const char *const complaints[TERMS][2] = {
    {"places run different programs: the tasks that travel at place", "are not those of place 0"},
    {"places run different programs: place",
     "has another build of the program, or of libtwill, than place 0"},
    {"places have different settings: the policy of place",
     "is not that of place 0 (a launcher may have to be told to pass TWILL_POLICY on)"},
    {"places have different settings: the detector of place",
     "is not that of place 0 (a launcher may have to be told to pass TWILL_DETECTOR on)"},
    {"places run different things: place", "has called tw_run or tw_run_spmd with another task "
                                           "than place 0, or one instead of the other"},
};

struct twi_terms twi_terms_of(const struct tw_options *options, const struct tw_task_type *called,
                              int is_spmd)
{
    return (struct twi_terms){
        .types = twi_registry_sum(),
        .build = twi_build_sum(),
        .policy = twi_mix_text(0, options->policy ? options->policy : ""),
        .detector = twi_mix_text(0, options->detector ? options->detector : ""),
        .call = twi_mix_text(called->line * 2 + (is_spmd != 0), called->name),
    };
}

// The first of the places that say so; places count down, for the greatest number is found.
static uint64_t turned(const struct twi_place *place)
{
    return place->fabric->places - place->fabric->place;
}

static int disagree(struct twi_place *place, unsigned term, int is_other)
{
    uint64_t first = is_other ? turned(place) : 0;
    int error = tw_places_max(&first, 1);
    if (error)
        return error;
    snprintf(place->message, sizeof place->message, "%s %u %s", complaints[term][0],
             (unsigned)(place->fabric->places - first), complaints[term][1]);
    return place->error = TW_EINVAL;
}

static int fail_together(struct twi_place *place, uint64_t told)
{
    int error = -(int)(uint32_t)told;
    snprintf(place->message, sizeof place->message, "place %u cannot begin: %s",
             (unsigned)(place->fabric->places - (told >> 32)), tw_strerror(error));
    return error;
}

int twi_agree(struct twi_place *place, int error, const struct twi_terms *terms)
{
    // Of each term the greatest, the least (as a complement) and that of place 0.
    struct {
        uint64_t failed, greatest[TERMS], least[TERMS], first[TERMS];
    } told = {.failed = error ? turned(place) << 32 | (uint32_t)-error : 0};
    const uint64_t *term = (const uint64_t *)terms;
    for (unsigned i = 0; term && i < TERMS; i++) {
        told.greatest[i] = term[i];
        told.least[i] = ~term[i];
        told.first[i] = place->fabric->place == 0 ? term[i] : 0;
    }
    int met = tw_places_max((uint64_t *)&told, term ? sizeof told / sizeof(uint64_t) : 1);
    if (met)
        return met;
    if (told.failed)
        return fail_together(place, told.failed);
    for (unsigned i = 0; term && i < TERMS; i++)
        if (told.greatest[i] != ~told.least[i])
            return disagree(place, i, told.first[i] != term[i]);
    return 0;
}
