// SPDX-License-Identifier: Apache-2.0
// Writes JSON, value by value; commas, indentation and escapes are done here.
//
//     struct json json;
//     json_start(&json, stdout);
//     json_object(&json, NULL);
//     json_text(&json, "app", "fib");
//     json_close(&json);
//     return json_end(&json) ? 0 : 1;
//
// `key` names the value inside an object and is NULL inside an array and at the top.
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_DEPTH_MAX 16

struct json {
    FILE *file;
    unsigned depth;
    bool empty[JSON_DEPTH_MAX + 1]; // nothing written yet at this depth
    bool lines[JSON_DEPTH_MAX + 1]; // what is written there stands on lines of its own
    char closing[JSON_DEPTH_MAX + 1];
};

void json_start(struct json *json, FILE *file);
void json_object(struct json *json, const char *key);
void json_array(struct json *json, const char *key);
void json_close(struct json *json); // the innermost object or array

void json_text(struct json *json, const char *key, const char *text); // NULL writes null
void json_count(struct json *json, const char *key, uint64_t value);
void json_real(struct json *json, const char *key, double value); // null unless finite
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

// Ends the document. False: it could not be written in full (a full disk, a closed pipe).
bool json_end(struct json *json);

#endif
