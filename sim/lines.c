// SPDX-License-Identifier: Apache-2.0
// Small text files, line by line.
#include "sim/lines.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// NULL: out of memory, or the file cannot be read to its end.
static char *read_all(FILE *file)
{
    size_t used = 0, capacity = 4096;
    char *text = malloc(capacity);
    while (text) {
        used += fread(text + used, 1, capacity - 1 - used, file);
        if (used < capacity - 1)
            break;
        char *larger = realloc(text, capacity *= 2);
        if (!larger)
            free(text);
        text = larger;
    }
    if (text && ferror(file)) {
        free(text);
        return NULL;
    }
    if (text)
        text[used] = '\0';
    // What follows a byte 0 would be passed over in silence.
    for (size_t i = 0; text && i < used; i++)
        if (text[i] == '\0')
            text[i] = '?';
    return text;
}

char *sim_lines_read(const char *path, char *message, size_t size)
{
    FILE *file = fopen(path, "r");
    char *text = file ? read_all(file) : NULL;
    if (!text)
        snprintf(message, size, "%s: cannot be read: %s", path, strerror(errno));
    if (file)
        fclose(file);
    return text;
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

int sim_lines_next(struct sim_lines *lines)
{
    while (*lines->rest) {
        const char *start = lines->rest, *end = start + strcspn(start, "\n");
        lines->rest = end + (*end == '\n');
        lines->line++;
        end = start + strcspn(start, "#\n");
        while (start < end && is_blank(*start))
            start++;
        while (start < end && is_blank(end[-1]))
            end--;
        size_t length = (size_t)(end - start);
        if (length >= sizeof lines->text)
            return sim_lines_complain(lines, "a line is at most %d bytes long", SIM_LINE_MOST - 1);
        memcpy(lines->text, start, length);
        lines->text[length] = '\0';
        if (length > 0)
            return 1;
    }
    return 0;
}

int sim_lines_complain(struct sim_lines *lines, const char *format, ...)
{
    va_list arguments;
    int used = snprintf(lines->message, lines->size, "%s:%u: ", lines->source, lines->line);
    va_start(arguments, format);
    if (used >= 0 && (size_t)used < lines->size)
        vsnprintf(lines->message + used, lines->size - (size_t)used, format, arguments);
    va_end(arguments);
    return -1;
}

int sim_lines_number(const char *word, uint64_t *number)
{
    if (word[0] == '\0' || word[strspn(word, "0123456789")] != '\0')
        return 0;
    errno = 0;
    *number = strtoull(word, NULL, 10);
    return errno == 0;
}
