// SPDX-License-Identifier: Apache-2.0
// Failures and how they are told: the failing execution is repeated with every operation recorded.
#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { EVENTS = 16384, EVENTS_SHOWN = 300, NAMES = 256, NAME_SIZE = 40, NAME_REACH = 512 };

static struct mc_event events[EVENTS];
static unsigned events_used;

struct name {
    const char *address;
    char text[NAME_SIZE];
};

static struct name names[NAMES];
static unsigned names_used;

// ---- failing ----

__attribute__((noreturn, format(printf, 2, 0))) static void
fail(enum model_verdict verdict, const char *format, va_list arguments)
{
    mc.result->verdict = verdict;
    vsnprintf(mc.result->message, sizeof mc.result->message, format, arguments);
    mc_end(MC_FAILED);
}

void mc_fail(enum model_verdict verdict, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(verdict, format, arguments);
}

void model_assert_failed(const char *condition, const char *file, int line, const char *format, ...)
{
    char message[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    mc_fail(MODEL_ASSERT, "%s (%s, %s:%d)", message, condition, file, line);
}

// ---- names ----

void mc_name_forget_all(void)
{
    names_used = 0;
}

void model_name(const volatile void *object, const char *format, ...)
{
    if (!mc.recording || names_used == NAMES)
        return;
    struct name *n = &names[names_used++];
    n->address = (const char *)(uintptr_t)object;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(n->text, sizeof n->text, format, arguments);
    va_end(arguments);
}

// Its own name, or that of something shortly before it with the distance. Good until eight more.
const char *mc_name(const void *address)
{
    static char texts[8][NAME_SIZE + 24];
    static unsigned turn;
    char *text = texts[turn++ % 8];
    const char *a = address;
    const struct name *best = NULL;
    for (unsigned i = 0; i < names_used; i++)
        if (names[i].address <= a && a - names[i].address < NAME_REACH &&
            (!best || best->address <= names[i].address))
            best = &names[i];
    if (!best)
        snprintf(text, sizeof texts[0], "%p", address);
    else if (best->address == a)
        snprintf(text, sizeof texts[0], "%s", best->text);
    else
        snprintf(text, sizeof texts[0], "%s+%td", best->text, a - best->address);
    return text;
}

// ---- the record ----

void mc_record_clear(void)
{
    events_used = 0;
    names_used = 0;
}

unsigned mc_record(const struct mc_event *event)
{
    if (events_used == EVENTS)
        return EVENTS;
    struct mc_event *e = &events[events_used++];
    *e = *event;
    e->thread = (uint8_t)mc.running;
    return events_used;
}

const struct mc_event *mc_record_find(const struct mc_location *x, int thread)
{
    for (unsigned i = events_used; i-- > 0;)
        if (events[i].location == x && events[i].thread == thread)
            return &events[i];
    return NULL;
}

// ---- the schedule ----

static const char *order_name(int order)
{
    static const char *const names_of[] = {
        [TWI_RELAXED] = "relaxed", [TWI_ACQUIRE] = "acquire", [TWI_RELEASE] = "release",
        [TWI_ACQ_REL] = "acq_rel", [TWI_SEQ_CST] = "seq_cst",
    };
    return names_of[order];
}

static const char *number(uint64_t value)
{
    static char texts[4][24];
    static unsigned turn;
    char *text = texts[turn++ % 4];
    snprintf(text, sizeof texts[0], value < 100000 ? "%llu" : "%#llx", (unsigned long long)value);
    return text;
}

static void print_source(const struct mc_event *e)
{
    if (e->from > 0)
        printf(" from step %d", e->from);
    else if (e->from == 0)
        printf(" the initial value");
    if (e->newer)
        printf(", %u newer", e->newer);
}

static void print_update(const struct mc_event *e, const char *verb, const char *name)
{
    printf("%-9s %s: %s -> %s, %s,", verb, name, number(e->old), number(e->value),
           order_name(e->order));
    print_source(e);
}

static void print_event(const struct mc_event *e)
{
    const char *name = e->address ? mc_name(e->address) : "";
    switch (e->kind) {
    case MC_EVENT_LOAD:
        printf("%-9s %s: %s, %s,", "load", name, number(e->old), order_name(e->order));
        print_source(e);
        break;
    case MC_EVENT_STORE:
        printf("%-9s %s = %s, %s", "store", name, number(e->value), order_name(e->order));
        if (e->newer)
            printf(", before the last %u", e->newer);
        break;
    case MC_EVENT_UPDATE:
        print_update(e, "update", name);
        break;
    case MC_EVENT_CAS:
        print_update(e, "swap", name);
        break;
    case MC_EVENT_CAS_FAILED:
        printf("%-9s %s: %s is not %s, %s,", "no swap", name, number(e->old), number(e->value),
               order_name(e->order));
        print_source(e);
        break;
    case MC_EVENT_PLAIN_READ:
        printf("%-9s %s: %s", "read", name, number(e->old));
        break;
    case MC_EVENT_PLAIN_WRITE:
        printf("%-9s %s = %s", "write", name, number(e->old));
        break;
    case MC_EVENT_FENCE:
        printf("%-9s %s", "fence", order_name(e->order));
        break;
    case MC_EVENT_BARRIER:
        if (e->value == MC_NOTHING)
            printf("%-9s reaches nobody", "membarrier");
        else
            printf("%-9s reaches T%d", "membarrier", (int)e->value);
        break;
    case MC_EVENT_WAIT:
        printf("%-9s %s: %s", "futex", name, e->value ? "sleeps" : "another value");
        break;
    case MC_EVENT_WAIT_ENDS:
        printf("%-9s %s: %s", "futex", name, e->value ? "woken" : "timed out");
        break;
    case MC_EVENT_WAKE:
        printf("%-9s %s: %d", "wake", name, (int)e->value);
        break;
    case MC_EVENT_PAUSE:
        printf("%-9s", "goes on");
        break;
    case MC_EVENT_CHOICE:
        printf("%-9s %d", "chooses", (int)e->value);
        break;
    case MC_EVENT_FINISH:
        printf("%-9s", "ends");
        break;
    }
    if (e->file)
        printf("   %s:%d", e->file, e->line);
}

void mc_report(void)
{
    printf("FAIL %s: %s\n", mc.program->name, mc.result->message);
    printf("  schedule (step, thread, operation):\n");
    unsigned first = events_used > EVENTS_SHOWN ? events_used - EVENTS_SHOWN : 0;
    if (first)
        printf("  (%u steps before)\n", first);
    for (unsigned i = first; i < events_used; i++) {
        printf("  %4u T%d ", i + 1, events[i].thread);
        print_event(&events[i]);
        putchar('\n');
    }
    fflush(stdout);
}

// ---- outcomes and main ----

void model_outcome(const char *format, ...)
{
    char text[MODEL_OUTCOME_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct model_result *r = mc.result;
    int i = 0;
    while (i < r->outcomes && strcmp(r->outcome[i], text) < 0)
        i++;
    if (i < r->outcomes && !strcmp(r->outcome[i], text))
        return;
    if (r->outcomes == MODEL_OUTCOMES)
        mc_fail(MODEL_BOUND, "more than %d outcomes", MODEL_OUTCOMES);
    memmove(r->outcome[i + 1], r->outcome[i], (size_t)(r->outcomes - i) * sizeof r->outcome[0]);
    memcpy(r->outcome[i], text, sizeof text);
    r->outcomes++;
}

static bool chosen(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], name))
            return true;
    return argc <= 1;
}

int model_main(const struct model_program *programs, size_t count, int argc, char **argv)
{
    static struct model_result r;
    int passed = 0;
    int failed = 0;
    int code = 0;
    for (size_t i = 0; i < count; i++) {
        if (!chosen(programs[i].name, argc, argv))
            continue;
        enum model_verdict verdict = model_run(&programs[i], &r, 1);
        printf("%s %s: %llu states, %llu executions of at most %u operations, %.2f s\n",
               verdict == MODEL_PASS ? "ok  " : "FAIL", programs[i].name,
               (unsigned long long)r.states, (unsigned long long)r.executions, r.longest,
               r.seconds);
        fflush(stdout);
        if (verdict == MODEL_PASS)
            passed++;
        else
            failed++;
        if (verdict == MODEL_BOUND || verdict == MODEL_MISUSE)
            code = 2;
        else if (verdict != MODEL_PASS && !code)
            code = 1;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return !passed && !failed ? 2 : code;
}
