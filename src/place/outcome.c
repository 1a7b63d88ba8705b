// SPDX-License-Identifier: Apache-2.0
#include "place/outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twill/runtime.h>

// Programs have few names that fail; each is kept once.
struct name {
    struct name *next;
    char text[];
};

static const char *keep(const char *text)
{
    static struct name *names;
    if (!*text)
        return "";
    for (const struct name *name = names; name; name = name->next)
        if (strcmp(name->text, text) == 0)
            return name->text;
    struct name *name = malloc(sizeof *name + strlen(text) + 1);
    if (!name)
        return "";
    strcpy(name->text, text);
    name->next = names;
    names = name;
    return name->text;
}

struct twi_sent_outcome twi_outcome_pack(const struct tw_outcome *outcome, unsigned place)
{
    struct twi_sent_outcome sent = {.error = outcome->error,
                                    .place = *outcome->task ? outcome->place : place,
                                    .spawn_line = outcome->spawn_line,
                                    .failed_line = outcome->failed_line};
    snprintf(sent.task, sizeof sent.task, "%s", outcome->task);
    snprintf(sent.spawn_file, sizeof sent.spawn_file, "%s", outcome->spawn_file);
    snprintf(sent.failed_file, sizeof sent.failed_file, "%s", outcome->failed_file);
    return sent;
}

struct tw_outcome twi_outcome_unpack(const struct twi_sent_outcome *sent)
{
    return (struct tw_outcome){.error = sent->error,
                               .task = keep(sent->task),
                               .spawn_file = keep(sent->spawn_file),
                               .spawn_line = sent->spawn_line,
                               .failed_file = keep(sent->failed_file),
                               .failed_line = sent->failed_line,
                               .place = sent->place};
}

static int rank(const struct twi_sent_outcome *sent)
{
    return sent->error == 0 ? 0 : sent->error == TW_ECANCELED ? 1 : 2;
}

void twi_outcome_merge(void *into, const void *from)
{
    const struct twi_sent_outcome *a = into, *b = from;
    if (rank(b) > rank(a) || (rank(b) == rank(a) && b->place < a->place))
        memcpy(into, from, sizeof *b);
}
