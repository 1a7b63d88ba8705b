// SPDX-License-Identifier: Apache-2.0
// ctest: timeout=240
// Where the system says no: little memory, no threads, no files. Every case runs in a child process
// under an alarm: it ends with an error code, with a message, or well; never by a hang or a fault.
#include "support.h"

#include "fib.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sanitize.h"

enum { PATIENCE_S = 120, NOBODY = 65534 };

// How a child can end by itself.
enum verdict {
    GOOD,     // it ran, and the result is right
    WRONG,    // anything that must not be
    REFUSED,  // tw_run said so and ran nothing
    NOT_HERE, // the limit cannot be set or has no effect
};

#define MIB ((size_t)1 << 20)

// ---- children ----

struct outcome {
    int status;
    char text[2048];
};

static void outcome_of(enum verdict (*what)(size_t), size_t argument, struct outcome *outcome)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        signal(SIGABRT, SIG_DFL);
        signal(SIGSEGV, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        alarm(PATIENCE_S);
        _exit((int)what(argument));
    }
    close(ends[1]);
    size_t got = 0;
    for (ssize_t n; (n = read(ends[0], outcome->text + got, sizeof outcome->text - 1 - got)) > 0;)
        got += (size_t)n;
    outcome->text[got] = '\0';
    close(ends[0]);
    waitpid(child, &outcome->status, 0);
}

static int ended_with(const struct outcome *o, enum verdict verdict)
{
    return WIFEXITED(o->status) && WEXITSTATUS(o->status) == (int)verdict;
}

// The runtime cannot go on and says why.
static int gave_up(const struct outcome *o)
{
    return WIFSIGNALED(o->status) && WTERMSIG(o->status) == SIGABRT &&
           strstr(o->text, "twill: no memory is left") != NULL;
}

static void complain(const struct outcome *o)
{
    print_message("status %#x, text '%s'\n", (unsigned)o->status, o->text);
    fail();
}

#define EXPECT_GOOD(what, argument)                                                                \
    do {                                                                                           \
        struct outcome outcome;                                                                    \
        outcome_of(what, argument, &outcome);                                                      \
        if (ended_with(&outcome, NOT_HERE))                                                        \
            skip();                                                                                \
        if (!ended_with(&outcome, GOOD))                                                           \
            complain(&outcome);                                                                    \
    } while (0)

// ---- tasks ----

TW_TASK(raise_flag, { int *flag; })
{
    *self.flag = 1;
}

TW_TASK(nest, {
    long n;
    long *count;
})
{
    if (self.n == 0)
        return;
    tw_finish {
        tw_async(nest, .n = self.n - 1, .count = self.count);
    }
    ++*self.count;
}

// ---- memory ----

static size_t address_space(void)
{
    unsigned long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "r");
    if (!statm || fscanf(statm, "%lu", &pages) != 1)
        pages = 0;
    if (statm)
        fclose(statm);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

// From now on the process can grow by so much only. 0: that has no effect here.
static int room_set(size_t room)
{
#if defined(TWI_ASAN) || defined(TWI_TSAN)
    return 0;
#endif
    struct rlimit limit;
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = address_space() + room;
    if (setrlimit(RLIMIT_AS, &limit) != 0)
        return 0;
    void *probe = mmap(NULL, room + MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return probe == MAP_FAILED;
}

static void room_free(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_AS, &limit);
}

static enum verdict no_room_then_room(size_t room)
{
    int flag = 0;
    if (!room_set(room))
        return NOT_HERE;
    for (int i = 0; i < 100; i++)
        if (tw_run(raise_flag, .flag = &flag) != TW_ENOMEM || flag)
            return WRONG;
    room_free();
    return tw_run(raise_flag, .flag = &flag) == 0 && flag ? GOOD : WRONG;
}

static void test_limits_no_memory_for_the_first_stacks(void **state)
{
    (void)state;
    EXPECT_GOOD(no_room_then_room, 0);
    EXPECT_GOOD(no_room_then_room, 8 * MIB);
}

// Small stacks, so that the recursion needs many of them.
static enum verdict nest_in(size_t room)
{
    struct tw_options options;
    long count = 0, n = 20000;
    tw_options_init(&options, NULL, 0);
    options.stack_size = 65536;
    if (!room_set(room))
        return NOT_HERE;
    int error = tw_run_with(&options, nest, .n = n, .count = &count);
    if (error == TW_ENOMEM || error == TW_EAGAIN)
        return count == 0 ? REFUSED : WRONG;
    return error == 0 && count == n ? GOOD : WRONG;
}

struct tally {
    int good, refused, with_words;
};

// 0: limits have no effect here.
static int try_room(size_t room, struct tally *tally)
{
    struct outcome outcome;
    outcome_of(nest_in, room, &outcome);
    int good = ended_with(&outcome, GOOD);
    int refused = ended_with(&outcome, REFUSED);
    int with_words = gave_up(&outcome);
    if (ended_with(&outcome, NOT_HERE))
        return 0;
    if (!good && !refused && !with_words)
        complain(&outcome);
    tally->good += good;
    tally->refused += refused;
    tally->with_words += with_words;
    return 1;
}

static void test_limits_any_amount_of_memory_ends_well_or_with_words(void **state)
{
    (void)state;
    struct tally tally = {0, 0, 0};
    for (size_t room = 0; room <= 200 * MIB; room += room < 20 * MIB ? MIB / 2 : 5 * MIB)
        if (!try_room(room, &tally))
            skip();
    try_room(16384 * MIB, &tally);
    print_message("%d well, %d refused, %d with words\n", tally.good, tally.refused,
                  tally.with_words);
    assert_true(tally.good > 0);
    assert_true(tally.refused > 0);
    assert_true(tally.with_words > 0);
}

