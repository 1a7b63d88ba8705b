// SPDX-License-Identifier: Apache-2.0
// Programs that fail at one of their places, or ask for much: failures_test.sh starts them and sees
// how they end. The last place is the one that fails; the others compute or wait meanwhile, for
// longer than a test takes. Compiled a second time with TWILL_DEBUG, and then with one more task.
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <twill/twill.h>

#define LONG_NS UINT64_C(100000000000)
#define MILLION ((size_t)1 << 20)

static _Atomic uint64_t came;

// ---- a place that dies ----

enum end { BY_KILL, BY_ABORT, BY_EXIT, BY_EXIT_0, ENDS };

static const char *const ends[ENDS] = {"kill", "abort", "exit", "exit_0"};

TW_TASK(linger, { int is_busy; })
{
    uint64_t until = tw_now_ns() + LONG_NS;
    while (self.is_busy && tw_now_ns() < until)
        continue;
    (void)tw_sleep(LONG_NS);
}

TW_TASK(end_here, { int how; })
{
    switch ((enum end)self.how) {
    case BY_KILL:
        raise(SIGKILL);
        break;
    case BY_ABORT:
        abort();
    case BY_EXIT:
        exit(3);
    case BY_EXIT_0:
        exit(0);
    case ENDS:
        break;
    }
}

TW_TASK(one_ends, { int how; })
{
    unsigned last = tw_places() - 1;
    tw_finish {
        for (unsigned i = 1; i < last; i++)
            tw_async_at(i, linger, .is_busy = i % 2 == 0);
        tw_async_at(last, end_here, .how = self.how);
    }
}

// ---- large arguments ----

struct small_block {
    unsigned char bytes[MILLION];
};

struct large_block {
    unsigned char bytes[64 * MILLION];
};

static void fill(unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i * 7 + i / 4096);
}

static int is_filled(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != (unsigned char)(i * 7 + i / 4096))
            return 0;
    return 1;
}

static struct small_block small_block;
static struct large_block large_block;

TW_TASK(take_small, { struct small_block block; })
{
    came += (uint64_t)is_filled(self.block.bytes, sizeof self.block.bytes);
}

TW_TASK(take_large, { struct large_block block; })
{
    came += (uint64_t)is_filled(self.block.bytes, sizeof self.block.bytes);
}

TW_TASK(send_large, { int unused; })
{
    tw_finish {
        for (int i = 0; i < 16; i++)
            tw_async_any(take_small, .block = small_block);
        for (int i = 0; i < 16; i++)
            tw_async_at((unsigned)i % tw_places(), take_small, .block = small_block);
        tw_async_at(tw_places() - 1, take_large, .block = large_block);
        tw_async_any(take_large, .block = large_block);
    }
}

static int run_large(void)
{
    struct tw_options options;
    if (tw_options_init(&options, NULL, 0) != 0)
        return 1;
    options.stack_size = (size_t)1 << 30; // arguments stand on a stack before they leave
    fill(small_block.bytes, sizeof small_block.bytes);
    fill(large_block.bytes, sizeof large_block.bytes);
    int error = tw_run_with(&options, send_large, .unused = 0);
    uint64_t sum = came;
    if (error || tw_places_sum(&sum, 1) != 0 || sum != 34) {
        fprintf(stderr, "place %u: %d, %llu blocks are right\n", tw_here(), error,
                (unsigned long long)sum);
        return 1;
    }
    if (tw_here() == 0)
        printf("all is well\n");
    return 0;
}

// A task of 3 GiB cannot be written down, so its type says so. It is refused by its size.
TW_TASK(send_huge, { int unused; })
{
    struct tw_task_type huge = tw_type_take_small;
    huge.name = "take_huge";
    huge.args_size = (size_t)3 << 30;
    tw_finish {
        tw_task_push_at(tw_places() - 1, &huge, &small_block);
    }
}

// ---- an address among the arguments ----

TW_TASK(follow, {
    uint64_t number;
    const int *pointer;
})
{
    came += self.number + (self.pointer != NULL);
}

TW_TASK(send_pointer, { int is_local; })
{
    static const int here_too = 7;
    int local = 7;
    tw_finish {
        tw_async_at(tw_places() - 1, follow, .number = UINT64_C(0x123456789abc),
                    .pointer = self.is_local ? &local : &here_too);
    }
}

#ifdef TWILL_DEBUG
TW_TASK(one_more, { int unused; })
{
    tw_async_any(one_more, .unused = self.unused);
}
#endif

// ---- places that want different things ----

TW_TASK(something, { int unused; })
{
    came += (uint64_t)self.unused;
}

TW_TASK(something_else, { int unused; })
{
    came += (uint64_t)self.unused;
}

static int run_unlike(int is_spmd)
{
    if (tw_here() + 1 < tw_places())
        return tw_run(something, .unused = 0);
    return is_spmd ? tw_run_spmd(something, .unused = 0) : tw_run(something_else, .unused = 0);
}

// The last place has more values than the others.
static int broadcast_unlike(void)
{
    static unsigned char bytes[4096];
    return tw_places_broadcast(0, bytes, tw_here() + 1 < tw_places() ? 64 : 4096);
}

// More than a message can carry; nobody looks at the bytes.
static int broadcast_huge(void)
{
    int error = tw_places_broadcast(0, &(unsigned char){0}, (size_t)5 << 30);
    if (error == TW_ERANGE && tw_here() == 0)
        printf("all is well\n");
    return error == TW_ERANGE ? 0 : TW_EINVAL;
}

// ---- which ----

static int run_end(const char *how)
{
    for (int i = 0; i < ENDS; i++)
        if (strcmp(how, ends[i]) == 0)
            return tw_run(one_ends, .how = i);
    return TW_ENOENT;
}

static int run_what(const char *what)
{
    if (strcmp(what, "large") == 0)
        return run_large();
    if (strcmp(what, "huge") == 0)
        return tw_run(send_huge, .unused = 0);
    if (strcmp(what, "pointer") == 0)
        return tw_run(send_pointer, .is_local = 1);
    if (strcmp(what, "static") == 0)
        return tw_run(send_pointer, .is_local = 0);
    if (strcmp(what, "linger") == 0)
        return tw_run(linger, .is_busy = 1);
    if (strcmp(what, "another_task") == 0)
        return run_unlike(0);
    if (strcmp(what, "spmd") == 0)
        return run_unlike(1);
    if (strcmp(what, "broadcast") == 0)
        return broadcast_unlike();
    if (strcmp(what, "huge_broadcast") == 0)
        return broadcast_huge();
#ifdef TWILL_DEBUG
    if (strcmp(what, "more") == 0)
        return tw_run(one_more, .unused = 0);
#endif
    return run_end(what);
}

int main(int argc, char **argv)
{
    char message[1024];
    int error = tw_places_open(NULL, message, sizeof message);
    // "returns": the last place does not run at all.
    if (!error && argc > 1 && strcmp(argv[1], "returns") == 0)
        error = tw_here() + 1 == tw_places() ? 0 : tw_run(linger, .is_busy = 0);
    else if (!error)
        error = run_what(argc > 1 ? argv[1] : "large");
    if (error && tw_here() == 0) { // all can say it
        (void)tw_places_open(NULL, message, sizeof message);
        fprintf(stderr, "failures: %s\n", *message ? message : tw_strerror(error));
    }
    return error != 0;
}
