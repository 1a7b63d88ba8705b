// SPDX-License-Identifier: Apache-2.0
// What `twill run` needs of an application: its options, a way to run it once and to check it.
#ifndef APPS_APP_H
#define APPS_APP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <twill/runtime.h>

#include "cli/options.h"

enum app_check {
    APP_CHECK_AUTO,   // the oracle, or the table where the oracle would take too long
    APP_CHECK_ORACLE, // a sequential search after the run
    APP_CHECK_TABLE,  // known results
    APP_CHECK_NONE,
};

enum app_outcome {
    APP_DONE,
    APP_REFUSED, // the settings make no sense: `message` says why
    APP_FAILED,  // it could not run: `message` says why, or `error` where that is empty
};

#define APP_FACTS_MAX 8
#define APP_GROUPS_MAX 16
#define APP_COLUMNS_MAX 32

// A named number, or a word where `text` is not NULL, or a real number where it has digits.
struct app_fact {
    const char *name;
    const char *text;
    uint64_t count;
    double real;
    int digits; // after the point
};

// A table of what happened one after the other, such as iterations.
struct app_column {
    const char *name;
    int digits;  // after the point
    bool powers; // 1.2e-05 instead of 0.000012
    bool detail; // in JSON only
};

struct app_table {
    const char *name;                 // of a row; NULL: there is no table
    const struct app_column *columns; // a name NULL ends them
    size_t rows;
    double *cells; // row by row; whoever has called run() frees them
    // Rows may be in groups of the same size, one after the other, such as those of several ways.
    const char *group;                  // what they are; NULL: there are none
    const char *groups[APP_GROUPS_MAX]; // their names; a NULL ends them
};

struct app_run {
    // in
    const struct tw_options *options;
    bool sequential; // the program without Twill
    enum app_check check;
    void (*stopped)(void *watcher); // called when it has run, before the check; may be NULL
    void *watcher;
    // out
    uint64_t start_ns;
    double seconds; // of the run itself, without the check
    long peak_kb;   // of the process, when the run was over
    struct app_fact parameters[APP_FACTS_MAX], results[APP_FACTS_MAX];
    struct app_table table;
    struct app_fact work;   // what was done, for a rate
    enum app_check checked; // how the results were compared: oracle, table or none
    bool verified;          // they were, and are right
    int error;              // a TW_E... code
    char message[512];      // why not; or, when it is done, what to be warned of
};

struct twill_app {
    const char *name;
    const char *summary;
    const struct cli_option *options; // of the settings
    size_t settings_size;
    void (*defaults)(void *settings);
    enum app_outcome (*run)(const void *settings, struct app_run *run);
    // For a progress line: how many of what this place has done by now. From any thread, while it
    // runs. NULL: it takes too short.
    uint64_t (*so_far)(void);
    const char *counted;
};

extern const struct twill_app fib_app, nqueens_app, uts_app, sort_app, skynet_app, fft_app,
    knapsack_app, matmul_app, stencil_app, mandelbrot_app, mapreduce_app, server_app,
    scatter_gather_app, sieve_app, fir_app, jpeg_app, hf_app, tce_app, drift_app;

// Ends with NULL.
extern const struct twill_app *const twill_apps[];

// A clock that only goes forward, in nanoseconds.
uint64_t app_now_ns(void);

// Where processes of a network go on that waited: as the pool's tasks do.
enum tw_wake app_wake(const struct app_run *run);

// Enclose what `seconds` measures. Places start together: how late a launcher has started one is no
// part of it.
void app_start(struct app_run *run);
enum app_outcome app_stop(struct app_run *run, int error);

#endif
