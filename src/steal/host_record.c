// SPDX-License-Identifier: Apache-2.0
// See host_record.h. Lines go to a buffer, which is written when it is full: an event costs about a
// microsecond of the communication worker, and now and then a system call.
#include "steal/host_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <twill/runtime.h>

#include "steal/names.h"

enum { BUFFER = 1 << 16 };

struct twi_recording {
    FILE *file;
    const struct twi_machine *policy;
    uint64_t events, sum;
};

// ---- lines ----

static const char *peer_text(char text[16], uint32_t peer)
{
    snprintf(text, 16, "%" PRIu32, peer);
    return peer == TWI_NO_PLACE ? "-" : text;
}

size_t twi_record_event(char text[TWI_RECORD_LINE_MOST], int is_policy,
                        const struct twi_event *event)
{
    char peer[16];
    return (size_t)snprintf(text, TWI_RECORD_LINE_MOST,
                            "%s %s %" PRIu64 " %s %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu32
                            " %" PRIu32 "\n",
                            is_policy ? "p" : "d", twi_on_name(event->kind), event->now_ns,
                            peer_text(peer, event->peer), event->message, event->count, event->word,
                            event->load, event->idle);
}

size_t twi_record_action(char text[TWI_RECORD_LINE_MOST], const struct twi_action *action)
{
    char peer[16];
    return (size_t)snprintf(text, TWI_RECORD_LINE_MOST,
                            "  %s %s %" PRIu32 " %" PRIu32 " %" PRIu64 "\n",
                            twi_do_name(action->kind), peer_text(peer, action->peer),
                            action->message, action->count, action->word);
}

size_t twi_record_end(char text[TWI_RECORD_LINE_MOST], uint64_t events, uint64_t sum)
{
    return (size_t)snprintf(text, TWI_RECORD_LINE_MOST, "end %" PRIu64 " %016" PRIx64 "\n", events,
                            sum);
}

// FNV-1a.
uint64_t twi_record_sum(uint64_t sum, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sum = (sum ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return sum;
}

// ---- the file ----

static void write_line(struct twi_recording *recording, const char *text, size_t length)
{
    recording->sum = twi_record_sum(recording->sum, text, length);
    fwrite(text, 1, length, recording->file);
}

static void write_head(struct twi_recording *recording, const struct twi_host_parts *parts)
{
    char text[TWI_RECORD_LINE_MOST];
    int length =
        snprintf(text, sizeof text, "%s\nversion %s\npolicy %s\ndetector %s\n", TWI_RECORDING_FIRST,
                 TW_VERSION, parts->policy->name, parts->detector->name);
    write_line(recording, text, (size_t)length);
    for (const struct twi_rule_field *field = twi_rule_fields; field->name; field++) {
        length = snprintf(text, sizeof text, "%s %" PRIu64 "\n", field->name,
                          twi_rule_get(&parts->rules, field));
        write_line(recording, text, (size_t)length);
    }
}

struct twi_recording *twi_recording_create(const char *path, const struct twi_host_parts *parts)
{
    struct twi_recording *recording = malloc(sizeof *recording);
    FILE *file = recording ? fopen(path, "we") : NULL;
    if (!file) {
        free(recording);
        return NULL;
    }
    setvbuf(file, NULL, _IOFBF, BUFFER);
    *recording = (struct twi_recording){file, parts->policy, 0, TWI_RECORD_SUM};
    write_head(recording, parts);
    return recording;
}

void twi_recording_step(struct twi_recording *recording, const struct twi_machine *machine,
                        const struct twi_event *event, const struct twi_actions *actions)
{
    char text[TWI_RECORD_LINE_MOST];
    recording->events++;
    write_line(recording, text, twi_record_event(text, machine == recording->policy, event));
    for (uint32_t i = 0; i < actions->count; i++)
        write_line(recording, text, twi_record_action(text, &actions->list[i]));
}

int twi_recording_close(struct twi_recording *recording)
{
    char text[TWI_RECORD_LINE_MOST];
    if (!recording)
        return 0;
    write_line(recording, text, twi_record_end(text, recording->events, recording->sum));
    int failed = ferror(recording->file);
    failed |= fclose(recording->file);
    free(recording);
    return failed ? -1 : 0;
}
