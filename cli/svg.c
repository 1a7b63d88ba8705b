// SPDX-License-Identifier: Apache-2.0
#include "cli/svg.h"

#include <math.h>

// Of a panel: where its axes are, and what it takes with its texts.
enum { LEFT = 70, WIDTH = 640, TOP = 40, HEIGHT = 160, PANEL = 250, MARGIN = 24 };

static const char *const colours[] = {"#1b6ca8", "#b5482a", "#4a8f3c", "#7a5195"};
enum { COLOURS = sizeof colours / sizeof colours[0] };

bool svg_open(struct svg *svg, const char *path, const char *title, int panels)
{
    *svg = (struct svg){.file = fopen(path, "we")};
    if (!svg->file)
        return false;
    fprintf(svg->file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"13\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n"
            "<text x=\"%d\" y=\"20\" font-size=\"15\">%s</text>\n",
            LEFT + WIDTH + MARGIN, MARGIN + panels * PANEL, LEFT, title);
    return true;
}

static double top_of(const struct svg *svg)
{
    return MARGIN + TOP + (svg->panel - 1) * PANEL;
}

static double place_x(const struct svg *svg, double x)
{
    return LEFT + WIDTH * x / svg->x_most;
}

static double place_y(const struct svg *svg, double y)
{
    return top_of(svg) + HEIGHT * (1 - y / svg->y_most);
}

// 1, 2 or 5 times a power of ten, so that there are four to ten steps.
static double step_of(double most)
{
    double power = pow(10, floor(log10(most / 4))), times = most / 4 / power;
    return power * (times >= 5 ? 5 : times >= 2 ? 2 : 1);
}

static void put_axes(struct svg *svg)
{
    double step = step_of(svg->y_most);
    for (double y = 0; y <= svg->y_most * 1.0001; y += step)
        fprintf(svg->file,
                "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#dddddd\"/>"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
                LEFT, place_y(svg, y), LEFT + WIDTH, place_y(svg, y), LEFT - 8, place_y(svg, y) + 4,
                y);
    step = step_of(svg->x_most);
    for (double x = 0; x <= svg->x_most * 1.0001; x += step)
        fprintf(svg->file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%g</text>\n",
                place_x(svg, x), place_y(svg, 0) + 18, x);
}

void svg_panel(struct svg *svg, const char *title, const char *x_text, double x_most,
               const char *y_text, double y_most)
{
    svg->panel++;
    svg->curves = 0;
    svg->x_most = x_most > 0 ? x_most : 1;
    svg->y_most = y_most > 0 ? y_most : 1;
    put_axes(svg);
    double middle = place_y(svg, svg->y_most / 2);
    fprintf(svg->file,
            "<text x=\"%d\" y=\"%.1f\">%s</text>\n"
            "<text x=\"%d\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n"
            "<text x=\"20\" y=\"%.1f\" transform=\"rotate(-90 20 %.1f)\" "
            "text-anchor=\"middle\">%s</text>\n",
            LEFT, top_of(svg) - 10, title, LEFT + WIDTH / 2, place_y(svg, 0) + 34, x_text, middle,
            middle, y_text);
}

void svg_curve(struct svg *svg, const char *name, const struct svg_point *points, size_t count)
{
    const char *colour = colours[svg->curves % COLOURS];
    fprintf(svg->file, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"",
            colour);
    for (size_t i = 0; i < count; i++)
        fprintf(svg->file, "%s%.1f,%.1f", i ? " " : "", place_x(svg, points[i].x),
                place_y(svg, points[i].y));
    fprintf(svg->file,
            "\"/>\n<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" fill=\"%s\">%s</text>\n",
            LEFT + WIDTH - 130 * svg->curves, top_of(svg) - 10, colour, name);
    svg->curves++;
}

bool svg_close(struct svg *svg)
{
    fprintf(svg->file, "</svg>\n");
    bool written = !ferror(svg->file);
    return fclose(svg->file) == 0 && written;
}
