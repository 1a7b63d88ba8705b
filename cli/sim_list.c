// SPDX-License-Identifier: Apache-2.0
// From what was asked for to a list of simulations: every combination of policies, detectors,
// places and seeds.
#include "cli/sim.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/machine.h"

enum { WORD_MOST = SIM_WORD_MOST };

// ---- lists ----

bool sim_next_word(const char **text, char word[WORD_MOST])
{
    size_t length = strcspn(*text, ",");
    if (length == 0 || length >= WORD_MOST)
        return false;
    memcpy(word, *text, length);
    word[length] = '\0';
    *text += length;
    if (**text == ',')
        ++*text;
    return true;
}

static bool read_number(const char *text, uint64_t *value, const char **end)
{
    char *stop;
    if (*text < '0' || *text > '9')
        return false;
    *value = strtoull(text, &stop, 10);
    *end = stop;
    return true;
}

// "5" or "1..10".
static bool read_range(const char *word, uint64_t *first, uint64_t *last)
{
    const char *end;
    if (!read_number(word, first, &end))
        return false;
    *last = *first;
    if (strncmp(end, "..", 2) == 0 && !read_number(end + 2, last, &end))
        return false;
    return *end == '\0' && *last >= *first;
}

bool sim_read_numbers(struct sim_numbers *numbers, const char *option, const char *text,
                      uint64_t least, uint64_t most, char *message, size_t size)
{
    char word[WORD_MOST];
    const char *rest = text;
    uint64_t first, last;
    numbers->count = 0;
    while (sim_next_word(&rest, word)) {
        if (!read_range(word, &first, &last) || first < least || last > most ||
            last - first >= SIM_VALUES_MOST - numbers->count)
            break;
        for (uint64_t value = first; value <= last; value++)
            numbers->value[numbers->count++] = value;
        word[0] = '\0';
    }
    if (*rest == '\0' && numbers->count && word[0] == '\0')
        return true;
    snprintf(message, size,
             "--%s '%s' is no list of numbers: give some from %" PRIu64 " to %" PRIu64
             ", such as 4,8 or 1..10, %d at most",
             option, text, least, most, SIM_VALUES_MOST);
    return false;
}

struct machines {
    const struct twi_machine *value[16];
    size_t count;
};

static const struct twi_machine *find_machine(const struct twi_machine *const *table,
                                              const char *name)
{
    for (; *table; table++)
        if (strcmp((*table)->name, name) == 0)
            return *table;
    return NULL;
}

static void explain_machines(const struct twi_machine *const *table, const char *option,
                             const char *word, char *message, size_t size)
{
    int used = snprintf(message, size, "--%s '%s' is unknown: give all, or some of", option, word);
    for (size_t i = 0; table[i] && used > 0 && (size_t)used < size; i++)
        used +=
            snprintf(message + used, size - (size_t)used, "%s %s", i ? "," : "", table[i]->name);
}

static bool read_machines(struct machines *machines, const char *option, const char *text,
                          const struct twi_machine *const *table, char *message, size_t size)
{
    char word[WORD_MOST];
    machines->count = 0;
    if (strcmp(text, "all") == 0) {
        for (; table[machines->count]; machines->count++)
            machines->value[machines->count] = table[machines->count];
        return true;
    }
    while (machines->count < sizeof machines->value / sizeof *machines->value &&
           sim_next_word(&text, word)) {
        const struct twi_machine *found = find_machine(table, word);
        if (!found) {
            explain_machines(table, option, word, message, size);
            return false;
        }
        machines->value[machines->count++] = found;
    }
    if (*text == '\0' && machines->count)
        return true;
    explain_machines(table, option, text, message, size);
    return false;
}

// ---- options ----

static void scale_network(struct twi_sim_machine *machine, double factor)
{
    uint64_t *times[] = {&machine->latency_ns, &machine->hop_ns,          &machine->overhead_ns,
                         &machine->gap_ns,     &machine->gap_ps_per_byte, &machine->read_ns};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        *times[i] = (uint64_t)llround((double)*times[i] * factor);
}

