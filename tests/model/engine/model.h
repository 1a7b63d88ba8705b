// SPDX-License-Identifier: Apache-2.0
// The model checker: include/twill/atomic.h in instrumented form, and how to write a program.
//
// Build: every engine/*.c into a static library; every tests/model/*.c into a program linked to it;
// all with -DTWI_MODEL -Itests/model/engine -Iinclude -Isrc (optimised, without sanitizers: the
// threads are coroutines). docs/model-checker.md has the memory model, its limits and an example.
//
// Rules for a program, which the engine cannot check in full:
//  - setup() brings all memory to the same state each time; threads are deterministic but for what
//    these macros return.
//  - threads share memory through the macros only, or through the ghost memory of the program.
//  - an unbounded spin loop calls TWI_PAUSE() in each turn, and a turn that reads the same values
//    as the turn before leaves the same local state.
#ifndef MODEL_H
#define MODEL_H

#include <stddef.h>
#include <stdint.h>

// Half of an 8-byte object is loaded by its own address; the macros only take the type from there.
#pragma GCC diagnostic ignored "-Wstrict-aliasing"

// ---- the macros of twill/atomic.h, on objects of 4 or 8 bytes ----

#define TWI_RELAXED __ATOMIC_RELAXED
#define TWI_ACQUIRE __ATOMIC_ACQUIRE
#define TWI_RELEASE __ATOMIC_RELEASE
#define TWI_ACQ_REL __ATOMIC_ACQ_REL
#define TWI_SEQ_CST __ATOMIC_SEQ_CST

#define MODEL_SITE __FILE__, __LINE__
#define MODEL_WORD(value) ((uint64_t)(uintptr_t)(value))
#define MODEL_TYPED(object, word) __extension__({ (__typeof__(*(object)))(uintptr_t)(word); })
#define MODEL_UPDATE(object, change, value, order)                                                 \
    MODEL_TYPED(object, model_update((object), sizeof(*(object)), (change), MODEL_WORD(value),     \
                                     (order), MODEL_SITE))

#define TWI_LOAD(object, order)                                                                    \
    MODEL_TYPED(object, model_load((object), sizeof(*(object)), (order), MODEL_SITE))
// The only writer always reads its own newest write.
#define TWI_LOAD_OWN(object) TWI_LOAD(object, TWI_RELAXED)
#define TWI_STORE(object, value, order)                                                            \
    model_store((object), sizeof(*(object)), MODEL_WORD(value), (order), MODEL_SITE)
#define TWI_EXCHANGE(object, value, order) MODEL_UPDATE(object, MODEL_SET, value, order)
#define TWI_FETCH_ADD(object, value, order) MODEL_UPDATE(object, MODEL_ADD, value, order)
#define TWI_FETCH_SUB(object, value, order) MODEL_UPDATE(object, MODEL_SUB, value, order)
#define TWI_FETCH_AND(object, value, order) MODEL_UPDATE(object, MODEL_AND, value, order)
#define TWI_FETCH_OR(object, value, order) MODEL_UPDATE(object, MODEL_OR, value, order)
#define TWI_CAS(object, expected, value, success, failure)                                         \
    model_cas((object), sizeof(*(object)), (expected), MODEL_WORD(value), (success), (failure),    \
              MODEL_SITE)
#define TWI_FENCE(order) model_fence((order), MODEL_SITE)
#define TWI_COMPILER_FENCE() ((void)0)

#define TWI_READ(lvalue)                                                                           \
    (*(__typeof__(&(lvalue)))model_plain_read(&(lvalue), sizeof(lvalue), MODEL_SITE))
