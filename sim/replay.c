// SPDX-License-Identifier: Apache-2.0
// See replay.h. A file is read twice: first for its sum, so that machines are told nothing but what
// once happened, then for its events.
#include "sim/replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twill/runtime.h>

#include "apps/lines.h"
#include "steal/host_record.h"
#include "steal/names.h"

enum { WORDS_MOST = 9, MACHINE_MOST = 64 };

// Policy and detector.
struct machine {
    const struct twi_machine *of;
    void *state;
};

struct reader {
    FILE *file;
    char text[TWI_RECORD_LINE_MOST]; // the line that was read last, with its end
    uint64_t line;
    struct twi_rules rules;
    struct machine policy, detector;
    char version[MACHINE_MOST];
    struct sim_replay *replay;
};

__attribute__((format(printf, 2, 3))) static enum sim_replay_end complain(struct reader *reader,
                                                                          const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->replay->message, sizeof reader->replay->message, format, arguments);
    va_end(arguments);
    return SIM_REPLAY_UNREADABLE;
}

static int next_line(struct reader *reader)
{
    reader->line++;
    return fgets(reader->text, sizeof reader->text, reader->file) != NULL;
}

static int is_event(const char *text)
{
    return (text[0] == 'p' || text[0] == 'd') && text[1] == ' ';
}

// ---- the first time ----

static enum sim_replay_end check_sum(struct reader *reader)
{
    char last[TWI_RECORD_LINE_MOST];
    uint64_t events = 0, sum = TWI_RECORD_SUM;
    while (next_line(reader)) {
        if (reader->line == 1 && strcmp(reader->text, TWI_RECORDING_FIRST "\n") != 0)
            return complain(reader, "is no recording: it does not begin with '%s'",
                            TWI_RECORDING_FIRST);
        if (strncmp(reader->text, "end ", 4) == 0) {
            twi_record_end(last, events, sum);
            if (strcmp(reader->text, last) == 0 && getc(reader->file) == EOF)
                return SIM_REPLAY_SAME;
            return complain(reader,
                            "was changed: the sum in line %" PRIu64 " is not that of the "
                            "%" PRIu64 " events before",
                            reader->line, events);
        }
        events += is_event(reader->text);
        sum = twi_record_sum(sum, reader->text, strlen(reader->text));
    }
    return complain(reader,
                    "is not complete: it ends after %" PRIu64 " events, without the line "
                    "'end'",
                    events);
}

// ---- its head ----

static const struct twi_machine *find(const struct twi_machine *const *table, const char *name)
{
    while (*table && strcmp((*table)->name, name) != 0)
        table++;
    return *table;
}

// "key value"; 0: it is not so.
static int read_word(struct reader *reader, const char *key, char word[MACHINE_MOST])
{
    char *rest = NULL;
    if (!next_line(reader))
        return 0;
    const char *found = strtok_r(reader->text, " \n", &rest);
    const char *value = strtok_r(NULL, " \n", &rest);
    if (!found || !value || strcmp(found, key) != 0 || strlen(value) >= MACHINE_MOST)
        return 0;
    strcpy(word, value);
    return 1;
}

static int read_machine(struct reader *reader, const char *key, struct machine *machine,
                        const struct twi_machine *const *table)
{
    char name[MACHINE_MOST];
    if (!read_word(reader, key, name)) {
        complain(reader, "has no %s in line %" PRIu64, key, reader->line);
        return 0;
    }
    machine->of = find(table, name);
    if (!machine->of)
        complain(reader, "is of the %s '%s', which is not known here", key, name);
    return machine->of != NULL;
}

static int read_rules(struct reader *reader)
{
    for (const struct twi_rule_field *field = twi_rule_fields; field->name; field++) {
        char word[MACHINE_MOST];
        uint64_t number;
        if (!read_word(reader, field->name, word) || !app_lines_number(word, &number) ||
            !twi_rule_set(&reader->rules, field, number)) {
            complain(reader, "has no %s in line %" PRIu64, field->name, reader->line);
            return 0;
        }
    }
    return 1;
}

static int start(struct machine *machine, const struct twi_rules *rules)
{
    machine->state = calloc(1, machine->of->size(rules));
    if (machine->state)
        machine->of->start(machine->state, rules);
    return machine->state != NULL;
}

static enum sim_replay_end read_head(struct reader *reader)
{
    struct sim_replay *replay = reader->replay;
    if (!next_line(reader) || !read_word(reader, "version", reader->version))
        return complain(reader, "has no version in line 2");
    if (!read_machine(reader, "policy", &reader->policy, twi_policies) ||
        !read_machine(reader, "detector", &reader->detector, twi_detectors) || !read_rules(reader))
        return SIM_REPLAY_UNREADABLE;
    replay->place = reader->rules.place;
    replay->places = reader->rules.places;
    replay->policy = reader->policy.of->name;
    replay->detector = reader->detector.of->name;
    if (!start(&reader->policy, &reader->rules) || !start(&reader->detector, &reader->rules))
        return complain(reader, "is of so many places that memory does not suffice");
    return SIM_REPLAY_SAME;
}

