// SPDX-License-Identifier: Apache-2.0
// The tensor contraction where places share no memory: panels and tiles travel as messages. Says
// "all is well" at place 0.
#include <stdio.h>

#include <twill/twill.h>

#include "apps/tce/tce.h"
#include "place/place.h"
#include "require.h"

int main(void)
{
    static struct tce tce = {.is_kept = true, .has_nulls = true};
    struct iterations_balances balances;
    struct iterations iterations = {.balances = &balances, .count = 2};
    bool is_right = false;
    char message[512];
    twi_place_settings.host_places = 1; // on each host
    REQUIRE(iterations_read(&balances, "all", message, sizeof message));
    tce_shape_make(&tce.shape, 2, 10);
    REQUIRE(tce_make(&tce) == 0);
    for (unsigned place = 0; place < tw_places(); place++)
        REQUIRE((tw_global_reach(tce.a.global, place) != NULL) == (place == tw_here()));
    REQUIRE(tce_collections(NULL, &tce, &iterations) == 0);
    REQUIRE(tce_check(&tce, &is_right) == 0);
    REQUIRE(is_right);
    iterations_free(&iterations);
    tce_free(&tce);
    if (tw_here() == 0 && !wrong)
        puts("all is well");
    return wrong != 0;
}
