// SPDX-License-Identifier: Apache-2.0
// Reducers: the usual ones and one of the user's own, on few and on many fibers, across waits; and
// what happens to those who use a closed one.
#include "support.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 20000 };

// ---- the usual ones ----

TW_SUM(long, sum)
TW_MIN(int, least, INT32_MAX)
TW_MAX(double, most, -1e300)
TW_AND(uint32_t, all)
TW_OR(uint8_t, any)

struct usual {
    tw_reducer(sum) sum;
    tw_reducer(least) least;
    tw_reducer(most) most;
    tw_reducer(all) all;
    tw_reducer(any) any;
};

static uint32_t scrambled(int64_t i)
{
    return ((uint32_t)i ^ 0x5bd1e995u) * 2654435761u;
}

TW_LOOP(contribute, i, { struct usual *to; })
{
    int value = (int)(scrambled(i) >> 8);
    *tw_view(sum, &self.to->sum) += value;
    int *least = tw_view(least, &self.to->least);
    *least = value < *least ? value : *least;
    double *most = tw_view(most, &self.to->most);
    *most = value > *most ? value : *most;
    *tw_view(all, &self.to->all) &= scrambled(i) | 0x1000;
    *tw_view(any, &self.to->any) |= (uint8_t)(1u << (i % 8));
}

struct values {
    long sum;
    int least;
    double most;
    uint32_t all;
    uint8_t any;
};

TW_TASK(reduce_usual, {
    int64_t n;
    struct values *values;
})
{
    struct usual to;
    tw_reducer_open(sum, &to.sum);
    tw_reducer_open(least, &to.least);
    tw_reducer_open(most, &to.most);
    tw_reducer_open(all, &to.all);
    tw_reducer_open(any, &to.any);
    tw_finish {
        tw_forasync(contribute, tw_range(0, self.n), .to = &to);
    }
    self.values->sum = tw_reducer_close(sum, &to.sum);
    self.values->least = tw_reducer_close(least, &to.least);
    self.values->most = tw_reducer_close(most, &to.most);
    self.values->all = tw_reducer_close(all, &to.all);
    self.values->any = tw_reducer_close(any, &to.any);
}

static struct values expected_values(int64_t n)
{
    struct values values = {0, INT32_MAX, -1e300, UINT32_MAX, 0};
    for (int64_t i = 0; i < n; i++) {
        int value = (int)(scrambled(i) >> 8);
        values.sum += value;
        values.least = value < values.least ? value : values.least;
        values.most = value > values.most ? value : values.most;
        values.all &= scrambled(i) | 0x1000;
        values.any |= (uint8_t)(1u << (i % 8));
    }
    return values;
}

static void test_reducer_sum_min_max_and_or(void **state)
{
    (void)state;
    static const int64_t sizes[] = {0, 1, 5, N};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct values expected = expected_values(sizes[s]);
        for (int i = 0; i < test_scaled(10); i++) {
            struct values values;
            assert_int_equal(tw_run(reduce_usual, .n = sizes[s], .values = &values), 0);
            assert_int_equal(values.sum, expected.sum);
            assert_int_equal(values.least, expected.least);
            assert_true(values.most == expected.most);
            assert_int_equal(values.all, expected.all);
            assert_int_equal(values.any, expected.any);
        }
    }
}

// ---- lists ----

struct number {
    struct tw_node node;
    int64_t value;
};

TW_LIST(odd_ones)

TW_LOOP(collect, i, {
    struct number *numbers;
    tw_reducer(odd_ones) * odd;
})
{
    self.numbers[i].value = i;
    if (i % 2)
        tw_list_append(tw_view(odd_ones, self.odd), &self.numbers[i].node);
}

TW_TASK(collect_all, {
    struct number *numbers;
    struct tw_list *odd;
})
{
    tw_reducer(odd_ones) odd;
    tw_reducer_open(odd_ones, &odd);
    tw_finish {
        tw_forasync(collect, tw_range(0, N), .numbers = self.numbers, .odd = &odd);
    }
    *self.odd = tw_reducer_close(odd_ones, &odd);
}

