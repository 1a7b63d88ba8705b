// SPDX-License-Identifier: Apache-2.0
// "Did you mean ...?" for a name that is not known.
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include <stddef.h>

// The best known name so far. Offer all of them, then look at `name`: NULL when none is near.
struct suggestion {
    const char *wanted;
    const char *name;
    size_t distance;
};

void suggest_start(struct suggestion *suggestion, const char *wanted);
void suggest_offer(struct suggestion *suggestion, const char *known);

#endif
