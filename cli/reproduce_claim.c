// SPDX-License-Identifier: Apache-2.0
// What the sections of `twill reproduce` print alike.
#include <stdarg.h>
#include <stdio.h>

#include "cli/json.h"
#include "cli/reproduce.h"

static void put(struct reproduction *reproduction, const char *claim, bool holds,
                const char *reason)
{
    struct json *json = reproduction->json;
    reproduction->differs |= !holds;
    if (!json) {
        printf("  %-76s %s\n", claim, holds ? "agrees" : "DIFFERS");
        if (!holds && reason)
            printf("      %s\n", reason);
        return;
    }
    json_object(json, NULL);
    json_text(json, "claim", claim);
    json_text(json, "verdict", holds ? "agrees" : "differs");
    if (!holds && reason)
        json_text(json, "reason", reason);
    json_close(json);
}

void reproduce_claim(struct reproduction *reproduction, const char *claim, bool holds)
{
    put(reproduction, claim, holds, NULL);
}

void reproduce_judge(struct reproduction *reproduction, const char *claim, bool holds,
                     const char *reason, ...)
{
    char text[400];
    va_list values;
    va_start(values, reason);
    vsnprintf(text, sizeof text, reason, values);
    va_end(values);
    put(reproduction, claim, holds, text);
}

void reproduce_rows(struct reproduction *reproduction, const char *name, const char *title)
{
    if (!reproduction->json) {
        printf("%s\n", title);
        return;
    }
    json_object(reproduction->json, name);
    json_array(reproduction->json, "rows");
}

void reproduce_claims(struct reproduction *reproduction)
{
    if (!reproduction->json)
        return;
    json_close(reproduction->json);
    json_array(reproduction->json, "claims");
}

void reproduce_close(struct reproduction *reproduction)
{
    if (!reproduction->json)
        return;
    json_close(reproduction->json);
    json_close(reproduction->json);
}
