// SPDX-License-Identifier: Apache-2.0
// Machine files: a key and its value a line, `#` begins a comment. docs/simulator.md has the table.
//
// Numbers are read and written without floating point: 0.35us is 350 ns, and what is no whole
// number of nanoseconds is refused.
#include "sim/machine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "apps/lines.h"
#include "sim/machines.h"

enum kind { NAME, COUNT, TIME, RATE, COMMUNICATION, TOPOLOGY };

#define SECOND UINT64_C(1000000000)
#define AT(field) offsetof(struct twi_sim_machine, field)

// In the order in which they are written.
static const struct key {
    const char *name;
    enum kind kind;
    size_t offset;
    uint64_t least, most;
    const char *otherwise; // its value where there is none; NULL: there must be one
} keys[] = {
    {"name", NAME, AT(name), 0, 0, NULL},
    {"places", COUNT, AT(places), 1, 1000000, NULL},
    {"workers", COUNT, AT(workers), 1, 4096, NULL},
    {"communication", COMMUNICATION, AT(dedicated), 0, 0, "dedicated"},
    {"topology", TOPOLOGY, AT(topology), 1, 10000, "flat"},
    {"latency", TIME, AT(latency_ns), 1, SECOND, NULL},
    {"hop", TIME, AT(hop_ns), 0, SECOND, "0ns"},
    {"overhead", TIME, AT(overhead_ns), 0, SECOND, NULL},
    {"gap", TIME, AT(gap_ns), 0, SECOND, NULL},
    {"gap-per-byte", RATE, AT(gap_ps_per_byte), 0, 1000000, NULL},
    {"read", TIME, AT(read_ns), 1, SECOND, NULL},
    {"poll", TIME, AT(poll_ns), 1, SECOND, "2us"},
    {"notice", TIME, AT(notice_ns), 0, SECOND, "0ns"},
    {"notice-busy", TIME, AT(notice_busy_ns), 0, SECOND, "0ns"},
    {"wake", TIME, AT(wake_ns), 0, SECOND, "1us"},
    {"task", TIME, AT(task_ns), 0, SECOND, "100ns"},
    {"node", TIME, AT(node_ns), 1, SECOND / 100, "300ns"},
    {"cores", COUNT, AT(cores), 0, 4096, "0"},
    {"start", TIME, AT(start_ns), 0, SECOND, "0ns"},
    {"start-place", TIME, AT(start_place_ns), 0, SECOND, "0ns"},
};
enum { KEYS = sizeof keys / sizeof keys[0] };

static const struct unit {
    const char *name;
    uint64_t scale;
} times[] = {{"s", SECOND}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}, {NULL, 0}},
  rates[] = {{"ns/B", 1000}, {"ps/B", 1}, {NULL, 0}};

static const char *const topologies[] = {
    [TWI_TOPOLOGY_FLAT] = "flat",
    [TWI_TOPOLOGY_TORUS] = "torus",
    [TWI_TOPOLOGY_DRAGONFLY] = "dragonfly",
};
enum { TOPOLOGIES = sizeof topologies / sizeof topologies[0] };

// How many numbers may follow.
static const unsigned shape_sizes[TOPOLOGIES] = {0, 3, 2};

enum { WORDS_MOST = 5 }; // the key and what follows

struct parser {
    struct app_lines lines;
    struct twi_sim_machine *machine;
    unsigned seen[KEYS]; // in which line; 0: not yet
};

static void *field_of(struct parser *parser, const struct key *key)
{
    return (char *)parser->machine + key->offset;
}

// ---- values ----

static const struct unit *units_of(const struct key *key)
{
    return key->kind == RATE ? rates : times;
}

// In the largest unit of which it is a whole number.
static const char *quantity_text(const struct key *key, uint64_t value, char *text, size_t size)
{
    const struct unit *unit = units_of(key);
    while (unit->scale > 1 && (value == 0 || value % unit->scale != 0))
        unit++;
    snprintf(text, size, "%" PRIu64 "%s", value / unit->scale, unit->name);
    return text;
}

static int complain_unit(struct parser *parser, const struct key *key, const char *word)
{
    return app_lines_complain(&parser->lines, "'%s %.40s' has no unit that is known: give %s",
                              key->name, word,
                              key->kind == RATE ? "ps/B or ns/B" : "ns, us, ms or s");
}

static int complain_number(struct parser *parser, const struct key *key, const char *word)
{
    return app_lines_complain(&parser->lines,
                              "'%s %.40s' is no number that is known: give one as %s", key->name,
                              word, key->kind == RATE ? "100ps/B or 0.1ns/B" : "350ns or 0.35us");
}

