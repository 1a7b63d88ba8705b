// SPDX-License-Identifier: Apache-2.0
// See mandelbrot.h. The part of the plane shown is 3.2 wide, from -2.2 on, and the real axis is in
// the middle.
#include "apps/mandelbrot/mandelbrot.h"

#include <errno.h>

#include <twill/twill.h>

// Not inlined: compiled once, it gives the same bits to whoever calls it.
static __attribute__((noinline)) uint32_t steps_of(const struct mandelbrot *picture, uint32_t row,
                                                   uint32_t column)
{
    double scale = 3.2 / picture->width;
    double x = -2.2 + scale * column, y = scale * (row - 0.5 * picture->height);
    double a = 0, b = 0;
    uint32_t steps = 0;
    for (; steps < picture->iterations && a * a + b * b <= 4; steps++) {
        double next = a * a - b * b + x;
        b = 2 * a * b + y;
        a = next;
    }
    return steps;
}

void mandelbrot_sequential(const struct mandelbrot *picture)
{
    for (uint32_t row = 0; row < picture->height; row++)
        for (uint32_t column = 0; column < picture->width; column++)
            picture->steps[(size_t)row * picture->width + column] = steps_of(picture, row, column);
}

TW_LOOP2(pixel, row, column, { const struct mandelbrot *picture; })
{
    self.picture->steps[row * self.picture->width + column] =
        steps_of(self.picture, (uint32_t)row, (uint32_t)column);
}

TW_TASK(paint, { const struct mandelbrot *picture; })
{
    tw_forasync2(pixel, tw_range(0, self.picture->height), tw_range(0, self.picture->width),
                 .picture = self.picture);
}

int mandelbrot_loop(const struct tw_options *options, const struct mandelbrot *picture)
{
    return tw_run_with(options, paint, .picture = picture);
}

static int shade(const struct mandelbrot *picture, uint32_t steps)
{
    return steps == picture->iterations ? 0 : (int)(55 + steps * 9 % 200);
}

int mandelbrot_write(const struct mandelbrot *picture, FILE *file)
{
    size_t pixels = (size_t)picture->width * picture->height;
    errno = 0;
    fprintf(file, "P5\n%u %u\n255\n", picture->width, picture->height);
    for (size_t i = 0; i < pixels && !ferror(file); i++)
        putc(shade(picture, picture->steps[i]), file);
    if (fflush(file) == 0 && !ferror(file))
        return 0;
    return errno ? errno : EIO;
}
