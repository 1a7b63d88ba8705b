// SPDX-License-Identifier: Apache-2.0
// A picture of the Mandelbrot set: pixels of very different cost, which no schedule knows before.
#ifndef APPS_MANDELBROT_H
#define APPS_MANDELBROT_H

#include <stdint.h>
#include <stdio.h>

#define MANDELBROT_SIDE_MAX 32768
#define MANDELBROT_ITERATIONS_MAX 1000000

struct tw_options;

struct mandelbrot {
    uint32_t width, height;
    uint32_t iterations; // a point that is still near after these belongs to the set
    uint32_t *steps;     // of each pixel, row by row: iterations before it was far away
};

// The pixels one after the other.
void mandelbrot_sequential(const struct mandelbrot *picture);

// A loop over all pixels. 0 or a TW_E... code.
int mandelbrot_loop(const struct tw_options *options, const struct mandelbrot *picture);

// Writes a grey picture, the set in black (binary PGM). 0, or the errno of what failed.
int mandelbrot_write(const struct mandelbrot *picture, FILE *file);

#endif
