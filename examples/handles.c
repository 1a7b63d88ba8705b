// SPDX-License-Identifier: Apache-2.0
// Handles are values: keep them in an array and join them in any order. Here the words of a text
// are counted by letter, a function for each letter.
#include <stdio.h>
#include <string.h>
#include <twill/twill.h>

enum { LETTERS = 26 };

static const char text[] = "a weaver twills the warp and the weft so that each thread floats over "
                           "two or more and under one and the next row is offset by one";

TW_FUNCTION(int, count_words, {
    const char *text;
    char first;
})
{
    int count = 0;
    for (const char *at = self.text; *at; at += strspn(at, " ")) {
        count += *at == self.first;
        at += strcspn(at, " ");
    }
    return count;
}

TW_TASK(count_all, { int *counts; })
{
    tw_forked(count_words) letter[LETTERS];
    for (int i = 0; i < LETTERS; i++)
        letter[i] = tw_fork(count_words, .text = text, .first = (char)('a' + i));
    // Newest first is the cheapest order: see forkjoin.c. Oldest first is as right.
    for (int i = 0; i < LETTERS; i++)
        self.counts[i] = tw_join(count_words, letter[i]);
}

int main(void)
{
    int counts[LETTERS] = {0}, words = 0;
    if (tw_run(count_all, .counts = counts) != 0)
        return 1;
    for (int i = 0; i < LETTERS; i++) {
        words += counts[i];
        if (counts[i])
            printf("%c %d  ", 'a' + i, counts[i]);
    }
    printf("\n%d words\n", words);
    return words != 28 || counts['t' - 'a'] != 7;
}