#define TWI_WRITE(lvalue, value) MODEL_WRITE_AS(__COUNTER__, lvalue, value)
#define TWI_WRITE_ALONE(lvalue, value) TWI_WRITE(lvalue, value)
#define MODEL_WRITE_AS(n, lvalue, value) MODEL_WRITE_NAMED(n, lvalue, value)
#define MODEL_WRITE_NAMED(n, lvalue, value)                                                        \
    __extension__({                                                                                \
        __typeof__(&(lvalue)) model_target##n = &(lvalue);                                         \
        *model_target##n = (value);                                                                \
        model_plain_write(model_target##n, sizeof(*model_target##n), MODEL_SITE);                  \
    })

// The turn of an unbounded spin loop: waits until one of the locations read since the last
// TWI_PAUSE has a write this thread has not seen.
#define TWI_PAUSE() model_pause(MODEL_SITE)

enum model_change { MODEL_SET, MODEL_ADD, MODEL_SUB, MODEL_AND, MODEL_OR };

uint64_t model_load(const volatile void *object, size_t size, int order, const char *file,
                    int line);
void model_store(volatile void *object, size_t size, uint64_t value, int order, const char *file,
                 int line);
uint64_t model_update(volatile void *object, size_t size, enum model_change change,
                      uint64_t operand, int order, const char *file, int line);
int model_cas(volatile void *object, size_t size, void *expected, uint64_t value, int success,
              int failure, const char *file, int line);
void model_fence(int order, const char *file, int line);
void *model_plain_read(const volatile void *object, size_t size, const char *file, int line);
void model_plain_write(const volatile void *object, size_t size, const char *file, int line);
void model_pause(const char *file, int line);

// ---- what src/base/os.h declares ----

// Each other thread passes a seq_cst fence at a moment of its own during the call.
void twi_membarrier(void);
// 0: woken; -EAGAIN: the newest value is not the expected one; -ETIMEDOUT: only if timeout_ns >= 0,
// and then at any moment.
int twi_futex_wait(uint32_t *word, uint32_t expected, int64_t timeout_ns);
// Wakes any `count` of the threads that wait; returns how many.
int twi_futex_wake(uint32_t *word, int count);

// ---- programs ----

struct model_program {
    const char *name;
    int threads; // at most 8
    void (*setup)(void);
    void (*thread)(int id);
    void (*check)(void); // may be NULL; runs after all threads, and sees all they did
    void *ghost;         // oracle memory, zeroed before setup(); its contents are part of a state
    size_t ghost_size;
    int append_only;         // leave out stores that land before a store already made (2+2W)
    uint64_t states_max;     // 0: 50 million; more states than this fail
    unsigned operations_max; // in one execution; 0: 5,000; longer executions fail
    int no_rehearsal;        // without the random executions that come first
};

enum model_verdict {
    MODEL_PASS,
    MODEL_ASSERT,   // model_assert
    MODEL_RACE,     // plain accesses that nothing orders
    MODEL_DEADLOCK, // every unfinished thread waits
    MODEL_BOUND,    // too large: nothing was shown
    MODEL_MISUSE,   // a rule above was broken
};

enum { MODEL_OUTCOMES = 1024, MODEL_OUTCOME_SIZE = 40 };

struct model_result {
    enum model_verdict verdict;
    uint64_t states;
    uint64_t executions;
    unsigned longest; // operations of the longest execution
    double seconds;
    char message[400];
    int outcomes; // distinct strings given to model_outcome, sorted
    char outcome[MODEL_OUTCOMES][MODEL_OUTCOME_SIZE];
};

// Explores every behaviour of the program. With `report` a failure is printed to standard output
// with its schedule.
enum model_verdict model_run(const struct model_program *program, struct model_result *result,
                             int report);
// A main(): runs the programs (argv: only those named), a line each, then "N passed, N failed".
// Returns 0, 1 when a behaviour is wrong, 2 when a program is too large or misused.
int model_main(const struct model_program *programs, size_t count, int argc, char **argv);

#define model_assert(condition, ...)                                                               \
    ((condition) ? (void)0 : model_assert_failed(#condition, MODEL_SITE, __VA_ARGS__))
void model_assert_failed(const char *condition, const char *file, int line, const char *format, ...)
    __attribute__((noreturn, cold, format(printf, 4, 5)));

// In check(): adds a line to the result's outcomes.
void model_outcome(const char *format, ...) __attribute__((format(printf, 1, 2)));
// In setup(): how reports call the location.
void model_name(const volatile void *object, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Any of 0 .. count-1, all of them explored.
unsigned model_choose(unsigned count);
// The local state of the calling thread now depends on `value`: for what it read from ghost memory.
void model_observe(uint64_t value);
// A promise: what the calling thread does from here on, and what check() finds, depends only on
// `key`, on what it will read, and on instrumented and ghost memory. Lets states meet again.
#define model_forget(key) model_forget_at((key), MODEL_SITE)
void model_forget_at(uint64_t key, const char *file, int line);
// Zeroed memory at an address that depends only on the thread and its earlier calls; 64-aligned.
void *model_alloc(size_t size);

#endif
