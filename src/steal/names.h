// SPDX-License-Identifier: Apache-2.0
// The words of machines as text, for recordings and traces.
#ifndef TWI_NAMES_H
#define TWI_NAMES_H

#include "steal/machine.h"

const char *twi_on_name(enum twi_on kind);
const char *twi_do_name(enum twi_do kind);

// The fields of struct twi_rules.
struct twi_rule_field {
    const char *name; // NULL ends them
    size_t offset;
    size_t size; // 4 or 8 bytes
};
extern const struct twi_rule_field twi_rule_fields[];

uint64_t twi_rule_get(const struct twi_rules *rules, const struct twi_rule_field *field);
// 0: the number does not fit.
int twi_rule_set(struct twi_rules *rules, const struct twi_rule_field *field, uint64_t number);

#endif