// ---- events ----

static int read_kind(const char *word, enum twi_on *kind)
{
    for (unsigned i = TWI_ON_START; i <= TWI_ON_ACTIVE; i++)
        if (strcmp(twi_on_name((enum twi_on)i), word) == 0) {
            *kind = (enum twi_on)i;
            return 1;
        }
    return 0;
}

static int read_narrow(const char *word, uint32_t *number)
{
    uint64_t wide;
    int is_number = app_lines_number(word, &wide) && wide <= UINT32_MAX;
    *number = is_number ? (uint32_t)wide : 0;
    return is_number;
}

// As twi_record_event writes it.
static int read_event(const char *line, const struct twi_rules *rules, struct twi_event *event)
{
    char text[TWI_RECORD_LINE_MOST], *rest = NULL, *words[WORDS_MOST];
    size_t count = 0;
    strcpy(text, line);
    for (char *word = strtok_r(text, " \n", &rest); word && count < WORDS_MOST;
         word = strtok_r(NULL, " \n", &rest))
        words[count++] = word;
    event->peer = TWI_NO_PLACE;
    return count == WORDS_MOST && read_kind(words[1], &event->kind) &&
           app_lines_number(words[2], &event->now_ns) &&
           (strcmp(words[3], "-") == 0 ||
            (read_narrow(words[3], &event->peer) && event->peer < rules->places)) &&
           read_narrow(words[4], &event->message) && read_narrow(words[5], &event->count) &&
           app_lines_number(words[6], &event->word) && read_narrow(words[7], &event->load) &&
           read_narrow(words[8], &event->idle);
}

// A line without its end and the blanks before, in a message.
static int cut(const char *line)
{
    return (int)strcspn(line, "\n");
}

static enum sim_replay_end differ(struct reader *reader, const char *told, const char *does)
{
    const char *did = reader->text[0] == ' ' ? reader->text : "  nothing more";
    complain(reader,
             "differs at event %" PRIu64 " (line %" PRIu64 "), '%.*s': it did '%.*s', now it does "
             "'%.*s'%s%s",
             reader->replay->events, reader->line, cut(told), told, cut(did + 2), did + 2,
             cut(does + 2), does + 2,
             strcmp(reader->version, TW_VERSION) == 0 ? "" : "; it was recorded by version ",
             strcmp(reader->version, TW_VERSION) == 0 ? "" : reader->version);
    return SIM_REPLAY_DIFFERS;
}

// The line is an event; afterwards it is what follows its actions.
static enum sim_replay_end replay_event(struct reader *reader)
{
    struct twi_event event;
    struct twi_actions actions = {.count = 0};
    char told[TWI_RECORD_LINE_MOST], does[TWI_RECORD_LINE_MOST];
    strcpy(told, reader->text);
    if (!read_event(told, &reader->rules, &event))
        return complain(reader, "has no event in line %" PRIu64, reader->line);
    const struct machine *machine = told[0] == 'p' ? &reader->policy : &reader->detector;
    reader->replay->events++;
    machine->of->step(machine->state, &event, &actions);
    for (uint32_t i = 0; i < actions.count; i++, reader->replay->actions++) {
        twi_record_action(does, &actions.list[i]);
        if (!next_line(reader) || strcmp(reader->text, does) != 0)
            return differ(reader, told, does);
    }
    if (next_line(reader) && reader->text[0] == ' ')
        return differ(reader, told, "  nothing more");
    return SIM_REPLAY_SAME;
}

static enum sim_replay_end replay_all(struct reader *reader)
{
    enum sim_replay_end end = check_sum(reader);
    if (end != SIM_REPLAY_SAME)
        return end;
    rewind(reader->file);
    reader->line = 0;
    end = read_head(reader);
    if (end == SIM_REPLAY_SAME && !next_line(reader))
        return complain(reader, "has no events");
    while (end == SIM_REPLAY_SAME && strncmp(reader->text, "end ", 4) != 0)
        end = replay_event(reader);
    return end;
}

enum sim_replay_end sim_replay(const char *path, struct sim_replay *replay)
{
    struct reader reader = {.replay = replay, .file = fopen(path, "re")};
    *replay = (struct sim_replay){.policy = "", .detector = ""};
    if (!reader.file)
        return complain(&reader, "cannot be read: %s", strerror(errno));
    enum sim_replay_end end = replay_all(&reader);
    free(reader.policy.state);
    free(reader.detector.state);
    fclose(reader.file);
    return end;
}
