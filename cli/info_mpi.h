// SPDX-License-Identifier: Apache-2.0
// The part of `twill info` about MPI: what can join places, and what is set before it starts.
#ifndef CLI_INFO_MPI_H
#define CLI_INFO_MPI_H

struct json;

// `asked` is the setting `mpi`; a plugin that it names by a path is described as well.
void info_mpi_text(const char *asked);
void info_mpi_json(struct json *json, const char *asked);

#endif
