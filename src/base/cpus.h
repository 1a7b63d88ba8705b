// SPDX-License-Identifier: Apache-2.0
// How many processors this process may use: affinity mask and control group quota.
#ifndef TWI_CPUS_H
#define TWI_CPUS_H

#include <sched.h>
#include <stddef.h>

// Processors the system has online.
unsigned twi_cpus_online(void);
// The affinity mask of the calling thread, or what it was before it was bound, and its size; to be
// freed with CPU_FREE. NULL when it cannot be read.
cpu_set_t *twi_cpus_mask(size_t *size);
// The calling thread is bound from now on, and this mask is what it had; NULL: not bound any more.
void twi_cpus_bound(const cpu_set_t *before);
// Processors in that mask.
unsigned twi_cpus_allowed(void);
// The number of the nth allowed processor, or -1.
int twi_cpus_nth(unsigned n);
// Processors granted by the control group whose files stand under `root` (normally ""), 0 for no
// limit or unreadable files. *from says which kind of group: "cgroup v2", "cgroup v1", "none".
double twi_cpus_quota(const char *root, const char **from);
// min(allowed, quota rounded up), at least 1.
unsigned twi_cpus_grant(unsigned allowed, double quota);

#endif
