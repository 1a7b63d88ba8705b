// SPDX-License-Identifier: Apache-2.0
// Plots as SVG: panels below each other, each with curves over one axis.
//
//     struct svg svg;
//     if (svg_open(&svg, path, "Utilisation over time", 2)) {
//         svg_panel(&svg, "2,400 cores", "seconds", 260, "percent", 100);
//         svg_curve(&svg, "retentive", points, count);
//         ...
//     }
//     return svg_close(&svg);
#ifndef CLI_SVG_H
#define CLI_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct svg {
    FILE *file;
    double x_most, y_most; // of the panel
    int panel, curves;     // that were begun; of the panel
};

struct svg_point {
    double x, y;
};

// False: the file cannot be written, and errno says why.
bool svg_open(struct svg *svg, const char *path, const char *title, int panels);
// Both axes begin at 0.
void svg_panel(struct svg *svg, const char *title, const char *x_text, double x_most,
               const char *y_text, double y_most);
// At most four a panel, each in a colour of its own.
void svg_curve(struct svg *svg, const char *name, const struct svg_point *points, size_t count);
// False: it was not written in full.
bool svg_close(struct svg *svg);

#endif
