// SPDX-License-Identifier: Apache-2.0
// Decodes a baseline JPEG file of three components of full size, step by step as the standard tells
// it: what an encoder wrote, seen by a program that shares nothing with it.
#ifndef TEST_JPEG_DECODER_H
#define TEST_JPEG_DECODER_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct jpeg_decoder {
    const uint8_t *at, *end;
    bool failed; // what is got from here on means nothing
    unsigned bits, bits_left;
    unsigned width, height, restart_interval;
    unsigned quantum_of[3], dc_of[3], ac_of[3];
    uint16_t quantum[4][64]; // as in the file: in zigzag order
    struct {
        uint8_t count[16], symbol[256];
    } code[2][4];
    int before[3];
    uint8_t *rgb;
};

static inline unsigned jpeg_byte(struct jpeg_decoder *d)
{
    if (d->at < d->end)
        return *d->at++;
    d->failed = true;
    return 0;
}

static inline unsigned jpeg_two(struct jpeg_decoder *d)
{
    unsigned high = jpeg_byte(d);
    return high << 8 | jpeg_byte(d);
}

static inline unsigned jpeg_bit(struct jpeg_decoder *d)
{
    if (d->bits_left == 0) {
        d->bits = jpeg_byte(d);
        d->bits_left = 8;
        if (d->bits == 0xff && jpeg_byte(d) != 0)
            d->failed = true; // a marker too early
    }
    return d->bits >> --d->bits_left & 1;
}

static inline int jpeg_number(struct jpeg_decoder *d, unsigned size)
{
    int number = 0;
    for (unsigned i = 0; i < size; i++)
        number = 2 * number + (int)jpeg_bit(d);
    return size && number < 1 << (size - 1) ? number - (1 << size) + 1 : number;
}

static inline unsigned jpeg_symbol(struct jpeg_decoder *d, unsigned class, unsigned id)
{
    unsigned code = 0, first = 0, index = 0;
    for (unsigned i = 0; i < 16; i++) {
        unsigned count = d->code[class][id].count[i];
        code |= jpeg_bit(d);
        if (code < first + count)
            return d->code[class][id].symbol[index + code - first];
        index += count;
        first = (first + count) << 1;
        code <<= 1;
    }
    d->failed = true;
    return 0;
}

static inline void jpeg_get_codes(struct jpeg_decoder *d, const uint8_t *segment_end)
{
    while (d->at < segment_end && !d->failed) {
        unsigned which = jpeg_byte(d), class = which >> 4, id = which & 3, symbols = 0;
        for (unsigned i = 0; i < 16; i++)
            symbols += d->code[class & 1][id].count[i] = (uint8_t)jpeg_byte(d);
        for (unsigned i = 0; i < symbols && i < 256; i++)
            d->code[class & 1][id].symbol[i] = (uint8_t)jpeg_byte(d);
        d->failed |= class > 1 || symbols > 256;
    }
}

static inline void jpeg_get_frame(struct jpeg_decoder *d)
{
    d->failed |= jpeg_byte(d) != 8;
    d->height = jpeg_two(d);
    d->width = jpeg_two(d);
    d->failed |= jpeg_byte(d) != 3 || d->width == 0 || d->height == 0;
    for (unsigned i = 0; i < 3; i++) {
        d->failed |= jpeg_byte(d) != i + 1 || jpeg_byte(d) != 0x11;
        d->quantum_of[i] = jpeg_byte(d) & 3;
    }
}

// Segments up to the one that the scan follows.
static inline void jpeg_get_head(struct jpeg_decoder *d)
{
    d->failed |= jpeg_two(d) != 0xffd8;
    for (unsigned marker = 0; marker != 0xffda && !d->failed;) {
        marker = jpeg_two(d);
        const uint8_t *segment = d->at;
        unsigned length = jpeg_two(d);
        if (length > (size_t)(d->end - segment)) {
            d->failed = true;
            return;
        }
        if (marker == 0xffdb) {
            uint16_t *quantum = d->quantum[jpeg_byte(d) & 3];
            for (unsigned i = 0; i < 64; i++)
                quantum[i] = (uint16_t)jpeg_byte(d);
        } else if (marker == 0xffc0) {
            jpeg_get_frame(d);
        } else if (marker == 0xffc4) {
            jpeg_get_codes(d, segment + length);
        } else if (marker == 0xffdd) {
            d->restart_interval = jpeg_two(d);
        } else if (marker == 0xffda) {
            d->failed |= jpeg_byte(d) != 3;
            for (unsigned i = 0; i < 3; i++) {
                d->failed |= jpeg_byte(d) != i + 1;
                unsigned codes = jpeg_byte(d);
                d->dc_of[i] = codes >> 4 & 3;
                d->ac_of[i] = codes & 3;
            }
            d->at += 3;
        } else {
            d->failed |= marker != 0xffe0;
            d->at = segment + length;
        }
        d->failed |= d->at != segment + length;
    }
}

