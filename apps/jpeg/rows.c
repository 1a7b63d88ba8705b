// SPDX-License-Identifier: Apache-2.0
// One row of blocks: from pixels to coefficients, and from these to the bytes of the file.
#include "apps/jpeg/jpeg.h"

#include <stdlib.h>
#include <string.h>

#include <twill/twill.h>

#define END_OF_BLOCK 0x00
#define SIXTEEN_ZEROS 0xf0
// Bytes of one place at most: 64 codes of 16 bits and numbers of 11, doubled by what follows 0xff.
#define PLACE_MAX (JPEG_COMPONENTS * JPEG_BLOCK * 27 / 8 * 2)

bool jpeg_make(struct jpeg *job)
{
    jpeg_tables_make(&job->tables, job->quality);
    job->columns = (job->picture.width + 7) / 8;
    job->rows = (job->picture.height + 7) / 8;
    job->file = (struct jpeg_bytes){0};
    job->row = calloc(job->rows, sizeof *job->row);
    for (uint32_t i = 0; job->row && i < job->rows; i++)
        job->row[i].number = i;
    return job->row != NULL;
}

void jpeg_free(struct jpeg *job)
{
    for (uint32_t i = 0; job->row && i < job->rows; i++) {
        free(job->row[i].coefficient);
        free(job->row[i].bytes.at);
    }
    free(job->row);
    free(job->file.at);
}

// ---- to coefficients ----

// Beyond its edge a picture goes on as it is there.
static void get_block(const struct jpeg_picture *picture, uint32_t left, uint32_t top,
                      float sample[JPEG_COMPONENTS][JPEG_BLOCK])
{
    for (uint32_t i = 0; i < JPEG_BLOCK; i++) {
        uint32_t x = left + i % 8, y = top + i / 8;
        x = x < picture->width ? x : picture->width - 1;
        y = y < picture->height ? y : picture->height - 1;
        const uint8_t *rgb = picture->rgb + 3 * ((size_t)y * picture->width + x);
        float red = rgb[0], green = rgb[1], blue = rgb[2];
        sample[0][i] = 0.299F * red + 0.587F * green + 0.114F * blue - 128;
        sample[1][i] = -0.168736F * red - 0.331264F * green + 0.5F * blue;
        sample[2][i] = 0.5F * red - 0.418688F * green - 0.081312F * blue;
    }
}

// First along the rows, then along the columns.
static void transform(const float wave[8][8], float sample[JPEG_BLOCK])
{
    float half[JPEG_BLOCK] = {0}, whole[JPEG_BLOCK] = {0};
    for (unsigned u = 0; u < 8; u++)
        for (unsigned x = 0; x < 8; x++)
            for (unsigned y = 0; y < 8; y++)
                half[8 * u + y] += wave[u][x] * sample[8 * y + x];
    for (unsigned v = 0; v < 8; v++)
        for (unsigned y = 0; y < 8; y++)
            for (unsigned u = 0; u < 8; u++)
                whole[8 * v + u] += wave[v][y] * half[8 * u + y];
    memcpy(sample, whole, sizeof whole);
}

static int16_t rounded(float value)
{
    int near = (int)(value < 0 ? value - 0.5F : value + 0.5F);
    return (int16_t)(near < -1023 ? -1023 : near > 1023 ? 1023 : near);
}

int jpeg_row_transform(const struct jpeg *job, struct jpeg_row *row)
{
    int16_t *to = malloc((size_t)job->columns * JPEG_COMPONENTS * JPEG_BLOCK * sizeof *to);
    row->coefficient = to;
    if (!to)
        return TW_ENOMEM;
    for (uint32_t column = 0; column < job->columns; column++) {
        float sample[JPEG_COMPONENTS][JPEG_BLOCK];
        get_block(&job->picture, 8 * column, 8 * row->number, sample);
        for (unsigned component = 0; component < JPEG_COMPONENTS; component++) {
            const float *scale = job->tables.scale[component > 0];
            transform(job->tables.wave, sample[component]);
            for (unsigned i = 0; i < JPEG_BLOCK; i++, to++)
                *to = rounded(sample[component][jpeg_zigzag[i]] * scale[jpeg_zigzag[i]]);
        }
    }
    return 0;
}

// ---- to bytes ----

struct bit_writer {
    uint8_t *to;
    uint64_t bits; // the last `count`
    unsigned count;
};

static void put_bits(struct bit_writer *out, uint32_t bits, unsigned count)
{
    out->bits = out->bits << count | bits;
    out->count += count;
    while (out->count >= 8) {
        out->count -= 8;
        uint8_t byte = (uint8_t)(out->bits >> out->count);
        *out->to++ = byte;
        if (byte == 0xff)
            *out->to++ = 0; // so that it is no marker
    }
}

// A symbol whose last four bits tell how long the number is, and the number: one that is negative
// less one.
static void put_number(struct bit_writer *out, const struct jpeg_code *code, unsigned zeros,
                       int number)
{
    unsigned size = number ? 32 - (unsigned)__builtin_clz((unsigned)abs(number)) : 0;
    unsigned symbol = zeros << 4 | size;
    uint32_t bits = (uint32_t)(number < 0 ? number - 1 : number) & ((1U << size) - 1);
    put_bits(out, (uint32_t)code->bits[symbol] << size | bits, code->length[symbol] + size);
}

static void put_block(struct bit_writer *out, const struct jpeg_code *code, const int16_t *from,
                      int before)
{
    unsigned zeros = 0;
    put_number(out, &code[0], 0, from[0] - before);
    for (unsigned i = 1; i < JPEG_BLOCK; i++) {
        if (from[i] == 0) {
            zeros++;
            continue;
        }
        for (; zeros >= 16; zeros -= 16)
            put_bits(out, code[1].bits[SIXTEEN_ZEROS], code[1].length[SIXTEEN_ZEROS]);
        put_number(out, &code[1], zeros, from[i]);
        zeros = 0;
    }
    if (zeros > 0)
        put_bits(out, code[1].bits[END_OF_BLOCK], code[1].length[END_OF_BLOCK]);
}

bool jpeg_bytes_reserve(struct jpeg_bytes *bytes, size_t more)
{
    if (bytes->room - bytes->length >= more)
        return true;
    size_t room = 2 * bytes->room + more;
    uint8_t *at = realloc(bytes->at, room);
    if (at) {
        bytes->at = at;
        bytes->room = room;
    }
    return at != NULL;
}

int jpeg_row_code(const struct jpeg *job, struct jpeg_row *row)
{
    const int16_t *from = row->coefficient;
    struct jpeg_bytes *bytes = &row->bytes;
    struct bit_writer out = {0};
    int before[JPEG_COMPONENTS] = {0};
    for (uint32_t column = 0; column < job->columns; column++) {
        if (!jpeg_bytes_reserve(bytes, PLACE_MAX))
            return TW_ENOMEM;
        out.to = bytes->at + bytes->length;
        for (unsigned i = 0; i < JPEG_COMPONENTS; i++, from += JPEG_BLOCK) {
            put_block(&out, &job->tables.code[i ? JPEG_DC_COLOUR : JPEG_DC_BRIGHT], from,
                      before[i]);
            before[i] = from[0];
        }
        if (column + 1 == job->columns && out.count > 0)
            put_bits(&out, 0xffU >> out.count, 8 - out.count);
        bytes->length = (size_t)(out.to - bytes->at);
    }
    free(row->coefficient);
    row->coefficient = NULL;
    return 0;
}
