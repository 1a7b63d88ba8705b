// SPDX-License-Identifier: Apache-2.0
// In calls that wait for all places Open MPI spins, unless it was told to yield: where places are
// more than processors opening then takes seconds. While tasks run a yield costs too much.
#ifndef TWI_YIELD_H
#define TWI_YIELD_H

// Tells Open MPI anew, by a function that is not part of MPI; without that all is only slower. What
// the user has set stays: the first call comes before we set anything. Other MPIs have no such
// function.
void twi_yield_when_idle(int on);

#endif
