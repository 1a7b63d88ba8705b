// SPDX-License-Identifier: Apache-2.0
// Reads trace files back: whether they are JSON at all, by a checker that knows nothing of traces,
// and the events in them, which stand on a line each.
#ifndef TEST_TRACE_FILE_H
#define TEST_TRACE_FILE_H

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- JSON ----

static inline const char *json_value(const char *at);

static inline const char *json_blank(const char *at)
{
    while (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')
        at++;
    return at;
}

// Each of these returns where the thing ends, NULL when it is not well formed.
static inline const char *json_string(const char *at)
{
    if (*at++ != '"')
        return NULL;
    for (; *at != '"'; at++) {
        if ((unsigned char)*at < 0x20)
            return NULL;
        if (*at != '\\')
            continue;
        at++;
        if (*at == 'u') {
            for (int i = 0; i < 4; i++)
                if (!isxdigit((unsigned char)*++at))
                    return NULL;
        } else if (!*at || !strchr("\"\\/bfnrt", *at)) {
            return NULL;
        }
    }
    return at + 1;
}

static inline const char *json_number(const char *at)
{
    at += *at == '-';
    if (!isdigit((unsigned char)*at) || (*at == '0' && isdigit((unsigned char)at[1])))
        return NULL;
    while (isdigit((unsigned char)*at))
        at++;
    if (*at != '.')
        return at;
    if (!isdigit((unsigned char)*++at))
        return NULL;
    while (isdigit((unsigned char)*at))
        at++;
    return at;
}

static inline const char *json_nested(const char *at, char closing)
{
    at = json_blank(at + 1);
    if (*at == closing)
        return at + 1;
    for (;;) {
        if (closing == '}') {
            at = json_string(json_blank(at));
            if (!at || *(at = json_blank(at)) != ':')
                return NULL;
            at++;
        }
        at = json_value(at);
        if (!at)
            return NULL;
        at = json_blank(at);
        if (*at == closing)
            return at + 1;
        if (*at++ != ',')
            return NULL;
    }
}

static inline const char *json_value(const char *at)
{
    at = json_blank(at);
    if (*at == '{')
        return json_nested(at, '}');
    if (*at == '[')
        return json_nested(at, ']');
    return *at == '"' ? json_string(at) : json_number(at);
}

static inline int json_valid(const char *text)
{
    const char *end = json_value(text);
    return end && *json_blank(end) == '\0';
}

// ---- events ----

struct trace_event {
    char phase;
    unsigned worker;
    uint64_t begin_ns, end_ns; // equal but for slices
    char name[32];             // as it stands there
    int is_task;               // a slice of a task:
    unsigned fiber, victim;
    int starts, stops; // else it goes on, and parks
    uint64_t lost;
};

struct trace_file {
    char *text;
    struct trace_event *events;
    size_t count;
};

// The text of a file, NULL when there is none. To be freed.
static inline char *file_text(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    size_t room = 4096, size = 0, got;
    char *text = malloc(room);
    while (text && (got = fread(text + size, 1, room - size - 1, file)) > 0) {
        size += got;
        if (room - size < 2)
            text = realloc(text, room *= 2);
    }
    fclose(file);
    if (text)
        text[size] = '\0';
    return text;
}

static inline uint64_t number_of(const char *line, const char *key)
{
    const char *at = strstr(line, key);
    return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

// Microseconds with three places.
static inline uint64_t ns_of(const char *line, const char *key)
{
    const char *at = strstr(line, key);
    if (!at)
        return 0;
    char *point;
    uint64_t us = strtoull(at + strlen(key), &point, 10);
    return us * 1000 + strtoull(point + 1, NULL, 10);
}

static inline struct trace_event event_of(const char *line)
{
    struct trace_event e = {.phase = line[strlen("{\"ph\":\"")]};
    const char *name = strstr(line, "\"name\":\"");
    if (name)
        sscanf(name, "\"name\":\"%31[^\"]", e.name);
    e.worker = (unsigned)number_of(line, "\"tid\":");
    e.begin_ns = ns_of(line, "\"ts\":");
    e.end_ns = e.begin_ns + ns_of(line, "\"dur\":");
    e.is_task = strstr(line, "\"cat\":\"task\"") != NULL;
    e.fiber = (unsigned)number_of(line, "\"fiber\":");
    e.victim = (unsigned)number_of(line, "\"victim\":");
    e.starts = strstr(line, "\"begun\":\"start\"") != NULL;
    e.stops = strstr(line, "\"ended\":\"stop\"") != NULL;
    e.lost = number_of(line, "\"lost\":");
    return e;
}

static inline int trace_read(struct trace_file *trace, const char *path)
{
    *trace = (struct trace_file){.text = file_text(path)};
    if (!trace->text)
        return 0;
    size_t lines = 1;
    for (const char *c = trace->text; *c; c++)
        lines += *c == '\n';
    trace->events = calloc(lines, sizeof *trace->events);
    char *copy = strdup(trace->text), *rest;
    for (char *line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (strncmp(line, "{\"ph\":\"", 7) == 0)
            trace->events[trace->count++] = event_of(line);
    free(copy);
    return 1;
}

static inline void trace_forget(struct trace_file *trace)
{
    free(trace->text);
    free(trace->events);
}

#endif
