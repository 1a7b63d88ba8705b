// SPDX-License-Identifier: Apache-2.0
#include "place/pieces.h"

void twi_place_post(struct twi_place *place, struct twi_letter *letter)
{
    twi_outbox_put(&place->outbox, letter);
    place->fabric->calls->wake(place->fabric);
}

unsigned twi_place_deliver(struct twi_place *place)
{
    struct twi_letter *letter = twi_outbox_take(&place->outbox), *next;
    unsigned count = 0;
    for (; letter; letter = next, count++) {
        next = letter->next;
        letter->deliver(place, letter);
    }
    if (count > 0)
        twi_pieces_tell_ends(place);
    return count;
}