// At most ten digits, perhaps with a point among them: as number / divisor. Ten digits times a
// second fit 64 bits. Returns what follows; NULL: it is no such number.
static const char *scan_number(const char *word, uint64_t *number, uint64_t *divisor)
{
    unsigned digits = 0;
    int behind_point = 0;
    const char *at = word;
    *number = 0;
    *divisor = 1;
    for (; (*at >= '0' && *at <= '9') || (*at == '.' && !behind_point); at++) {
        if (*at == '.') {
            behind_point = 1;
            continue;
        }
        *number = *number * 10 + (uint64_t)(*at - '0');
        *divisor *= behind_point ? 10 : 1;
        if (++digits > 10)
            return NULL;
    }
    return digits == 0 || word[0] == '.' || at[-1] == '.' ? NULL : at;
}

static int parse_quantity(struct parser *parser, const struct key *key, const char *word)
{
    uint64_t number, divisor;
    const char *name = scan_number(word, &number, &divisor);
    if (!name)
        return complain_number(parser, key, word);
    const struct unit *unit = units_of(key);
    while (unit->name && strcmp(unit->name, name) != 0)
        unit++;
    if (!unit->name)
        return complain_unit(parser, key, word);
    if (number * unit->scale % divisor != 0)
        return app_lines_complain(&parser->lines, "'%s %.40s' is no whole number of %s", key->name,
                                  word, key->kind == RATE ? "picoseconds" : "nanoseconds");
    uint64_t value = number * unit->scale / divisor;
    char least[32], most[32];
    if (value < key->least || value > key->most)
        return app_lines_complain(&parser->lines, "'%s %.40s' is out of range: %s to %s", key->name,
                                  word, quantity_text(key, key->least, least, sizeof least),
                                  quantity_text(key, key->most, most, sizeof most));
    *(uint64_t *)field_of(parser, key) = value;
    return 0;
}

static int parse_count(struct parser *parser, const struct key *key, const char *word,
                       uint32_t *field)
{
    uint64_t number;
    if (!app_lines_number(word, &number) || number < key->least || number > key->most)
        return app_lines_complain(&parser->lines,
                                  "'%s': '%.40s' is no whole number from %" PRIu64 " to %" PRIu64,
                                  key->name, word, key->least, key->most);
    *field = (uint32_t)number;
    return 0;
}

