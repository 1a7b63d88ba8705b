// SPDX-License-Identifier: Apache-2.0
// Small text files, line by line: machines, recorded costs, molecules and their basis.
#ifndef APPS_LINES_H
#define APPS_LINES_H

#include <stddef.h>
#include <stdint.h>

enum { APP_LINE_MOST = 256 }; // bytes of a line and its end

struct app_lines {
    const char *source; // what it is called in complaints
    const char *rest;
    unsigned line;
    char text[APP_LINE_MOST]; // the line, without comment and blanks at its ends
    char *message;
    size_t size;
};

// Reads all of a file. NULL, with what is wrong in `message`; else to be freed.
char *app_lines_read(const char *path, char *message, size_t size);

// 1: the next line that holds more than a comment is in `text`; 0: there is none; -1, with a
// complaint: it is too long.
int app_lines_next(struct app_lines *lines);

// Passes over the next line, whatever is in it. 1, or 0: there is none.
int app_lines_skip(struct app_lines *lines);

// Writes "source:line: ..." to the message. -1.
__attribute__((format(printf, 2, 3))) int app_lines_complain(struct app_lines *lines,
                                                             const char *format, ...);

// Digits, and nothing else: 1. Else 0, also when the number does not fit.
int app_lines_number(const char *word, uint64_t *number);

// A finite number as strtod() reads it, and nothing else: 1. Else 0.
int app_lines_real(const char *word, double *number);

// Cuts a line into words, in place: how many there are. Those past `most` are counted only.
size_t app_lines_words(char *text, char *words[], size_t most);

#endif
