// SPDX-License-Identifier: Apache-2.0
// The trace of a pool: the rings of its workers, and the file they are written to at the end.
//
// The file is opened first, so that a run which cannot be traced is not begun. It is locked as long
// as it is open: pools that run at the same time, in this process or another, do not write over
// each other. Who finds it locked takes the next name, with .2, .3 and so on appended.
#ifndef TWI_TRACE_H
#define TWI_TRACE_H

#include <stdio.h>

#include "trace/ring.h"

struct twi_trace {
    FILE *file; // NULL: nothing is traced
    struct twi_ring *rings;
    unsigned count;
    // Two readings of both clocks give the length of a tick.
    uint64_t begun_ticks, begun_ns, ended_ticks, ended_ns;
};

// Of a zeroed trace, even after an error twi_trace_free must follow. `path` NULL: no trace.
// 0, TW_EIO when the file cannot be created, TW_ENOMEM.
int twi_trace_begin(struct twi_trace *trace, const char *path, size_t events, unsigned workers);

// The ring of one worker; NULL without a trace.
struct twi_ring *twi_trace_ring(struct twi_trace *trace, unsigned worker);

// All workers have stopped: writes the file. 0, or TW_EIO when not all of it could be written.
int twi_trace_end(struct twi_trace *trace);

void twi_trace_free(struct twi_trace *trace);

// ---- chrome.c ----
// Writes the rings as Chrome trace events. Errors are left in the stream.
void twi_trace_write(const struct twi_trace *trace);

#endif
