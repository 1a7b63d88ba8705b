// SPDX-License-Identifier: Apache-2.0
// Small text files, line by line: machines and recorded costs.
#ifndef SIM_LINES_H
#define SIM_LINES_H

#include <stddef.h>
#include <stdint.h>

enum { SIM_LINE_MOST = 256 }; // bytes of a line and its end

struct sim_lines {
    const char *source; // what it is called in complaints
    const char *rest;
    unsigned line;
    char text[SIM_LINE_MOST]; // the line, without comment and blanks at its ends
    char *message;
    size_t size;
};

// Reads all of a file. NULL, with what is wrong in `message`; else to be freed.
char *sim_lines_read(const char *path, char *message, size_t size);

// 1: the next line that holds more than a comment is in `text`; 0: there is none; -1, with a
// complaint: it is too long.
int sim_lines_next(struct sim_lines *lines);

// Writes "source:line: ..." to the message. -1.
__attribute__((format(printf, 2, 3))) int sim_lines_complain(struct sim_lines *lines,
                                                             const char *format, ...);

// Digits, and nothing else: 1. Else 0, also when the number does not fit.
int sim_lines_number(const char *word, uint64_t *number);

#endif
