// SPDX-License-Identifier: Apache-2.0
// Memory that other processes may map too. It has no name: who is told the process and the
// descriptor opens it through /proc, and nothing is left of it when the processes are gone.
#ifndef TWI_MEMORY_H
#define TWI_MEMORY_H

#include <stddef.h>
#include <stdint.h>

// Zeros. `descriptor`: what others need to map it, and -1 if they cannot; to be closed when they
// have. NULL: it is this process's alone. Returns NULL when there is not so much memory.
void *twi_memory_make(size_t size, int *descriptor);
// That of another process. NULL: it cannot be mapped.
void *twi_memory_of(uint32_t process, int descriptor, size_t size);
// Of either kind.
void twi_memory_free(void *memory, size_t size);

#endif
