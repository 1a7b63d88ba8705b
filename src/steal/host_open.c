// SPDX-License-Identifier: Apache-2.0
// See host_open.h. They are few: a list will do.
#include "steal/host_open.h"

#include <stdlib.h>
#include <string.h>

void twi_host_open_add(struct twi_host_open *open, uint32_t peer, uint64_t now_ns)
{
    if (open->count == open->room) {
        uint32_t room = open->room ? 2 * open->room : 4;
        struct twi_host_request *list = realloc(open->list, room * sizeof *list);
        if (!list)
            return;
        open->list = list;
        open->room = room;
    }
    open->list[open->count++] = (struct twi_host_request){peer, now_ns};
}

void twi_host_open_remove(struct twi_host_open *open, uint32_t peer)
{
    for (uint32_t i = 0; i < open->count; i++)
        if (open->list[i].peer == peer) {
            open->count--;
            memmove(&open->list[i], &open->list[i + 1], (open->count - i) * sizeof *open->list);
            return;
        }
}

uint64_t twi_host_open_clear(struct twi_host_open *open, uint64_t now_ns)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < open->count; i++)
        sum += now_ns - open->list[i].since_ns;
    open->count = 0;
    return sum;
}

void twi_host_open_destroy(struct twi_host_open *open)
{
    free(open->list);
}

size_t twi_host_open_bytes(const struct twi_host_open *open)
{
    return open->room * sizeof *open->list;
}
