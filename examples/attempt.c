// SPDX-License-Identifier: Apache-2.0
// An attempt: parts of a file are checked at once, the first bad one fails them all, and a search
// gives up when its time is over.
#include <stdio.h>
#include <string.h>
#include <twill/twill.h>

enum { BAD_LINE = 7 }; // any number but 0 may be an error

static const char *const lines[] = {"12", "7", "1x3", "40", "nine"};

TW_TASK(check_line, { const char *line; })
{
    if (strspn(self.line, "0123456789") != strlen(self.line))
        tw_fail(BAD_LINE);
}

TW_TASK(check_lines, { int *checked; })
{
    struct tw_outcome outcome;
    tw_attempt(&outcome)
    {
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
            tw_async(check_line, .line = lines[i]);
    }
    if (outcome.error)
        printf("error %d, said by %s, which was started in line %u\n", outcome.error, outcome.task,
               outcome.spawn_line);
    *self.checked = outcome.error == BAD_LINE;
}

// Looks for a number that is not there, and asks now and then whether it still should.
TW_LOOP(look_for, i, { int64_t wanted; })
{
    if (i * i == self.wanted)
        tw_cancel();
}

TW_TASK(search, { int *timed_out; })
{
    struct tw_outcome outcome;
    tw_attempt(&outcome, .timeout_ns = 20000000)
    {
        tw_forasync(look_for, tw_range(0, (int64_t)1 << 60), .wanted = -1);
    }
    printf("the search %s\n", outcome.error == TW_ETIMEDOUT ? "took too long" : "ended");
    *self.timed_out = outcome.error == TW_ETIMEDOUT;
}

static const struct tw_local language = {"language"};

TW_TASK(greet, {})
{
    const char *word = tw_local_get(&language);
    printf("%s\n", word ? word : "(no greeting)");
}

// What a block gives is seen by everything inside it, on whichever worker.
TW_TASK(greet_twice, {})
{
    tw_with(&language, (void *)"Servus")
    {
        tw_async(greet);
    }
    tw_finish {
        tw_async(greet);
    }
}

int main(void)
{
    int checked = 0, timed_out = 0;
    int error = tw_run(check_lines, .checked = &checked);
    error += tw_run(search, .timed_out = &timed_out);
    error += tw_run(greet_twice);
    return error || !checked || !timed_out;
}
