// SPDX-License-Identifier: Apache-2.0
// Where pictures come from.
#include "apps/jpeg/jpeg.h"

#include <ctype.h>
#include <stdlib.h>

static bool allocate(struct jpeg_picture *picture, uint32_t width, uint32_t height)
{
    *picture = (struct jpeg_picture){.width = width, .height = height};
    picture->rgb = malloc((size_t)width * height * 3);
    return picture->rgb != NULL;
}

bool jpeg_picture_make(struct jpeg_picture *picture, uint32_t width, uint32_t height)
{
    if (!allocate(picture, width, height))
        return false;
    uint8_t *rgb = picture->rgb;
    uint32_t noise = 1;
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++, rgb += 3) {
            uint64_t distance = (uint64_t)x * x + (uint64_t)y * y;
            noise = noise * 1664525 + 1013904223;
            rgb[0] = (uint8_t)(255 * (uint64_t)x / width);
            rgb[1] = (uint8_t)(distance / 200 % 256 > 127 ? 200 : 255 * (uint64_t)y / height);
            rgb[2] = (uint8_t)(64 + (noise >> 27) + (x / 16 + y / 16) % 2 * 96);
        }
    }
    return true;
}

// White space and comments, then a number, and the one byte behind it; -1: there is none.
static long next_number(FILE *file)
{
    int c = getc(file);
    while (isspace(c) || c == '#') {
        bool comment = c == '#';
        while (comment && c != '\n' && c != EOF)
            c = getc(file);
        c = getc(file);
    }
    long number = isdigit(c) ? 0 : -1;
    for (; isdigit(c); c = getc(file))
        if (number <= JPEG_SIDE_MAX)
            number = 10 * number + (c - '0');
    return number;
}

const char *jpeg_picture_read(struct jpeg_picture *picture, FILE *file)
{
    if (getc(file) != 'P' || getc(file) != '6')
        return "it does not begin with P6";
    long width = next_number(file), height = next_number(file), brightest = next_number(file);
    if (width < 1 || width > JPEG_SIDE_MAX || height < 1 || height > JPEG_SIDE_MAX)
        return "its width and height are not numbers from 1 to 65535";
    if (brightest != 255)
        return "its brightest value is not 255";
    if (!allocate(picture, (uint32_t)width, (uint32_t)height))
        return "there is no memory for it";
    size_t pixels = (size_t)width * (size_t)height;
    if (fread(picture->rgb, 3, pixels, file) == pixels)
        return NULL;
    free(picture->rgb);
    picture->rgb = NULL;
    return "it has fewer pixels than it says";
}
