// SPDX-License-Identifier: Apache-2.0
// Settings: one table, from which come the TWILL_* variables, the options of the command and their
// help.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <twill/runtime.h>

#define STACK_MIN ((uint64_t)64 << 10)
#define STACK_MAX ((uint64_t)1 << 30)
#define SPIN_MAX_US 1000000u
#define BLOCKING_MAX 1024u
#define TRACE_EVENTS_MIN 16u
#define TRACE_EVENTS_MAX ((uint64_t)1 << 24)

enum setting {
    WORKERS,
    STACK_SIZE,
    BIND,
    TOPOLOGY,
    SPIN_US,
    SEED,
    TRACE,
    TRACE_EVENTS,
    LOCK_CHECK,
    WAKE,
    IO,
    BLOCKING,
    DUMP,
    STEAL,
    MPI,
    POLICY,
    DETECTOR,
    COMM,
    SETTINGS
};

enum source { FROM_DEFAULT, FROM_ENVIRONMENT, FROM_OPTION };

static const struct tw_setting table[SETTINGS] = {
    [WORKERS] = {"workers", "TWILL_WORKERS", "auto, or 1 to 1024",
                 "threads that run tasks; auto: the processors this process may use"},
    [STACK_SIZE] = {"stack-size", "TWILL_STACK_SIZE", "64K to 1G, with suffix K, M or G",
                    "stack of each fiber"},
    [BIND] = {"bind", "TWILL_BIND", "auto, on or off",
              "bind each worker to a processor; auto: when they are equally many, in one pool"},
    [TOPOLOGY] = {"topology", "TWILL_TOPOLOGY", "auto, hwloc or off",
                  "order of binding; auto: ask hwloc when there are several memory nodes"},
    [SPIN_US] = {"spin-us", "TWILL_SPIN_US", "0 to 1000000",
                 "microseconds an idle worker searches before it sleeps"},
    [SEED] = {"seed", "TWILL_SEED", "0 to 18446744073709551615",
              "seed of the workers' random choices"},
    [TRACE] = {"trace", "TWILL_TRACE", "off, or the name of a file",
               "write a trace of each run to a file, for ui.perfetto.dev"},
    [TRACE_EVENTS] = {"trace-events", "TWILL_TRACE_EVENTS", "16 to 16M, with suffix K or M",
                      "newest events a trace keeps of each worker"},
    [LOCK_CHECK] = {"lock-check", "TWILL_LOCK_CHECK", "on or off",
                    "report mutexes that tasks lock in an order that may end in a deadlock"},
    [WAKE] = {"wake", "TWILL_WAKE", "auto, cur, last or lhws",
              "where a task goes on that waited: with who woke it (cur) or where it ran last"},
    [IO] = {"io", "TWILL_IO", "auto, epoll or uring",
            "how tasks wait for the system; auto: sockets by epoll, files by io_uring"},
    [BLOCKING] = {"blocking", "TWILL_BLOCKING", "1 to 1024",
                  "threads at most for calls that must block (tw_blocking)"},
    [DUMP] = {"dump", "TWILL_DUMP", "off or usr1",
              "on SIGUSR1 list the tasks that wait, on the standard error output"},
    [STEAL] = {"steal", "TWILL_STEAL", "auto, one or half",
               "of tasks that can go on a thief takes one or half; auto: one with wake cur, last"},
    [MPI] = {"mpi", "TWILL_MPI", "auto, off, openmpi, mpich, or the path of a plugin",
             "what joins places; auto: the MPI in use, or that of the launcher"},
    [POLICY] = {"policy", "TWILL_POLICY",
                "adaptive, success-only, success-only-acyclic, baseline, lifeline or random",
                "how idle places find work at others"},
    [DETECTOR] = {"detector", "TWILL_DETECTOR", "scopes or waves",
                  "how places learn that a run is over"},
    [COMM] = {"comm", "TWILL_COMM", "auto, dedicated or shared",
              "the thread that talks to other places has a processor of its own, or sleeps between "
              "looks; auto: its own where a place has 8 or more"},
};

const struct tw_setting *tw_settings(size_t *count)
{
    *count = SETTINGS;
    return table;
}

static int setting_find(const char *name)
{
    for (int i = 0; i < SETTINGS; i++)
        if (strcmp(table[i].name, name) == 0)
            return i;
    return -1;
}

// ---- reading values ----

