// SPDX-License-Identifier: Apache-2.0
// The outbox of a place: what its workers want the communication worker to do.
#include "place/place.h"

void twi_place_post(struct twi_place *place, struct twi_letter *letter)
{
    struct twi_letter *first = TWI_LOAD(&place->outbox, TWI_RELAXED); // rechecked by [O1]
    do
        letter->next = first;
    while (!TWI_CAS(&place->outbox, &first, letter, TWI_RELEASE, TWI_RELAXED)); // [O1]
    place->fabric->calls->wake(place->fabric);
}

unsigned twi_place_deliver(struct twi_place *place)
{
    struct twi_letter *letter = TWI_EXCHANGE(&place->outbox, NULL, TWI_ACQUIRE), *next; // [O1]
    struct twi_letter *oldest = NULL;
    unsigned count = 0;
    for (; letter; letter = next) {
        next = letter->next;
        letter->next = oldest;
        oldest = letter;
    }
    for (; oldest; oldest = next, count++) {
        next = oldest->next;
        oldest->deliver(place, oldest);
    }
    return count;
}
