// SPDX-License-Identifier: Apache-2.0
// What every public header needs: the export mark and the error codes.
#ifndef TWILL_API_H
#define TWILL_API_H

#define TW_API __attribute__((visibility("default")))
#define TWI_INLINE static inline __attribute__((always_inline, unused))
#define TWI_UNUSED __attribute__((unused))
#ifdef __cplusplus
#define TWI_STATIC_ASSERT(condition, text) static_assert(condition, text)
#else
#define TWI_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif

// After a field that macros leave out: zero either way, but C++ warns unless it is told.
#ifdef __cplusplus
#define TWI_ZERO = {}
#else
#define TWI_ZERO
#endif

// Calls that can fail return 0 or one of these. tw_strerror() has a sentence for each.
enum tw_error {
    TW_EINVAL = -1,    // an argument or a setting is out of range
    TW_ENOMEM = -2,    // no memory for stacks or workers
    TW_EAGAIN = -3,    // the system refused another thread
    TW_ENOENT = -4,    // no setting of that name
    TW_ERANGE = -5,    // the buffer given is too small
    TW_ECANCELED = -6, // the work was cancelled
    TW_ETIMEDOUT = -7, // its time was up
    TW_EIO = -8,       // a file cannot be written
    TW_EALREADY = -9,  // it was done before
    TW_EDEADLK = -10,  // who waits is what it waits for, or waits in a circle
    TW_EPIPE = -11,    // nobody is left at the other end
};

// What the system itself refused, as an error code: its errno and back (0: not one of these).
#define TW_SYSTEM(number) (-1000 - (number))
#define TW_ERRNO(error) ((error) < -1000 ? -1000 - (error) : 0)

// A deadline that never comes. Deadlines are in nanoseconds, on the clock of tw_now_ns().
#define TW_NEVER UINT64_MAX

#endif
