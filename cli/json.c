// SPDX-License-Identifier: Apache-2.0
// The JSON writer.
#include "cli/json.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

void json_start(struct json *json, FILE *file)
{
    *json = (struct json){.file = file, .empty[0] = true};
}

static void write_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(file, "\\u%04x", *c);
        else
            fputc(*c, file);
    }
    fputc('"', file);
}

static void new_line(struct json *json)
{
    fprintf(json->file, "\n%*s", (int)json->depth * 2, "");
}

// What stands before a value. Arrays hold their values on one line, unless those are nested.
static void begin_value(struct json *json, const char *key, bool nested)
{
    bool line = json->depth > 0 && (nested || json->closing[json->depth] == '}');
    if (!json->empty[json->depth])
        fputs(line ? "," : ", ", json->file);
    json->empty[json->depth] = false;
    json->lines[json->depth] = line;
    if (line)
        new_line(json);
    if (key) {
        write_text(json->file, key);
        fputs(": ", json->file);
    }
}

static void open_nested(struct json *json, const char *key, const char *brackets)
{
    begin_value(json, key, true);
    fputc(brackets[0], json->file);
    assert(json->depth < JSON_DEPTH_MAX);
    json->depth++;
    json->empty[json->depth] = true;
    json->lines[json->depth] = false;
    json->closing[json->depth] = brackets[1];
}

void json_object(struct json *json, const char *key)
{
    open_nested(json, key, "{}");
}

void json_array(struct json *json, const char *key)
{
    open_nested(json, key, "[]");
}

void json_close(struct json *json)
{
    assert(json->depth > 0);
    char closing = json->closing[json->depth];
    bool lines = json->lines[json->depth];
    json->depth--;
    if (lines)
        new_line(json);
    fputc(closing, json->file);
}

void json_text(struct json *json, const char *key, const char *text)
{
    if (!text) {
        json_null(json, key);
        return;
    }
    begin_value(json, key, false);
    write_text(json->file, text);
}

void json_count(struct json *json, const char *key, uint64_t value)
{
    begin_value(json, key, false);
    fprintf(json->file, "%llu", (unsigned long long)value);
}

// The shortest form that reads back as the same number.
void json_real(struct json *json, const char *key, double value)
{
    if (!isfinite(value)) {
        json_null(json, key);
        return;
    }
    char text[32];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    begin_value(json, key, false);
    fputs(text, json->file);
}

void json_bool(struct json *json, const char *key, bool value)
{
    begin_value(json, key, false);
    fputs(value ? "true" : "false", json->file);
}

void json_null(struct json *json, const char *key)
{
    begin_value(json, key, false);
    fputs("null", json->file);
}

bool json_end(struct json *json)
{
    assert(json->depth == 0);
    fputc('\n', json->file);
    return fflush(json->file) == 0 && !ferror(json->file);
}
