// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "cli/json.h"
#include "cli/reproduce.h"

void reproduce_claim(struct reproduction *reproduction, const char *claim, bool holds)
{
    reproduction->differs |= !holds;
    if (!reproduction->json) {
        printf("  %-76s %s\n", claim, holds ? "agrees" : "DIFFERS");
        return;
    }
    json_object(reproduction->json, NULL);
    json_text(reproduction->json, "claim", claim);
    json_text(reproduction->json, "verdict", holds ? "agrees" : "differs");
    json_close(reproduction->json);
}
