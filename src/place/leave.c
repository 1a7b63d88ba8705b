// SPDX-License-Identifier: Apache-2.0
// Places that end too early: their main() returned, or they called exit, while others want to go
// on together.
//
// Who leaves tells those next to it in the tree of places how many collective calls it has made.
// One that has made more waits for an answer that will not come: it ends the program. Runs begin
// and end with such calls, so nobody can be in a run that another has not begun.
#include <stdio.h>

#include "place/place.h"
#include "steal/tree.h"

void twi_leave_check(const struct twi_place *place)
{
    char text[128];
    if (!place->is_left || place->gathers <= place->left_gathers)
        return;
    snprintf(text, sizeof text, "place %u: place %u has ended early: it is missing in a run or sum",
             place->fabric->place, place->left);
    tw_misuse(text, "");
}

void twi_leave_mail(struct twi_place *place, uint32_t from, uint64_t gathers)
{
    if (!place->is_left || gathers < place->left_gathers) {
        place->is_left = 1;
        place->left = from;
        place->left_gathers = gathers;
    }
    twi_leave_check(place);
}

void twi_leave(struct twi_place *place)
{
    struct twi_tree tree = twi_tree_of(place->fabric->place, place->fabric->places);
    char text[128];
    if (place->pool) {
        (void)fflush(NULL); // as exit would
        snprintf(text, sizeof text, "place %u: the program called exit inside tw_run",
                 place->fabric->place);
        tw_misuse(text, "");
    }
    if (tree.parent != TWI_NO_PLACE)
        twi_host_post(place->host, tree.parent, TWI_MAIL_LEFT, place->gathers, NULL, 0);
    for (uint32_t i = 0; i < tree.children; i++)
        twi_host_post(place->host, tree.first + i, TWI_MAIL_LEFT, place->gathers, NULL, 0);
}
