// SPDX-License-Identifier: Apache-2.0
// A picture as a baseline JPEG file (JFIF, three components of full size, the standard's Huffman
// codes). A restart marker ends each row of blocks, so that no row depends on another: rows are
// transformed and coded by as many processes as one likes, and put together in order.
#ifndef APPS_JPEG_H
#define APPS_JPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <twill/runtime.h>

#define JPEG_SIDE_MAX 65535
#define JPEG_LANES_MAX 64
#define JPEG_BLOCK 64     // samples of a block, or coefficients
#define JPEG_COMPONENTS 3 // brightness, blue, red

// ---- picture.c ----

struct jpeg_picture {
    uint32_t width, height;
    uint8_t *rgb; // row by row
};

// Rings, slopes and noise. False: no memory.
bool jpeg_picture_make(struct jpeg_picture *picture, uint32_t width, uint32_t height);
// A binary PPM with 255 as its brightest. NULL, or what is wrong with it.
const char *jpeg_picture_read(struct jpeg_picture *picture, FILE *file);

// ---- tables.c ----

struct jpeg_code {
    uint16_t bits[256];
    uint8_t length[256]; // 0: no such symbol
};

// As the file tells a code: how many symbols have 1, 2 ... 16 bits, and the symbols.
struct jpeg_code_source {
    uint8_t count[16];
    const uint8_t *symbol;
};

enum { JPEG_DC_BRIGHT, JPEG_AC_BRIGHT, JPEG_DC_COLOUR, JPEG_AC_COLOUR, JPEG_CODES };
extern const struct jpeg_code_source jpeg_code_sources[JPEG_CODES];
extern const uint8_t jpeg_zigzag[JPEG_BLOCK]; // where the coefficients of a block are, in order

struct jpeg_tables {
    struct jpeg_code code[JPEG_CODES];
    uint8_t quantum[2][JPEG_BLOCK]; // of brightness and colour, row by row
    float scale[2][JPEG_BLOCK];     // its reciprocal
    float wave[8][8];               // cosines: [frequency][sample]
};

void jpeg_tables_make(struct jpeg_tables *tables, unsigned quality);

// ---- rows.c ----

struct jpeg_bytes {
    uint8_t *at; // or NULL
    size_t length, room;
};

// Makes room for `more` behind what is there. False: no memory.
bool jpeg_bytes_reserve(struct jpeg_bytes *bytes, size_t more);

// A row of blocks. It belongs to the process that has got a pointer to it.
struct jpeg_row {
    uint32_t number;
    int16_t *coefficient; // of each component of each block, in zigzag order; or NULL
    struct jpeg_bytes bytes;
};

struct jpeg {
    // in
    struct jpeg_picture picture;
    unsigned quality; // 1 to 100
    uint32_t lanes;   // processes of each kind
    enum tw_wake wake;
    // made by jpeg_make
    struct jpeg_tables tables;
    uint32_t columns, rows; // of blocks
    struct jpeg_row *row;
    // out
    struct jpeg_bytes file;
};

bool jpeg_make(struct jpeg *job); // false: no memory. The picture is lent
void jpeg_free(struct jpeg *job);

// Colours, cosine transform and quantisation: `coefficient`. Then the code: `bytes`, for which
// `coefficient` is freed. 0 or TW_ENOMEM.
int jpeg_row_transform(const struct jpeg *job, struct jpeg_row *row);
int jpeg_row_code(const struct jpeg *job, struct jpeg_row *row);

// ---- file.c ----

// All before the first row; the next row, in order, whose bytes are freed; the end. 0 or TW_ENOMEM.
int jpeg_file_begin(struct jpeg *job);
int jpeg_file_add(struct jpeg *job, struct jpeg_row *row);
int jpeg_file_end(struct jpeg *job);

// Row by row. 0 or TW_ENOMEM.
int jpeg_sequential(struct jpeg *job);

// ---- jpeg.c ----

// 0 or a TW_E... code.
int jpeg_network(const struct tw_options *options, struct jpeg *job);

#endif
