// SPDX-License-Identifier: Apache-2.0
// A stack that overflows runs into its guard page. The handler, on a stack of its own, says which
// task it was and which setting helps, then lets the fault take its course. Faults elsewhere go to
// whoever handled them before.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sched/sched.h"

enum { SIGNAL_STACK = 64 * 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned watchers;
static struct sigaction before;

static void say_overflow(const struct twi_fiber *fiber)
{
    char text[256];
    int length = snprintf(text, sizeof text,
                          "twill: stack overflow in task '%s': its stack has %zu KiB; set "
                          "TWILL_STACK_SIZE (or the option stack-size) to a larger value\n",
                          fiber->running ? fiber->running : "?",
                          (size_t)((const char *)fiber - fiber->stack_low) / 1024 + 1);
    if (length > 0 && write(STDERR_FILENO, text, (size_t)length) < 0)
        return;
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    struct twi_worker *w = twi_worker_maybe();
    if (w && w->active && twi_fiber_guards(twi_fiber_of(w->active), info->si_addr)) {
        say_overflow(twi_fiber_of(w->active));
        struct sigaction usual = {.sa_handler = SIG_DFL};
        sigaction(signal, &usual, NULL);
    } else if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(signal, info, context);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        before.sa_handler(signal);
    } else {
        sigaction(signal, &before, NULL);
    }
}

static void handler_install(void)
{
    struct sigaction ours = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&ours.sa_mask);
    pthread_mutex_lock(&lock);
    if (watchers++ == 0)
        sigaction(SIGSEGV, &ours, &before);
    pthread_mutex_unlock(&lock);
}

static void handler_remove(void)
{
    struct sigaction now;
    pthread_mutex_lock(&lock);
    if (--watchers == 0 && sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_sigaction == on_fault)
        sigaction(SIGSEGV, &before, NULL);
    pthread_mutex_unlock(&lock);
}

// A thread that has a signal stack already keeps it.
int twi_overflow_watch(struct twi_worker *w)
{
    stack_t stack;
    if (sigaltstack(NULL, &stack) == 0 && stack.ss_flags & SS_DISABLE) {
        w->signal_stack = malloc(SIGNAL_STACK);
        if (!w->signal_stack)
            return TW_ENOMEM;
        stack_t ours = {.ss_sp = w->signal_stack, .ss_size = SIGNAL_STACK};
        sigaltstack(&ours, NULL);
    }
    handler_install();
    return 0;
}

void twi_overflow_unwatch(struct twi_worker *w)
{
    handler_remove();
    if (!w->signal_stack)
        return;
    stack_t none = {.ss_flags = SS_DISABLE};
    sigaltstack(&none, NULL);
    free(w->signal_stack);
}

void twi_overflow_hold(void)
{
    pthread_mutex_lock(&lock);
}

void twi_overflow_release(void)
{
    pthread_mutex_unlock(&lock);
}
