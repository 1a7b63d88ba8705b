// SPDX-License-Identifier: Apache-2.0
// Loops and reductions over two and three dimensions, and reducers for more than sums: a box of
// numbers is filled, and looked at in several ways.
#include <stdio.h>
#include <twill/twill.h>

enum { X = 20, Y = 30, Z = 40 };

TW_LOOP3(fill, i, j, k, { int(*box)[Y][Z]; })
{
    self.box[i][j][k] = (int)(i + j * k);
}

TW_REDUCE3(int, largest, i, j, k, 0, a > b ? a : b, { int(*box)[Y][Z]; })
{
    return self.box[i][j][k];
}

// The sum over one face of the box.
TW_REDUCE2(long, face, i, j, 0, a + b, { int(*box)[Y][Z]; })
{
    return self.box[i][j][Z - 1];
}

TW_MIN(int, least, 1 << 30)
TW_AND(unsigned, common)
TW_OR(unsigned, any)

TW_LOOP2(look, i, j, {
    int(*box)[Y][Z];
    tw_reducer(least) * least;
    tw_reducer(common) * common;
    tw_reducer(any) * any;
})
{
    int here = self.box[i][j][1] + 8;
    int *least = tw_view(least, self.least);
    *least = here < *least ? here : *least;
    *tw_view(common, self.common) &= (unsigned)here | 8;
    *tw_view(any, self.any) |= (unsigned)here;
}

TW_TASK(all, { int *good; })
{
    static int box[X][Y][Z];
    tw_reducer(least) least;
    tw_reducer(common) common;
    tw_reducer(any) any;
    tw_finish {
        tw_forasync3(fill, tw_range(0, X), tw_range(0, Y), tw_range(0, Z), .box = box);
    }
    int top = tw_reduce3(largest, tw_range(0, X), tw_range(0, Y), tw_range(0, Z), .box = box);
    long sum = tw_reduce2(face, tw_range(0, X), tw_range(0, Y), .box = box);
    tw_reducer_open(least, &least);
    tw_reducer_open(common, &common);
    tw_reducer_open(any, &any);
    tw_finish {
        tw_forasync2(look, tw_range(0, X), tw_range(0, Y), .box = box, .least = &least,
                     .common = &common, .any = &any);
    }
    int smallest = tw_reducer_close(least, &least);
    unsigned both = tw_reducer_close(common, &common), either = tw_reducer_close(any, &any);
    printf("largest %d, sum of a face %ld, least %d, bits in all %#x, in any %#x\n", top, sum,
           smallest, both, either);
    *self.good =
        top == 19 + 29 * 39 && sum == 345000 && smallest == 8 && both == 8 && either == 0x3f;
}

int main(void)
{
    int good = 0;
    return tw_run(all, .good = &good) || !good;
}
