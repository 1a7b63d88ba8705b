// SPDX-License-Identifier: Apache-2.0
// Parallel loops: an array scaled, a picture in two dimensions, a sum and the place of a maximum by
// reduction, and a search that breaks off.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <twill/twill.h>

enum { LENGTH = 1000000, WIDTH = 64, HEIGHT = 24 };

// What one iteration does. The fields are the loop's arguments.
TW_LOOP(scale, i, {
    double *a;
    double by;
})
{
    self.a[i] *= self.by;
}

// Two indices. `return` goes on with the next iteration.
TW_LOOP2(draw, y, x, { char(*lines)[WIDTH + 1]; })
{
    int64_t dx = 2 * x - WIDTH, dy = 5 * y - 5 * HEIGHT / 2;
    if (dx * dx + dy * dy > WIDTH * WIDTH)
        return;
    self.lines[y][x] = '*';
}

// The body gives a value for each index; `a + b` combines them in order.
TW_REDUCE(double, dot, i, 0, a + b, {
    const double *x;
    const double *y;
})
{
    return self.x[i] * self.y[i];
}

// Any type will do, with a value to start from that changes nothing. It contains a comma, hence
// the parentheses.
struct peak {
    double value;
    int64_t at;
};

TW_REDUCE(struct peak, highest, i, ((struct peak){-1, -1}), b.value > a.value ? b : a,
          { const double *a; })
{
    return (struct peak){self.a[i], i};
}

// The first that finds a divisor cancels the attempt around the loop: what has not started is
// dropped.
TW_LOOP(divide, d, {
    int64_t n;
    int64_t *found;
})
{
    if (self.n % d == 0) {
        __atomic_store_n(self.found, d, __ATOMIC_RELAXED); // several may find one at once
        tw_cancel();
    }
}

TW_TASK(loops, {
    double *a;
    char(*lines)[WIDTH + 1];
    double *product;
    struct peak *peak;
    int64_t *divisor;
})
{
    tw_finish {
        tw_forasync(scale, tw_range(0, LENGTH), .a = self.a, .by = 3);
        tw_forasync2(draw, tw_range(0, HEIGHT), tw_range(0, WIDTH), .lines = self.lines);
    }
    *self.product = tw_reduce(dot, tw_range(0, LENGTH, .step = 2), .x = self.a, .y = self.a);
    *self.peak = tw_reduce(highest, tw_range(0, LENGTH), .a = self.a);

    struct tw_outcome outcome;
    tw_attempt(&outcome)
    {
        tw_forasync(divide, tw_range(2, INT64_C(1) << 40), .n = INT64_C(1000003) * 1000033,
                    .found = self.divisor);
    }
}

int main(void)
{
    static char lines[HEIGHT][WIDTH + 1];
    double *a = malloc(LENGTH * sizeof *a), product = 0, expected = 0;
    struct peak peak = {0, 0};
    int64_t divisor = 0;
    if (!a)
        return 1;
    for (int64_t i = 0; i < LENGTH; i++)
        a[i] = (double)(i * 7919 % 1000);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            lines[y][x] = ' ';
    int error = tw_run(loops, .a = a, .lines = lines, .product = &product, .peak = &peak,
                       .divisor = &divisor);
    for (int64_t i = 0; i < LENGTH; i += 2)
        expected += a[i] * a[i];
    for (int y = 0; y < HEIGHT; y++)
        printf("%s\n", lines[y]);
    printf("the sum is %.0f, the peak %.0f at %lld, a divisor %lld\n", product, peak.value,
           (long long)peak.at, (long long)divisor);
    int right = a[1] == 3 * 919 && product == expected && peak.value == 3 * 999 &&
                a[peak.at] == peak.value && lines[HEIGHT / 2][WIDTH / 2] == '*' &&
                lines[0][0] == ' ' && (divisor == 1000003 || divisor == 1000033);
    free(a);
    return error != 0 || !right;
}