// A whole number with an optional suffix K, M or G. 1 on success.
static int number_read(const char *text, int suffixes, uint64_t *value)
{
    char *end;
    if (*text < '0' || *text > '9')
        return 0;
    errno = 0;
    *value = strtoull(text, &end, 10);
    if (errno)
        return 0;
    static const char letters[] = "KMG";
    int capital = *end & ~0x20; // of a blank nothing is left, which strchr would find
    const char *letter = capital && suffixes ? strchr(letters, capital) : NULL;
    if (letter) {
        unsigned shift = 10 * (unsigned)(letter - letters + 1);
        if (*value >> (64 - shift))
            return 0;
        *value <<= shift;
        end++;
    }
    return *end == '\0';
}

enum { WORDS_MOST = 4 };

// Of settings that take one of a few.
static const char *const words[SETTINGS][WORDS_MOST] = {
    [BIND] = {"auto", "on", "off"},
    [TOPOLOGY] = {"auto", "hwloc", "off"},
    [LOCK_CHECK] = {"off", "on"},
    [WAKE] = {"auto", "cur", "last", "lhws"},
    [IO] = {"auto", "epoll", "uring"},
    [DUMP] = {"off", "usr1"},
    [STEAL] = {"auto", "one", "half"},
    [DETECTOR] = {"scopes", "waves"},
    [COMM] = {"auto", "dedicated", "shared"},
};

static const char *const policy_words[] = {"adaptive", "success-only", "success-only-acyclic",
                                           "baseline", "lifeline",     "random"};
static const char *const mpi_words[WORDS_MOST] = {"auto", "off", "openmpi", "mpich"};

// The number of a word among some, or -1.
static int word_read(const char *text, const char *const some[WORDS_MOST])
{
    for (int i = 0; i < WORDS_MOST && some[i]; i++)
        if (strcmp(text, some[i]) == 0)
            return i;
    return -1;
}

static int policy_read(struct tw_options *o, const char *text)
{
    for (size_t i = 0; i < sizeof policy_words / sizeof *policy_words; i++)
        if (strcmp(text, policy_words[i]) == 0) {
            o->policy = policy_words[i];
            return 1;
        }
    return 0;
}

static int workers_read(struct tw_options *o, const char *text)
{
    uint64_t n = 0;
    if (strcmp(text, "auto") != 0 && (!number_read(text, 0, &n) || n < 1 || n > TW_WORKERS_MAX))
        return 0;
    o->workers = (unsigned)n;
    return 1;
}

static int trace_read(struct tw_options *o, const char *text)
{
    if (*text)
        o->trace = strcmp(text, "off") != 0 ? text : NULL;
    return *text != '\0';
}

static int mpi_read(struct tw_options *o, const char *text)
{
    if (!strchr(text, '/') && word_read(text, mpi_words) < 0)
        return 0;
    o->mpi = text;
    return 1;
}

static int value_set(struct tw_options *o, enum setting setting, const char *text)
{
    uint64_t n = 0;
    int word = words[setting][0] ? word_read(text, words[setting]) : 0;
    if (word < 0)
        return 0;
    switch (setting) {
    case WORKERS:
        return workers_read(o, text);
    case STACK_SIZE:
        if (!number_read(text, 1, &n) || n < STACK_MIN || n > STACK_MAX)
            return 0;
        o->stack_size = (size_t)n;
        return 1;
    case BIND:
        o->bind = (enum tw_bind)word;
        return 1;
    case TOPOLOGY:
        o->topology = (enum tw_topology)word;
        return 1;
    case SPIN_US:
        if (!number_read(text, 0, &n) || n > SPIN_MAX_US)
            return 0;
        o->spin_ns = n * 1000;
        return 1;
    case SEED:
        if (!number_read(text, 0, &n))
            return 0;
        o->seed = n;
        return 1;
    case TRACE:
        return trace_read(o, text);
    case TRACE_EVENTS:
        if (!number_read(text, 1, &n) || n < TRACE_EVENTS_MIN || n > TRACE_EVENTS_MAX)
            return 0;
        o->trace_events = (size_t)n;
        return 1;
    case LOCK_CHECK:
        o->lock_check = word;
        return 1;
    case WAKE:
        o->wake = (enum tw_wake)word;
        return 1;
    case IO:
        o->io = (enum tw_io)word;
        return 1;
    case BLOCKING:
        if (!number_read(text, 0, &n) || n < 1 || n > BLOCKING_MAX)
            return 0;
        o->blocking_max = (unsigned)n;
        return 1;
    case DUMP:
        o->dump = word;
        return 1;
    case STEAL:
        o->steal = (enum tw_steal)word;
        return 1;
    case POLICY:
        return policy_read(o, text);
    case DETECTOR:
        o->detector = words[setting][word];
        return 1;
    case COMM:
        o->comm = (enum tw_comm)word;
        return 1;
    case MPI:
        return mpi_read(o, text);
    case SETTINGS:
        break;
    }
    return 0;
}