// Memory runs out in the middle: for stacks, and for arguments that are kept apart.
TW_TASK(nest_without_room, {
    long *count;
    int *limited;
})
{
    *self.limited = room_set(MIB);
    if (*self.limited)
        tw_call(nest, .n = 1000000, .count = self.count);
}

static enum verdict stacks_run_out(size_t unused)
{
    (void)unused;
    struct tw_options options;
    long count = 0;
    int limited = 0;
    tw_options_init(&options, NULL, 0);
    options.stack_size = 65536;
    tw_run_with(&options, nest_without_room, .count = &count, .limited = &limited);
    return limited ? WRONG : NOT_HERE;
}

struct page {
    char byte[4096];
};

TW_TASK(hold_page, { struct page page; })
{
    (void)self.page;
}

TW_TASK(spill_without_room, { int *limited; })
{
    struct page page = {{1}};
    *self.limited = room_set(MIB);
    if (*self.limited)
        tw_finish {
            for (int i = 0; i < 10000; i++)
                tw_async(hold_page, .page = page);
        }
}

static enum verdict arguments_run_out(size_t unused)
{
    (void)unused;
    struct tw_options options;
    int limited = 0;
    tw_options_init(&options, NULL, 0);
    options.workers = 1; // nobody may take and free them meanwhile
    tw_run_with(&options, spill_without_room, .limited = &limited);
    return limited ? WRONG : NOT_HERE;
}

static void expect_words(enum verdict (*what)(size_t))
{
    struct outcome outcome;
    outcome_of(what, 0, &outcome);
    if (!ended_with(&outcome, NOT_HERE) && !gave_up(&outcome))
        complain(&outcome);
}

static void test_limits_memory_that_runs_out_is_told(void **state)
{
    (void)state;
    expect_words(stacks_run_out);
    expect_words(arguments_run_out);
}

// ---- threads ----

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *pass_gate(void *argument)
{
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return argument;
}

// Whether so many can be there at once.
static int can_start_threads(size_t wanted)
{
    pthread_t threads[16];
    size_t made = 0;
    pthread_mutex_lock(&gate);
    while (made < wanted && pthread_create(&threads[made], NULL, pass_gate, NULL) == 0)
        made++;
    pthread_mutex_unlock(&gate);
    for (size_t i = 0; i < made; i++)
        pthread_join(threads[i], NULL);
    return made == wanted;
}

// The limit counts for users without privileges only.
static enum verdict threads_refused(size_t allowed)
{
    if (geteuid() == 0 && setuid(NOBODY) != 0)
        return NOT_HERE;
    struct tw_options options;
    struct rlimit limit;
    int flag = 0;
    tw_options_init(&options, NULL, 0);
    options.workers = 16;
    getrlimit(RLIMIT_NPROC, &limit);
    limit.rlim_cur = allowed;
    if (setrlimit(RLIMIT_NPROC, &limit) != 0 || can_start_threads(15))
        return NOT_HERE;
    for (int i = 0; i < 20; i++)
        if (tw_run_with(&options, raise_flag, .flag = &flag) != TW_EAGAIN || flag)
            return WRONG;
    options.workers = 1; // needs none
    return tw_run_with(&options, raise_flag, .flag = &flag) == 0 && flag ? GOOD : WRONG;
}

static void test_limits_threads_are_refused(void **state)
{
    (void)state;
    EXPECT_GOOD(threads_refused, 1);
    EXPECT_GOOD(threads_refused, 5);
}

static enum verdict many_workers(size_t workers)
{
    struct tw_options options;
    struct tw_stats stats = {.room = 0};
    tw_options_init(&options, NULL, 0);
    options.workers = (unsigned)workers;
    options.stats = &stats;
    for (int i = 0; i < 2; i++) {
        long out = 0;
        int error = tw_run_with(&options, fib_into, .n = 15, .out = &out);
        if (error == TW_EAGAIN || error == TW_ENOMEM)
            return NOT_HERE;
        if (error || out != 610 || stats.workers != workers)
            return WRONG;
    }
    return GOOD;
}

static void test_limits_as_many_workers_as_there_can_be(void **state)
{
    (void)state;
    EXPECT_GOOD(many_workers, 64);
    EXPECT_GOOD(many_workers, (size_t)test_scaled(TW_WORKERS_MAX));
}

// ---- files ----

// The control group's files cannot be opened: the affinity mask decides alone.
static enum verdict no_files(size_t unused)
{
    (void)unused;
    struct rlimit limit = {3, 3};
    struct tw_options options;
    long out = 0;
    tw_options_init(&options, NULL, 0);
    options.workers = 0;
    for (int fd = 3; fd < 64; fd++)
        close(fd);
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        return NOT_HERE;
    return tw_run_with(&options, fib_into, .n = 15, .out = &out) == 0 && out == 610 ? GOOD : WRONG;
}

static void test_limits_no_files(void **state)
{
    (void)state;
    EXPECT_GOOD(no_files, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits_no_memory_for_the_first_stacks),
        cmocka_unit_test(test_limits_any_amount_of_memory_ends_well_or_with_words),
        cmocka_unit_test(test_limits_memory_that_runs_out_is_told),
        cmocka_unit_test(test_limits_threads_are_refused),
        cmocka_unit_test(test_limits_as_many_workers_as_there_can_be),
        cmocka_unit_test(test_limits_no_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