static bool read_machine(const struct sim_request *request, struct twi_sim_machine *machine,
                         char *message, size_t size)
{
    if (sim_machine_read(request->machine, machine, message, size) != 0)
        return false;
    if (request->workers)
        machine->workers = (uint32_t)request->workers;
    if (request->communication)
        machine->dedicated = request->communication == 1;
    if (request->network != 1)
        scale_network(machine, request->network);
    return true;
}

static struct sim_options common_options(const struct sim_request *request,
                                         const struct twi_sim_machine *machine,
                                         const struct sim_work *work)
{
    return (struct sim_options){.machine = *machine,
                                .work = work,
                                .rules = {.threshold = (uint32_t)request->threshold,
                                          .batch = (uint32_t)request->batch,
                                          .hungry = (uint32_t)request->hungry,
                                          .tries = (uint32_t)request->tries,
                                          .lifelines = (uint32_t)request->lifelines,
                                          .order = (enum twi_order)request->order},
                                .phases = (uint32_t)request->phases,
                                .jitter_ns = request->jitter_ns};
}

// A machine that is used at another size has another shape; the file's is for its own.
static void resize(struct twi_sim_machine *machine, uint32_t places)
{
    if (places != machine->places && machine->topology == TWI_TOPOLOGY_TORUS)
        memset(machine->shape, 0, sizeof machine->shape);
    machine->places = places;
}

struct values {
    struct machines policies, detectors;
    struct sim_numbers places, seeds;
};

static void combine(struct sim_list *list, const struct values *v, const struct sim_options *common)
{
    for (size_t places = 0; places < v->places.count; places++)
        for (size_t detector = 0; detector < v->detectors.count; detector++)
            for (size_t policy = 0; policy < v->policies.count; policy++)
                for (size_t seed = 0; seed < v->seeds.count; seed++) {
                    struct sim_options *options = &list->options[list->count++];
                    *options = *common;
                    resize(&options->machine, (uint32_t)v->places.value[places]);
                    options->detector = v->detectors.value[detector];
                    options->policy = v->policies.value[policy];
                    options->seed = v->seeds.value[seed];
                }
}

static bool read_values(struct values *v, const struct sim_request *request,
                        const struct twi_sim_machine *machine, char *message, size_t size)
{
    char places[16];
    snprintf(places, sizeof places, "%" PRIu32, machine->places);
    return read_machines(&v->policies, "policy", request->policy, twi_policies, message, size) &&
           read_machines(&v->detectors, "detector", request->detector, twi_detectors, message,
                         size) &&
           sim_read_numbers(&v->places, "places", request->places ? request->places : places, 1,
                            1000000, message, size) &&
           sim_read_numbers(&v->seeds, "seed", request->seed, 0, UINT64_MAX / 2, message, size);
}

bool sim_list_make(struct sim_list *list, const struct sim_request *request,
                   const struct sim_kind *kind, char *message, size_t size)
{
    struct twi_sim_machine machine;
    *list = (struct sim_list){0};
    struct values *v = calloc(1, sizeof *v);
    if (!v || !read_machine(request, &machine, message, size) ||
        !read_values(v, request, &machine, message, size)) {
        free(v);
        return false;
    }
    list->work =
        kind->make(request, request->node_ns ? request->node_ns : machine.node_ns, message, size);
    size_t count = v->policies.count * v->detectors.count * v->places.count * v->seeds.count;
    if (list->work)
        list->options = calloc(count, sizeof *list->options);
    if (list->options) {
        struct sim_options common = common_options(request, &machine, list->work);
        combine(list, v, &common);
    } else if (list->work) {
        snprintf(message, size, "no memory for %zu simulations", count);
    }
    free(v);
    return list->options != NULL;
}

void sim_list_free(struct sim_list *list)
{
    if (list->work)
        list->work->destroy(list->work);
    free(list->options);
}
