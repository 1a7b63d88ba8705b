// SPDX-License-Identifier: Apache-2.0
// A plain function may spawn. What it starts belongs to the finish block of whoever called it, so
// it may return before its tasks are done.
#include <stdio.h>
#include <string.h>
#include <twill/twill.h>

#define WIDTH 64
#define HEIGHT 24

TW_TASK(draw_line, {
    char *line;
    int y;
})
{
    for (int x = 0; x < WIDTH; x++) {
        double re = x * 3.0 / WIDTH - 2.1, im = self.y * 2.4 / HEIGHT - 1.2;
        double a = 0, b = 0;
        int steps = 0;
        while (steps < 1000 && a * a + b * b < 4) {
            double next = a * a - b * b + re;
            b = 2 * a * b + im;
            a = next;
            steps++;
        }
        self.line[x] = steps == 1000 ? '#' : steps > 8 ? '+' : '.';
    }
}

// Knows nothing of the block it is called in.
static void draw_lines(char (*lines)[WIDTH + 1], int from, int to)
{
    for (int y = from; y < to; y++)
        tw_async(draw_line, .line = lines[y], .y = y);
}

TW_TASK(draw, { char(*lines)[WIDTH + 1]; })
{
    tw_finish {
        draw_lines(self.lines, 0, HEIGHT / 2);
        draw_lines(self.lines, HEIGHT / 2, HEIGHT);
    }
    for (int y = 0; y < HEIGHT; y++)
        puts(self.lines[y]);
}

int main(void)
{
    static char lines[HEIGHT][WIDTH + 1];
    int error = tw_run(draw, .lines = lines);
    size_t drawn = 0;
    for (int y = 0; y < HEIGHT; y++)
        drawn += strlen(lines[y]);
    return error != 0 || drawn != WIDTH * HEIGHT;
}
