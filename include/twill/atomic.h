// SPDX-License-Identifier: Apache-2.0
// Atomic operations as Twill uses them: explicit orders only, on plain objects, in C and in C++.
//
// Every lock-free part of Twill is written with these macros and nothing else, so that the model
// checker (tests/model/) can run the same source with each operation instrumented: with TWI_MODEL
// defined, model.h supplies them all.
//
// TWI_READ and TWI_WRITE mark plain accesses to memory that another thread may touch at another
// time (a slot's contents, a fiber's owner fields). They compile to the bare access; the checker
// reports a race when nothing orders them. TWI_WRITE_ALONE is one that the compiler may not join
// with its neighbour: by way of a vector register two words together take longer.
//
// TWI_COMPILER_FENCE alone never orders two threads. It is the cheap half of an asymmetric fence
// whose other half is twi_membarrier(), which makes every running thread of the process pass a
// full fence (src/base/os.h).
#ifndef TWILL_ATOMIC_H
#define TWILL_ATOMIC_H

#ifdef TWI_MODEL
#include "model.h"
#else

#define TWI_RELAXED __ATOMIC_RELAXED
#define TWI_ACQUIRE __ATOMIC_ACQUIRE
#define TWI_RELEASE __ATOMIC_RELEASE
#define TWI_ACQ_REL __ATOMIC_ACQ_REL
#define TWI_SEQ_CST __ATOMIC_SEQ_CST

#define TWI_LOAD(object, order) __atomic_load_n((object), (order))
#define TWI_STORE(object, value, order) __atomic_store_n((object), (value), (order))
#define TWI_EXCHANGE(object, value, order) __atomic_exchange_n((object), (value), (order))
#define TWI_FETCH_ADD(object, value, order) __atomic_fetch_add((object), (value), (order))
#define TWI_FETCH_SUB(object, value, order) __atomic_fetch_sub((object), (value), (order))
#define TWI_FETCH_AND(object, value, order) __atomic_fetch_and((object), (value), (order))
#define TWI_FETCH_OR(object, value, order) __atomic_fetch_or((object), (value), (order))
// Strong compare-and-swap: true when *object was *expected and now is value; else *expected is
// what was found.
#define TWI_CAS(object, expected, value, success, failure)                                         \
    __atomic_compare_exchange_n((object), (expected), (value), 0, (success), (failure))
#define TWI_FENCE(order) __atomic_thread_fence(order)
#define TWI_COMPILER_FENCE() __atomic_signal_fence(__ATOMIC_SEQ_CST)

// A load by the only thread that ever writes the object.
#define TWI_LOAD_OWN(object) (*(object))

#define TWI_READ(lvalue) (lvalue)
#define TWI_WRITE(lvalue, value) ((void)((lvalue) = (value)))
#define TWI_WRITE_ALONE(lvalue, value) __atomic_store_n(&(lvalue), (value), __ATOMIC_RELAXED)

#endif
#endif