static int parse_name(struct parser *parser, const char *word)
{
    size_t length = strlen(word);
    if (length >= TWI_SIM_NAME || strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789-_") != length)
        return app_lines_complain(
            &parser->lines,
            "'name': '%.40s' is no name: give up to %d small letters, digits, "
            "- and _",
            word, TWI_SIM_NAME - 1);
    memcpy(parser->machine->name, word, length + 1);
    return 0;
}

static int parse_communication(struct parser *parser, const char *word)
{
    parser->machine->dedicated = strcmp(word, "dedicated") == 0;
    if (parser->machine->dedicated || strcmp(word, "shared") == 0)
        return 0;
    return app_lines_complain(&parser->lines,
                              "'communication': '%.40s' is neither dedicated nor "
                              "shared",
                              word);
}

// A word, then all of its sizes or none.
static int parse_topology(struct parser *parser, const struct key *key, char **words,
                          unsigned count)
{
    struct twi_sim_machine *machine = parser->machine;
    unsigned kind = 0;
    while (kind < TOPOLOGIES && strcmp(topologies[kind], words[0]) != 0)
        kind++;
    if (kind == TOPOLOGIES)
        return app_lines_complain(&parser->lines,
                                  "'topology': '%.40s' is none of flat, torus and "
                                  "dragonfly",
                                  words[0]);
    if (count != 1 && count != 1 + shape_sizes[kind])
        return app_lines_complain(&parser->lines, "'topology %s' has %u sizes%s", topologies[kind],
                                  shape_sizes[kind], shape_sizes[kind] > 0 ? ", or none" : "");
    machine->topology = (enum twi_topology)kind;
    for (unsigned i = 1; i < count; i++)
        if (parse_count(parser, key, words[i], &machine->shape[i - 1]) != 0)
            return -1;
    return 0;
}

static int parse_value(struct parser *parser, const struct key *key, char **words, unsigned count)
{
    if (count == 0)
        return app_lines_complain(&parser->lines, "'%s' has no value", key->name);
    if (count > 1 && key->kind != TOPOLOGY)
        return app_lines_complain(&parser->lines, "'%s' has one value, but '%.40s' follows",
                                  key->name, words[1]);
    switch (key->kind) {
    case NAME:
        return parse_name(parser, words[0]);
    case COUNT:
        return parse_count(parser, key, words[0], field_of(parser, key));
    case TIME:
    case RATE:
        return parse_quantity(parser, key, words[0]);
    case COMMUNICATION:
        return parse_communication(parser, words[0]);
    case TOPOLOGY:
        return parse_topology(parser, key, words, count);
    }
    return -1;
}

// ---- a text ----

static int complain_key(struct parser *parser, const char *word)
{
    char known[256];
    size_t used = 0;
    for (unsigned i = 0; i < KEYS; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                                 keys[i].name);
    return app_lines_complain(&parser->lines, "there is no key '%.40s': the keys are %s", word,
                              known);
}

static int parse_line(struct parser *parser)
{
    char *words[WORDS_MOST + 1], *rest = NULL;
    unsigned count = 0, i = 0;
    for (char *word = strtok_r(parser->lines.text, " \t", &rest); word && count <= WORDS_MOST;
         word = strtok_r(NULL, " \t", &rest))
        words[count++] = word;
    while (i < KEYS && strcmp(keys[i].name, words[0]) != 0)
        i++;
    if (i == KEYS)
        return complain_key(parser, words[0]);
    if (parser->seen[i])
        return app_lines_complain(&parser->lines, "'%s' is given twice, first in line %u",
                                  keys[i].name, parser->seen[i]);
    parser->seen[i] = parser->lines.line;
    return parse_value(parser, &keys[i], words + 1, count - 1);
}

// What the text left out.
static int complete(struct parser *parser)
{
    for (unsigned i = 0; i < KEYS; i++) {
        if (parser->seen[i])
            continue;
        if (!keys[i].otherwise)
            return app_lines_complain(&parser->lines, "the file ends without '%s'", keys[i].name);
        char text[16], *word = text;
        snprintf(text, sizeof text, "%s", keys[i].otherwise);
        if (parse_value(parser, &keys[i], &word, 1) != 0)
            return -1;
    }
    return 0;
}

static int check_shape(struct parser *parser)
{
    const struct twi_sim_machine *machine = parser->machine;
    const uint32_t *shape = machine->shape;
    if (machine->topology != TWI_TOPOLOGY_TORUS || shape[0] == 0)
        return 0;
    if ((uint64_t)shape[0] * shape[1] * shape[2] >= machine->places)
        return 0;
    for (unsigned i = 0; i < KEYS; i++)
        if (keys[i].kind == TOPOLOGY)
            parser->lines.line = parser->seen[i];
    return app_lines_complain(&parser->lines, "a torus of %u by %u by %u has no room for %u places",
                              shape[0], shape[1], shape[2], machine->places);
}

int sim_machine_parse(const char *source, const char *text, struct twi_sim_machine *machine,
                      char *message, size_t size)
{
    struct parser parser = {
        .lines = {.source = source, .rest = text, .message = message, .size = size},
        .machine = machine,
    };
    memset(machine, 0, sizeof *machine);
    int found;
    while ((found = app_lines_next(&parser.lines)) > 0)
        if (parse_line(&parser) != 0)
            return -1;
    if (found < 0 || complete(&parser) != 0)
        return -1;
    return check_shape(&parser);
}

// ---- by name ----

const char *const *sim_machine_names(void)
{
    return sim_machine_builtin_names;
}

static int complain_name(const char *name, char *message, size_t size)
{
    int used = snprintf(message, size, "there is no machine '%.40s': give", name);
    for (unsigned i = 0; sim_machine_builtin_names[i] && (size_t)used < size; i++)
        used += snprintf(message + used, size - (size_t)used, " %s,", sim_machine_builtin_names[i]);
    if ((size_t)used < size)
        snprintf(message + used, size - (size_t)used, " or a file as ./my.machine");
    return -1;
}

int sim_machine_read(const char *name, struct twi_sim_machine *machine, char *message, size_t size)
{
    if (!strpbrk(name, "/.")) {
        for (unsigned i = 0; sim_machine_builtin_names[i]; i++)
            if (strcmp(sim_machine_builtin_names[i], name) == 0)
                return sim_machine_parse(name, sim_machine_builtin_texts[i], machine, message,
                                         size);
        return complain_name(name, message, size);
    }
    char *text = app_lines_read(name, message, size);
    if (!text)
        return -1;
    int error = sim_machine_parse(name, text, machine, message, size);
    free(text);
    return error;
}

static void print_value(FILE *file, const struct key *key, const struct twi_sim_machine *machine)
{
    const void *field = (const char *)machine + key->offset;
    char text[32];
    switch (key->kind) {
    case NAME:
        fputs(machine->name, file);
        break;
    case COUNT:
        fprintf(file, "%" PRIu32, *(const uint32_t *)field);
        break;
    case TIME:
    case RATE:
        fputs(quantity_text(key, *(const uint64_t *)field, text, sizeof text), file);
        break;
    case COMMUNICATION:
        fputs(machine->dedicated ? "dedicated" : "shared", file);
        break;
    case TOPOLOGY:
        fputs(topologies[machine->topology], file);
        for (unsigned i = 0; i < shape_sizes[machine->topology] && machine->shape[i]; i++)
            fprintf(file, " %" PRIu32, machine->shape[i]);
        break;
    }
}

void sim_machine_print(FILE *file, const struct twi_sim_machine *machine)
{
    for (unsigned i = 0; i < KEYS; i++) {
        fprintf(file, "%-15s ", keys[i].name);
        print_value(file, &keys[i], machine);
        fputc('\n', file);
    }
}
