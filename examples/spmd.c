// SPDX-License-Identifier: Apache-2.0
// Every place owns a part of a vector; together they find its norm and normalise it:
//
//     ./spmd
//     mpirun -n 4 ./spmd
//
// The same task runs at each place. What they do together stands at its top level; in between each
// place spreads its own work over its workers, and asks its neighbour for a value.
#include <math.h>
#include <stdio.h>
#include <twill/twill.h>

#ifdef TWILL_SERIAL // has no futures

int main(void)
{
    puts("only with the library");
    return 77;
}

#else

enum { PART = 100000, PIECE = 1000 };
static double part[PART]; // of this place

TW_SUM(double, energy)
TW_FUTURE(double, value)

TW_TASK(add_squares, {
    struct tw_shared total;
    int from;
})
{
    double sum = 0;
    for (int i = self.from; i < self.from + PIECE; i++)
        sum += part[i] * part[i];
    *tw_shared_view(energy, self.total) += sum;
}

TW_TASK(scale, {
    int from;
    double by;
})
{
    for (int i = self.from; i < self.from + PIECE; i++)
        part[i] *= self.by;
}

TW_FUNCTION(double, first_value, { int unused; })
{
    return part[0];
}

static double square_sum(void)
{
    struct tw_shared total = tw_shared_open(energy);
    tw_finish {
        for (int from = 0; from < PART; from += PIECE)
            tw_async(add_squares, .total = total, .from = from);
    }
    double sum = tw_shared_close(energy, total);
    if (tw_places_reduce(energy, &sum) != 0) // of all places
        return 0;
    return sum;
}

TW_TASK(normalise, { double *length; })
{
    for (int i = 0; i < PART; i++)
        part[i] = tw_here() + 1;
    double norm = sqrt(square_sum());
    tw_finish_spmd
    {
        for (int from = 0; from < PART; from += PIECE)
            tw_async(scale, .from = from, .by = 1 / norm);
    }
    *self.length = square_sum();
    tw_future(value) theirs = TW_FUTURE_INIT;
    unsigned next = (tw_here() + 1) % tw_places();
    tw_finish {
        (void)tw_promise_at(next, value, &theirs, first_value, .unused = 0);
    }
    double ratio = tw_await(value, &theirs) / part[0];
    if (fabs(ratio - (next + 1.0) / (tw_here() + 1)) > 1e-9)
        tw_fail(TW_EIO);
}

int main(void)
{
    char message[1024];
    double length = 0;
    if (tw_places_open(NULL, message, sizeof message) != 0) {
        fprintf(stderr, "spmd: %s\n", message);
        return 1;
    }
    int error = tw_run_spmd(normalise, .length = &length);
    if (error) { // the sentence says why, if it was that places could not begin together
        (void)tw_places_open(NULL, message, sizeof message);
        fprintf(stderr, "spmd: %s\n", *message ? message : tw_strerror(error));
        return 1;
    }
    if (tw_here() == 0)
        printf("%u places, %d values each, length %.6f\n", tw_places(), PART, length);
    return fabs(length - 1) < 1e-9 ? 0 : 1;
}

#endif