static void test_reducer_list_holds_each_node_once(void **state)
{
    (void)state;
    struct number *numbers = calloc(N, sizeof *numbers);
    unsigned char *seen = calloc(N, 1);
    struct tw_list odd;
    assert_int_equal(tw_run(collect_all, .numbers = numbers, .odd = &odd), 0);
    size_t count = 0;
    for (struct tw_node *node = odd.first; node; node = node->next) {
        const struct number *number = (const struct number *)(const void *)node;
        assert_int_equal(seen[number->value]++, 0);
        assert_int_equal(number->value % 2, 1);
        count++;
    }
    assert_int_equal(count, N / 2);
    assert_int_equal(odd.count, N / 2);
    assert_null(odd.last->next);
    free(seen);
    free(numbers);
}

// ---- one of the user's own: larger than a cache line, with an identity that is not zero ----

struct histogram {
    uint32_t of[100];
    double product;
};

static struct histogram both(struct histogram a, struct histogram b)
{
    for (int i = 0; i < 100; i++)
        a.of[i] += b.of[i];
    a.product *= b.product;
    return a;
}

TW_REDUCER(struct histogram, histogram, ((struct histogram){.product = 1}), both(a, b))

TW_LOOP(sort_in, i, { tw_reducer(histogram) * histogram; })
{
    struct histogram *view = tw_view(histogram, self.histogram);
    view->of[i % 100]++;
    if (i % 1000 == 0)
        view->product *= 2;
}

TW_TASK(fill_histogram, { struct histogram *histogram; })
{
    tw_reducer(histogram) histogram;
    tw_reducer_open(histogram, &histogram);
    tw_finish {
        tw_forasync(sort_in, tw_range(0, N), .histogram = &histogram);
    }
    *self.histogram = tw_reducer_close(histogram, &histogram);
}

static void test_reducer_of_the_users_own(void **state)
{
    (void)state;
    struct histogram *histogram = malloc(sizeof *histogram);
    assert_int_equal(tw_run(fill_histogram, .histogram = histogram), 0);
    for (int i = 0; i < 100; i++)
        assert_int_equal(histogram->of[i], N / 100);
    assert_true(histogram->product == (double)(1 << (N / 1000)));
    free(histogram);
}

// ---- views and waiting ----

TW_FUNCTION(int, views_stay, {
    int depth;
    tw_reducer(sum) * sum;
})
{
    long *view = tw_view(sum, self.sum);
    *view += 1;
    if (self.depth == 0)
        return 0;
    tw_forked(views_stay) other = tw_fork(views_stay, .depth = self.depth - 1, .sum = self.sum);
    int moved = tw_call(views_stay, .depth = self.depth - 1, .sum = self.sum);
    moved += tw_join(views_stay, other);
    tw_finish {
        tw_forasync(contribute, tw_range(0, 0), .to = NULL);
    }
    return moved + (view != tw_view(sum, self.sum));
}

TW_TASK(stay, {
    int *moved;
    long *calls;
})
{
    tw_reducer(sum) sum;
    tw_reducer_open(sum, &sum);
    *self.moved = tw_call(views_stay, .depth = 12, .sum = &sum);
    *self.calls = tw_reducer_close(sum, &sum);
}

static void test_reducer_view_stays_over_suspension(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(30); i++) {
        int moved = -1;
        long calls = 0;
        assert_int_equal(tw_run(stay, .moved = &moved, .calls = &calls), 0);
        assert_int_equal(moved, 0);
        assert_int_equal(calls, (1 << 13) - 1);
    }
}

// Each level waits on a stack of its own, so that all their fibers have views at once.
static void go_deeper(int depth, tw_reducer(sum) * sum);

TW_TASK(deeper, {
    int depth;
    tw_reducer(sum) * sum;
})
{
    go_deeper(self.depth, self.sum);
}

static void go_deeper(int depth, tw_reducer(sum) * sum)
{
    long *view = tw_view(sum, sum);
    *view += 1;
    if (depth > 0)
        tw_call(deeper, .depth = depth - 1, .sum = sum);
    if (view != tw_view(sum, sum))
        tw_fail(TW_ERANGE);
    *view += 1000000;
}

