// SPDX-License-Identifier: Apache-2.0
// Near misses: the fewest letters to insert, drop, replace or swap with their neighbour.
#include "cli/suggest.h"

#include <ctype.h>
#include <string.h>

#define LETTERS_MAX 48

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

// cost[i][j] is the distance between the first i letters of a and the first j of b.
static size_t distance(const char *a, const char *b)
{
    size_t cost[LETTERS_MAX + 1][LETTERS_MAX + 1];
    size_t a_length = strlen(a), b_length = strlen(b);
    if (a_length > LETTERS_MAX || b_length > LETTERS_MAX)
        return LETTERS_MAX;
    for (size_t i = 0; i <= a_length; i++) {
        for (size_t j = 0; j <= b_length; j++) {
            if (i == 0 || j == 0) {
                cost[i][j] = i + j;
                continue;
            }
            size_t changed = cost[i - 1][j - 1] + !same(a[i - 1], b[j - 1]);
            cost[i][j] = least(changed, least(cost[i - 1][j], cost[i][j - 1]) + 1);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                cost[i][j] = least(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    }
    return cost[a_length][b_length];
}

void suggest_start(struct suggestion *suggestion, const char *wanted)
{
    *suggestion = (struct suggestion){.wanted = wanted, .distance = LETTERS_MAX};
}

// Up to a third of the letters may be wrong, so that short names are not all alike.
void suggest_offer(struct suggestion *suggestion, const char *known)
{
    size_t found = distance(suggestion->wanted, known);
    if (found > strlen(known) / 3 || found >= suggestion->distance)
        return;
    suggestion->name = known;
    suggestion->distance = found;
}
