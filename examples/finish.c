// SPDX-License-Identifier: Apache-2.0
// What a finish block waits for: all that was started inside, however deep, and however the block
// is left. Here a tree of tasks in which no task waits for its children, and a loop that is left by
// break.
#include <stdio.h>
#include <twill/twill.h>

enum { DEPTH = 12, WIDTH = 2 };

// Arguments may be of any size; what does not fit a slot is copied to the heap and freed again.
struct path {
    int depth;
    unsigned char turn[60];
};

TW_TASK(visit, {
    struct path path;
    unsigned *leaves;
})
{
    if (self.path.depth == DEPTH) {
        __atomic_fetch_add(self.leaves, 1, __ATOMIC_RELAXED);
        return;
    }
    struct path below = self.path;
    below.depth++;
    for (int turn = 0; turn < WIDTH; turn++) {
        below.turn[self.path.depth] = (unsigned char)turn;
        tw_async(visit, .path = below, .leaves = self.leaves);
    }
    // Returns at once: the block below waits, not this task.
}

TW_TASK(square, {
    int n;
    int *out;
})
{
    *self.out = self.n * self.n;
}

TW_TASK(all, {
    unsigned *leaves;
    int *squares;
})
{
    tw_finish {
        tw_async(visit, .path = {0}, .leaves = self.leaves);
        tw_finish {
            for (int i = 0; i < 10; i++)
                tw_async(square, .n = i, .out = &self.squares[i]);
        } // the squares are there, the tree perhaps not
        for (int i = 0; i < 10; i++)
            self.squares[i] += 1;
    }
    tw_finish {
        tw_async(square, .n = 11, .out = &self.squares[10]);
        if (self.squares[3] == 10)
            break; // still waits
        self.squares[3] = 0;
    }
}

int main(void)
{
    unsigned leaves = 0;
    int squares[11] = {0};
    if (tw_run(all, .leaves = &leaves, .squares = squares) != 0)
        return 1;
    printf("%u leaves; 3 * 3 + 1 = %d; 11 * 11 = %d\n", leaves, squares[3], squares[10]);
    return leaves != 1u << DEPTH || squares[3] != 10 || squares[10] != 121;
}
