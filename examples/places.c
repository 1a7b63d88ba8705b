// SPDX-License-Identifier: Apache-2.0
// Counts the ways to place queens on a board, on one machine or on many:
//
//     ./places 12
//     mpirun -n 4 ./places 12
//
// Each place counts what it finds; the counts are added at the end. One task is sent to each place
// by name, to say hello.
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <twill/twill.h>

static _Atomic uint64_t found, greeted; // at this place

static uint64_t search(uint32_t all, uint32_t columns, uint32_t left, uint32_t right)
{
    if (columns == all)
        return 1;
    uint64_t ways = 0;
    for (uint32_t free = all & ~(columns | left | right); free; free &= free - 1) {
        uint32_t queen = free & -free;
        ways += search(all, columns | queen, (left | queen) << 1, (right | queen) >> 1);
    }
    return ways;
}

// All that a task needs is in its arguments: another machine may run it.
TW_TASK(place_queens, { uint32_t all, columns, left, right, rows; })
{
    if (self.rows == 0) {
        found += search(self.all, self.columns, self.left, self.right);
        return;
    }
    for (uint32_t free = self.all & ~(self.columns | self.left | self.right); free;
         free &= free - 1) {
        uint32_t queen = free & -free;
        tw_async_any(place_queens, .all = self.all, .columns = self.columns | queen,
                     .left = (self.left | queen) << 1, .right = (self.right | queen) >> 1,
                     .rows = self.rows - 1);
    }
}

TW_TASK(greet, { unsigned from; })
{
    greeted += self.from + 1;
}

TW_TASK(count, { uint32_t n; })
{
    tw_finish {
        tw_async_any(place_queens, .all = (1u << self.n) - 1, .rows = 4);
    }
    tw_finish {
        for (unsigned place = 0; place < tw_places(); place++)
            tw_async_at(place, greet, .from = tw_here());
    }
}

int main(int argc, char **argv)
{
    char message[1024];
    uint32_t n = argc > 1 ? (uint32_t)atoi(argv[1]) : 10;
    if (tw_places_open(NULL, message, sizeof message) != 0) {
        fprintf(stderr, "places: %s\n", message);
        return 1;
    }
    int error = tw_run(count, .n = n);
    uint64_t sums[] = {found, greeted}, most = found;
    if (!error)
        error = tw_places_sum(sums, 2);
    if (!error)
        error = tw_places_max(&most, 1);
    if (error) { // the sentence says why, if it was that places could not begin together
        (void)tw_places_open(NULL, message, sizeof message);
        fprintf(stderr, "places: error %d %s\n", error, message);
        return 1;
    }
    if (tw_here() == 0)
        printf("%u queens: %llu ways, %llu at most at one of %u places\n", (unsigned)n,
               (unsigned long long)sums[0], (unsigned long long)most, tw_places());
    return sums[1] == tw_places() && (n != 10 || sums[0] == 724) ? 0 : 1;
}