static int refuse(char *message, size_t size, const char *who, const char *value,
                  const char *accepted)
{
    if (message)
        snprintf(message, size, "%s: '%s' is not accepted; give %s", who, value, accepted);
    return TW_EINVAL;
}

int tw_options_set(struct tw_options *o, const char *name, const char *value, char *message,
                   size_t size)
{
    int setting = setting_find(name);
    if (setting < 0) {
        if (message)
            snprintf(message, size, "%s: there is no such setting", name);
        return TW_ENOENT;
    }
    if (!value_set(o, (enum setting)setting, value))
        return refuse(message, size, name, value, table[setting].accepted);
    o->source[setting] = FROM_OPTION;
    return 0;
}

int tw_options_init(struct tw_options *o, char *message, size_t size)
{
    int error = 0;
    *o = (struct tw_options){.stack_size = (size_t)8 << 20,
                             .spin_ns = 50000,
                             .trace_events = 65536,
                             .blocking_max = 64,
                             .mpi = "auto",
                             .policy = policy_words[0],
                             .detector = words[DETECTOR][0]};
    for (int i = 0; i < SETTINGS; i++) {
        const char *value = getenv(table[i].variable);
        if (!value || !*value)
            continue;
        if (value_set(o, (enum setting)i, value))
            o->source[i] = FROM_ENVIRONMENT;
        else
            error = refuse(message, size, table[i].variable, value, table[i].accepted);
    }
    return error;
}

// ---- writing them ----

static int value_write(const struct tw_options *o, enum setting setting, char *text, size_t size)
{
    switch (setting) {
    case WORKERS:
        return o->workers ? snprintf(text, size, "%u", o->workers) : snprintf(text, size, "auto");
    case STACK_SIZE:
        if (o->stack_size % (1 << 20) == 0)
            return snprintf(text, size, "%zuM", o->stack_size >> 20);
        return snprintf(text, size, o->stack_size % 1024 ? "%zu" : "%zuK",
                        o->stack_size % 1024 ? o->stack_size : o->stack_size >> 10);
    case BIND:
        return snprintf(text, size, "%s", words[setting][o->bind]);
    case TOPOLOGY:
        return snprintf(text, size, "%s", words[setting][o->topology]);
    case SPIN_US:
        return snprintf(text, size, "%llu", (unsigned long long)(o->spin_ns / 1000));
    case SEED:
        return snprintf(text, size, "%llu", (unsigned long long)o->seed);
    case TRACE:
        return snprintf(text, size, "%s", o->trace ? o->trace : "off");
    case TRACE_EVENTS:
        return snprintf(text, size, "%zu", o->trace_events);
    case LOCK_CHECK:
        return snprintf(text, size, "%s", words[setting][o->lock_check != 0]);
    case WAKE:
        return snprintf(text, size, "%s", words[setting][o->wake]);
    case IO:
        return snprintf(text, size, "%s", words[setting][o->io]);
    case BLOCKING:
        return snprintf(text, size, "%u", o->blocking_max);
    case DUMP:
        return snprintf(text, size, "%s", words[setting][o->dump != 0]);
    case STEAL:
        return snprintf(text, size, "%s", words[setting][o->steal]);
    case MPI:
        return snprintf(text, size, "%s", o->mpi ? o->mpi : "auto");
    case POLICY:
        return snprintf(text, size, "%s", o->policy);
    case DETECTOR:
        return snprintf(text, size, "%s", o->detector);
    case COMM:
        return snprintf(text, size, "%s", words[setting][o->comm]);
    case SETTINGS:
        break;
    }
    return 0;
}

int tw_options_get(const struct tw_options *o, const char *name, char *value, size_t size,
                   const char **source)
{
    static const char *const sources[] = {"default", "environment", "option"};
    int setting = setting_find(name);
    if (setting < 0)
        return TW_ENOENT;
    if (source)
        *source = sources[o->source[setting]];
    int length = value_write(o, (enum setting)setting, value, size);
    return length >= 0 && (size_t)length < size ? 0 : TW_ERANGE;
}
