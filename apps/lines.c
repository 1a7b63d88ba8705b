// SPDX-License-Identifier: Apache-2.0
// Small text files, line by line.
#include "apps/lines.h"

#include <errno.h>
#include <math.h>
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

char *app_lines_read(const char *path, char *message, size_t size)
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

int app_lines_skip(struct app_lines *lines)
{
    if (!*lines->rest)
        return 0;
    lines->rest += strcspn(lines->rest, "\n");
    lines->rest += *lines->rest == '\n';
    lines->line++;
    return 1;
}

int app_lines_next(struct app_lines *lines)
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
            return app_lines_complain(lines, "a line is at most %d bytes long", APP_LINE_MOST - 1);
        memcpy(lines->text, start, length);
        lines->text[length] = '\0';
        if (length > 0)
            return 1;
    }
    return 0;
}

int app_lines_complain(struct app_lines *lines, const char *format, ...)
{
    va_list arguments;
    int used = snprintf(lines->message, lines->size, "%s:%u: ", lines->source, lines->line);
    va_start(arguments, format);
    if (used >= 0 && (size_t)used < lines->size)
        vsnprintf(lines->message + used, lines->size - (size_t)used, format, arguments);
    va_end(arguments);
    return -1;
}

int app_lines_number(const char *word, uint64_t *number)
{
    if (word[0] == '\0' || word[strspn(word, "0123456789")] != '\0')
        return 0;
    errno = 0;
    *number = strtoull(word, NULL, 10);
    return errno == 0;
}

int app_lines_real(const char *word, double *number)
{
    char *end;
    *number = strtod(word, &end);
    return end != word && *end == '\0' && isfinite(*number);
}

size_t app_lines_words(char *text, char *words[], size_t most)
{
    size_t count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(text, " \t\r", &rest); word; word = strtok_r(NULL, " \t\r", &rest)) {
        if (count < most)
            words[count] = word;
        count++;
    }
    return count;
}
