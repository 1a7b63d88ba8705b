// SPDX-License-Identifier: Apache-2.0
// Tells ASan, TSan and valgrind about stacks of our own. Nothing in ordinary builds.
#ifndef TWI_SANITIZE_H
#define TWI_SANITIZE_H

#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define TWI_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TWI_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define TWI_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TWI_TSAN 1
#endif
#endif

#ifdef TWI_ASAN
#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef TWI_TSAN
#include <sanitizer/tsan_interface.h>
#endif
#if defined(TWI_VALGRIND)
#include <valgrind/valgrind.h>
#endif

// What the tools keep for each stack.
struct twi_sanitize {
#ifdef TWI_ASAN
    void *fake_stack;
#endif
#ifdef TWI_TSAN
    void *fiber;
#endif
    unsigned stack_id; // valgrind's; here in every build, for tests are compiled without its header
    const void *low;
    size_t size;
};

static inline void twi_sanitize_make(struct twi_sanitize *s, const void *low, size_t size)
{
    s->low = low;
    s->size = size;
#ifdef TWI_TSAN
    s->fiber = __tsan_create_fiber(0);
#endif
#ifdef TWI_VALGRIND
    s->stack_id = VALGRIND_STACK_REGISTER(low, (const char *)low + size);
#endif
}

static inline void twi_sanitize_free(struct twi_sanitize *s)
{
    (void)s;
#ifdef TWI_ASAN
    __asan_unpoison_memory_region(s->low, s->size);
#endif
#ifdef TWI_TSAN
    __tsan_destroy_fiber(s->fiber);
#endif
#ifdef TWI_VALGRIND
    VALGRIND_STACK_DEREGISTER(s->stack_id);
#endif
}

// The stack the calling thread runs on already. ASan must be told where it is when the thread comes
// back to it: it would not look for pointers there otherwise and call what they point to leaked.
static inline void twi_sanitize_adopt(struct twi_sanitize *s)
{
    s->low = NULL;
    s->size = 0;
#ifdef TWI_ASAN
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        void *low;
        if (pthread_attr_getstack(&attributes, &low, &s->size) == 0)
            s->low = low;
        pthread_attr_destroy(&attributes);
    }
#endif
#ifdef TWI_TSAN
    s->fiber = __tsan_get_current_fiber();
#endif
}

// Right before a switch from one stack to another.
static inline void twi_sanitize_leave(struct twi_sanitize *from, struct twi_sanitize *to)
{
    (void)from;
    (void)to;
#ifdef TWI_ASAN
    __sanitizer_start_switch_fiber(&from->fake_stack, to->low, to->size);
#endif
#ifdef TWI_TSAN
    __tsan_switch_to_fiber(to->fiber, 0);
#endif
}

// First thing on the stack switched to; `fresh` when it never ran before.
static inline void twi_sanitize_enter(struct twi_sanitize *self, int fresh)
{
    (void)self;
    (void)fresh;
#ifdef TWI_ASAN
    __sanitizer_finish_switch_fiber(fresh ? NULL : self->fake_stack, NULL, NULL);
#endif
}

// Something goes to another thread by way of the system, which TSan does not see; and comes there.
static inline void twi_sanitize_send(void *what)
{
    (void)what;
#ifdef TWI_TSAN
    __tsan_release(what);
#endif
}

static inline void twi_sanitize_receive(void *what)
{
    (void)what;
#ifdef TWI_TSAN
    __tsan_acquire(what);
#endif
}

#endif
