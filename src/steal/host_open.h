// SPDX-License-Identifier: Apache-2.0
// A place's requests that have not been answered, and since when; a statistic of the host.
#ifndef TWI_HOST_OPEN_H
#define TWI_HOST_OPEN_H

#include <stddef.h>
#include <stdint.h>

struct twi_host_request {
    uint32_t peer;
    uint64_t since_ns;
};

struct twi_host_open {
    struct twi_host_request *list;
    uint32_t count, room;
};

// If memory is out it is not noted.
void twi_host_open_add(struct twi_host_open *open, uint32_t peer, uint64_t now_ns);
// The oldest to that peer, if there is one.
void twi_host_open_remove(struct twi_host_open *open, uint32_t peer);
// Removes all; returns for how long they had been open, in sum.
uint64_t twi_host_open_clear(struct twi_host_open *open, uint64_t now_ns);
void twi_host_open_destroy(struct twi_host_open *open);
size_t twi_host_open_bytes(const struct twi_host_open *open);

#endif