// The coefficients, times their quanta, row by row.
static inline void jpeg_get_block(struct jpeg_decoder *d, unsigned component, double block[64])
{
    int coefficient[64] = {0};
    const uint16_t *quantum = d->quantum[d->quantum_of[component]];
    d->before[component] += jpeg_number(d, jpeg_symbol(d, 0, d->dc_of[component]) & 15);
    coefficient[0] = d->before[component];
    for (unsigned i = 1; i < 64 && !d->failed; i++) {
        unsigned symbol = jpeg_symbol(d, 1, d->ac_of[component]);
        if (symbol == 0)
            break;
        i += symbol >> 4;
        d->failed |= i > 63;
        coefficient[i & 63] = jpeg_number(d, symbol & 15);
    }
    for (unsigned diagonal = 0, i = 0; diagonal < 15; diagonal++) {
        for (unsigned step = 0; step <= diagonal; step++) {
            unsigned row = diagonal % 2 ? step : diagonal - step, column = diagonal - row;
            if (row < 8 && column < 8) {
                block[8 * row + column] = coefficient[i] * (double)quantum[i];
                i++;
            }
        }
    }
}

// By the sum that defines it.
static inline void jpeg_transform_back(const double block[64], double sample[64])
{
    for (unsigned i = 0; i < 64; i++) {
        double sum = 0;
        for (unsigned j = 0; j < 64; j++)
            sum += (j % 8 ? 1 : M_SQRT1_2) * (j / 8 ? 1 : M_SQRT1_2) * block[j] *
                   cos((2 * (i % 8) + 1) * (j % 8) * M_PI / 16) *
                   cos((2 * (i / 8) + 1) * (j / 8) * M_PI / 16);
        sample[i] = sum / 4;
    }
}

static inline uint8_t jpeg_clamped(double value)
{
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : lrint(value));
}

static inline void jpeg_get_place(struct jpeg_decoder *d, unsigned left, unsigned top)
{
    double block[64], sample[3][64];
    for (unsigned i = 0; i < 3; i++) {
        jpeg_get_block(d, i, block);
        jpeg_transform_back(block, sample[i]);
    }
    for (unsigned i = 0; i < 64; i++) {
        unsigned x = left + i % 8, y = top + i / 8;
        if (x >= d->width || y >= d->height)
            continue;
        uint8_t *rgb = d->rgb + 3 * ((size_t)y * d->width + x);
        double bright = sample[0][i] + 128, blue = sample[1][i], red = sample[2][i];
        rgb[0] = jpeg_clamped(bright + 1.402 * red);
        rgb[1] = jpeg_clamped(bright - 0.344136 * blue - 0.714136 * red);
        rgb[2] = jpeg_clamped(bright + 1.772 * blue);
    }
}

static inline void jpeg_get_scan(struct jpeg_decoder *d)
{
    unsigned columns = (d->width + 7) / 8, rows = (d->height + 7) / 8, restarts = 0;
    for (unsigned i = 0; i < columns * rows && !d->failed; i++) {
        if (d->restart_interval && i > 0 && i % d->restart_interval == 0) {
            d->failed |= jpeg_two(d) != 0xffd0 + restarts++ % 8;
            d->bits_left = 0;
            memset(d->before, 0, sizeof d->before);
        }
        jpeg_get_place(d, i % columns * 8, i / columns * 8);
    }
    d->failed |= jpeg_two(d) != 0xffd9 || d->at != d->end;
}

// The pixels, to be freed; NULL: it is no such file.
static inline uint8_t *jpeg_decode(const uint8_t *file, size_t length, unsigned *width,
                                   unsigned *height)
{
    struct jpeg_decoder d = {.at = file, .end = file + length};
    jpeg_get_head(&d);
    if (!d.failed)
        d.rgb = calloc((size_t)d.width * d.height, 3);
    if (d.rgb)
        jpeg_get_scan(&d);
    if (d.failed) {
        free(d.rgb);
        return NULL;
    }
    *width = d.width;
    *height = d.height;
    return d.rgb;
}

#endif
