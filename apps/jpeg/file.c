// SPDX-License-Identifier: Apache-2.0
// The file: its segments, the rows behind them, and the program that makes one row after the other.
#include "apps/jpeg/jpeg.h"

#include <stdlib.h>
#include <string.h>

#include <twill/twill.h>

#define HEAD_MAX 1024 // it has 627 bytes

static void put(struct jpeg *job, const void *bytes, size_t count)
{
    memcpy(job->file.at + job->file.length, bytes, count);
    job->file.length += count;
}

static void put_byte(struct jpeg *job, unsigned byte)
{
    job->file.at[job->file.length++] = (uint8_t)byte;
}

static void put_two(struct jpeg *job, unsigned number)
{
    put_byte(job, number >> 8);
    put_byte(job, number & 0xff);
}

// `length` counts what follows the marker, itself included.
static void put_segment(struct jpeg *job, unsigned marker, unsigned length)
{
    put_byte(job, 0xff);
    put_byte(job, marker);
    put_two(job, length);
}

static void put_quanta(struct jpeg *job)
{
    for (unsigned table = 0; table < 2; table++) {
        put_segment(job, 0xdb, 3 + JPEG_BLOCK);
        put_byte(job, table);
        for (unsigned i = 0; i < JPEG_BLOCK; i++)
            put_byte(job, job->tables.quantum[table][jpeg_zigzag[i]]);
    }
}

static void put_frame(struct jpeg *job)
{
    put_segment(job, 0xc0, 8 + 3 * JPEG_COMPONENTS);
    put_byte(job, 8); // bits of a sample
    put_two(job, job->picture.height);
    put_two(job, job->picture.width);
    put_byte(job, JPEG_COMPONENTS);
    for (unsigned i = 0; i < JPEG_COMPONENTS; i++) {
        put_byte(job, i + 1);
        put_byte(job, 0x11); // of full size
        put_byte(job, i > 0);
    }
}

static void put_codes(struct jpeg *job)
{
    for (unsigned i = 0; i < JPEG_CODES; i++) {
        const struct jpeg_code_source *source = &jpeg_code_sources[i];
        unsigned symbols = 0;
        for (unsigned length = 0; length < 16; length++)
            symbols += source->count[length];
        put_segment(job, 0xc4, 19 + symbols);
        put_byte(job, (i % 2) << 4 | i / 2); // DC or AC, and which of them
        put(job, source->count, sizeof source->count);
        put(job, source->symbol, symbols);
    }
}

static void put_scan(struct jpeg *job)
{
    put_segment(job, 0xdd, 4);
    put_two(job, job->columns); // so many places between restarts
    put_segment(job, 0xda, 6 + 2 * JPEG_COMPONENTS);
    put_byte(job, JPEG_COMPONENTS);
    for (unsigned i = 0; i < JPEG_COMPONENTS; i++) {
        put_byte(job, i + 1);
        put_byte(job, i > 0 ? 0x11 : 0x00);
    }
    put(job, (const uint8_t[]){0, JPEG_BLOCK - 1, 0}, 3);
}

int jpeg_file_begin(struct jpeg *job)
{
    static const uint8_t jfif[] = {'J', 'F', 'I', 'F', 0, 1, 1, 0, 0, 1, 0, 1, 0, 0};
    if (!jpeg_bytes_reserve(&job->file, HEAD_MAX))
        return TW_ENOMEM;
    put_two(job, 0xffd8);
    put_segment(job, 0xe0, 2 + sizeof jfif);
    put(job, jfif, sizeof jfif);
    put_quanta(job);
    put_frame(job);
    put_codes(job);
    put_scan(job);
    return 0;
}

int jpeg_file_add(struct jpeg *job, struct jpeg_row *row)
{
    if (!jpeg_bytes_reserve(&job->file, row->bytes.length + 2))
        return TW_ENOMEM;
    put(job, row->bytes.at, row->bytes.length);
    if (row->number + 1 < job->rows)
        put_two(job, 0xffd0 + row->number % 8);
    free(row->bytes.at);
    row->bytes.at = NULL;
    return 0;
}

int jpeg_file_end(struct jpeg *job)
{
    if (!jpeg_bytes_reserve(&job->file, 2))
        return TW_ENOMEM;
    put_two(job, 0xffd9);
    return 0;
}

int jpeg_sequential(struct jpeg *job)
{
    int error = jpeg_file_begin(job);
    for (uint32_t i = 0; i < job->rows && !error; i++) {
        error = jpeg_row_transform(job, &job->row[i]);
        if (!error)
            error = jpeg_row_code(job, &job->row[i]);
        if (!error)
            error = jpeg_file_add(job, &job->row[i]);
    }
    return error ? error : jpeg_file_end(job);
}
