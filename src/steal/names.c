// SPDX-License-Identifier: Apache-2.0
#include "steal/names.h"

#include <string.h>

static const char *const on_names[] = {
    [TWI_ON_START] = "start", [TWI_ON_HUNGRY] = "hungry",   [TWI_ON_FED] = "fed",
    [TWI_ON_LOAD] = "load",   [TWI_ON_MESSAGE] = "message", [TWI_ON_TASKS] = "tasks",
    [TWI_ON_READ] = "read",   [TWI_ON_LOCK] = "lock",       [TWI_ON_GAVE] = "gave",
    [TWI_ON_TIMER] = "timer", [TWI_ON_PASSIVE] = "passive", [TWI_ON_ACTIVE] = "active",
};

static const char *const do_names[] = {
    [TWI_DO_SEND] = "send",     [TWI_DO_READ] = "read",           [TWI_DO_LOCK] = "lock",
    [TWI_DO_UNLOCK] = "unlock", [TWI_DO_GIVE] = "give",           [TWI_DO_TIMER] = "timer",
    [TWI_DO_WATCH] = "watch",   [TWI_DO_WATCH_LOW] = "watch-low", [TWI_DO_FINISH] = "finish",
};

const char *twi_on_name(enum twi_on kind)
{
    return on_names[kind];
}

const char *twi_do_name(enum twi_do kind)
{
    return do_names[kind];
}

#define FIELD(field)                                                                               \
    {                                                                                              \
#field, offsetof(struct twi_rules, field), sizeof((struct twi_rules *)0)->field            \
    }

const struct twi_rule_field twi_rule_fields[] = {
    FIELD(place),      FIELD(places),          FIELD(workers),   FIELD(threshold), FIELD(batch),
    FIELD(hungry),     FIELD(tries),           FIELD(lifelines), FIELD(near),      FIELD(order),
    FIELD(backoff_ns), FIELD(backoff_most_ns), FIELD(seed),      {NULL, 0, 0},
};

uint64_t twi_rule_get(const struct twi_rules *rules, const struct twi_rule_field *field)
{
    uint64_t wide;
    uint32_t number;
    const char *at = (const char *)rules + field->offset;
    if (field->size == sizeof wide) {
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
    memcpy(&number, at, sizeof number);
    return number;
}

int twi_rule_set(struct twi_rules *rules, const struct twi_rule_field *field, uint64_t number)
{
    uint32_t narrow = (uint32_t)number;
    char *at = (char *)rules + field->offset;
    if (field->size == sizeof number)
        memcpy(at, &number, sizeof number);
    else
        memcpy(at, &narrow, sizeof narrow);
    return field->size == sizeof number || narrow == number;
}
