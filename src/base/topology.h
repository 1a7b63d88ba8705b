// SPDX-License-Identifier: Apache-2.0
// In which order workers are bound to processors. With hwloc: neighbours in cache and memory stand
// together, and every core gets one worker before any gets a second. hwloc is loaded at run time,
// and only when asked for or when there are several memory nodes: it costs about 4 MB.
#ifndef TWI_TOPOLOGY_H
#define TWI_TOPOLOGY_H

// Memory nodes of this machine, at least 1.
unsigned twi_topology_nodes(void);

// Writes the numbers of the processors this thread may use to order[], at most `room`. Returns how
// many. With use_hwloc they come in hwloc's order when it can be loaded, else by number.
unsigned twi_topology_order(int use_hwloc, int *order, unsigned room);

// 1 when hwloc was there at build time and can be loaded now.
int twi_topology_has_hwloc(void);

#endif
