// SPDX-License-Identifier: Apache-2.0
// Running this very command with other words, in a process of its own or at several places, and
// reading what it prints.
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

struct child {
    const char *name;   // what complaints begin with
    unsigned places;    // 0: no launcher
    const char *mpi;    // for the launcher
    const char **words; // after `twill`; NULL ends them
    unsigned seconds;   // it is ended after so many
    // Each line that it prints, without its end.
    void (*line)(void *self, const char *line);
    void *self;
};

// 0: it ended well. Otherwise it has been said on stderr what was wrong.
int child_run(const struct child *child);

#endif
