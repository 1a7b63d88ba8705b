// SPDX-License-Identifier: Apache-2.0
// Taking leave of MPICH's launcher without MPI_Finalize.
//
// Over TCP MPICH (4.0.2 with UCX 1.13) hangs there more often than not: a place waits for the
// others' part in closing connections, and they already for its part in the last barrier. So with
// places on several hosts we leave out the closing, and tell the launcher what MPI would have.
#ifndef TWI_LAUNCHER_H
#define TWI_LAUNCHER_H

// Waits for all places. 0: there is nobody to talk to.
int twi_launcher_leave(void);

#endif
