// SPDX-License-Identifier: Apache-2.0
// Descriptions of parallel machines for the simulator: read from text files, some built in.
#ifndef SIM_MACHINE_H
#define SIM_MACHINE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "fabric/sim.h"

// NULL-terminated names of the machines that are built in, from machines/*.machine.
const char *const *sim_machine_names(void);

// Reads a machine: `name` is one that is built in, or a file (with a '/' or a '.' in its name).
// 0, or -1 with what is wrong in `message`: the file, the line, the word and what is accepted.
int sim_machine_read(const char *name, struct twi_sim_machine *machine, char *message,
                     size_t size);

// Parses a text whose source is called `source` in complaints. Likewise.
int sim_machine_parse(const char *source, const char *text, struct twi_sim_machine *machine,
                      char *message, size_t size);

// Writes it in the form in which it is read.
void sim_machine_print(FILE *file, const struct twi_sim_machine *machine);

#endif