TW_TASK(many_fibers, {
    int depth;
    long *total;
})
{
    tw_reducer(sum) sum;
    tw_reducer_open(sum, &sum);
    tw_call(deeper, .depth = self.depth, .sum = &sum);
    *self.total = tw_reducer_close(sum, &sum);
}

static void test_reducer_on_many_fibers(void **state)
{
    (void)state;
    static const int depths[] = {10, 31, 32, 100, 300};
    struct tw_worker_stats worker;
    struct tw_stats stats = {.room = 1, .worker = &worker};
    struct tw_options options;
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    options.stack_size = 64 * 1024;
    options.stats = &stats;
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        long total = 0;
        assert_int_equal(tw_run_with(&options, many_fibers, .depth = depths[i], .total = &total),
                         0);
        assert_int_equal(total, (depths[i] + 1) * 1000001L);
        assert_true(stats.sum.stacks > (uint64_t)depths[i]);
    }
}

// ---- opened again, and two at once ----

TW_LOOP(add_two, i, {
    tw_reducer(sum) * a;
    tw_reducer(sum) * b;
})
{
    *tw_view(sum, self.a) += i;
    *tw_view(sum, self.b) -= i;
}

TW_TASK(open_again, { long *wrong; })
{
    tw_reducer(sum) a, b;
    for (long round = 1; round <= 20; round++) {
        tw_reducer_open(sum, &a);
        tw_reducer_open(sum, &b);
        tw_finish {
            tw_forasync(add_two, tw_range(0, 1000 * round), .a = &a, .b = &b);
        }
        long first = tw_reducer_close(sum, &a), second = tw_reducer_close(sum, &b);
        *self.wrong += first != 1000 * round * (1000 * round - 1) / 2 || second != -first;
    }
}

static void test_reducer_can_be_opened_again(void **state)
{
    (void)state;
    long wrong = 0;
    assert_int_equal(tw_run(open_again, .wrong = &wrong), 0);
    assert_int_equal(wrong, 0);
}

// ---- misuse ----

TW_TASK(use_closed, { int unused; })
{
    tw_reducer(sum) sum;
    (void)self;
    tw_reducer_open(sum, &sum);
    *tw_view(sum, &sum) += 1;
    (void)tw_reducer_close(sum, &sum);
    *tw_view(sum, &sum) += 1;
}

TW_TASK(close_twice, { int unused; })
{
    tw_reducer(sum) sum;
    (void)self;
    tw_reducer_open(sum, &sum);
    (void)tw_reducer_close(sum, &sum);
    (void)tw_reducer_close(sum, &sum);
}

static void run_use_closed(void)
{
    tw_run(use_closed);
}

static void run_close_twice(void)
{
    tw_run(close_twice);
}

static void open_outside(void)
{
    tw_reducer(sum) sum;
    tw_reducer_open(sum, &sum);
}

enum { CHILD_SECONDS = 60 };

// `what` ends its process with this text.
static void assert_dies(void (*what)(void), const char *message)
{
    int ends[2], status;
    char text[1024];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        signal(SIGABRT, SIG_DFL); // cmocka's would go on with the next test
        alarm(CHILD_SECONDS);
        what();
        _exit(0);
    }
    close(ends[1]);
    size_t got = 0;
    for (ssize_t n; (n = read(ends[0], text + got, sizeof text - 1 - got)) > 0;)
        got += (size_t)n;
    text[got] = '\0';
    close(ends[0]);
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    if (!strstr(text, message))
        print_message("it said '%s' instead of '%s'\n", text, message);
    assert_non_null(strstr(text, message));
}

static void test_reducer_misuse_dies_with_a_message(void **state)
{
    (void)state;
    assert_dies(run_use_closed, "a reducer was used that is not open");
    assert_dies(run_close_twice, "a reducer was closed that is not open");
    assert_dies(open_outside, "a reducer was used outside tw_run");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reducer_sum_min_max_and_or),
        cmocka_unit_test(test_reducer_list_holds_each_node_once),
        cmocka_unit_test(test_reducer_of_the_users_own),
        cmocka_unit_test(test_reducer_view_stays_over_suspension),
        cmocka_unit_test(test_reducer_on_many_fibers),
        cmocka_unit_test(test_reducer_can_be_opened_again),
        cmocka_unit_test(test_reducer_misuse_dies_with_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
