// SPDX-License-Identifier: Apache-2.0
// loop.h in the sequential elision: loops are loops, a reduction is the same tree.
#ifndef TWILL_SERIAL_LOOP_H
#define TWILL_SERIAL_LOOP_H

#define TWI_LOOP(name, dimensions, A, B, C, ...)                                                   \
    struct twi_self_##name __VA_ARGS__;                                                            \
    enum { twi_dimensions_##name = (dimensions) };                                                 \
    static inline __attribute__((unused)) void twi_each_##name(                                    \
        TWI_UNUSED const struct twi_self_##name self, TWI_INDICES(A, B, C))

#define TWI_EACH(name, a, b, c)                                                                    \
    if (twi_serial_innermost && tw_cancelled())                                                    \
        break;                                                                                     \
    twi_each_##name(twi_self, a, b, c)

#define TWI_FORASYNC(name, n, ranges, ...)                                                         \
    do {                                                                                           \
        const struct tw_range twi_ranges[3] = TWI_BARE ranges;                                     \
        const struct twi_self_##name twi_self = {__VA_ARGS__};                                     \
        struct twi_space twi_space;                                                                \
        TWI_DIMENSIONS_ARE(name, n);                                                               \
        if (twi_space_fill(&twi_space, twi_ranges, 0))                                             \
            TWI_FAIL_AS(#name, TW_EINVAL);                                                         \
        else                                                                                       \
            TWI_EACH_ROW(&twi_space, 0, twi_space.total, TWI_EACH, name)                           \
    } while (0)

#define TWI_REDUCE(type, name, dimensions, A, B, C, identity, combine, ...)                        \
    struct twi_self_##name __VA_ARGS__;                                                            \
    enum { twi_dimensions_##name = (dimensions) };                                                 \
    typedef type tw_result_##name;                                                                 \
    static inline type twi_each_##name(TWI_UNUSED const struct twi_self_##name self,               \
                                       TWI_INDICES(A, B, C));                                      \
    static inline __attribute__((unused)) type twi_combine_##name(type const a, type const b)      \
    {                                                                                              \
        return combine;                                                                            \
    }                                                                                              \
    static inline __attribute__((unused)) type twi_identity_##name(void)                           \
    {                                                                                              \
        return identity;                                                                           \
    }                                                                                              \
    static __attribute__((unused))                                                                 \
    type twi_fold_##name(const struct twi_space *space, const struct twi_self_##name *twi_whole,   \
                         int64_t begin, int64_t end)                                               \
    {                                                                                              \
        const struct twi_self_##name twi_self = *twi_whole;                                        \
        type value = twi_identity_##name();                                                        \
        if (end - begin <= space->most) {                                                          \
            TWI_EACH_ROW(space, begin, end, TWI_COMBINE, name)                                     \
            return value;                                                                          \
        }                                                                                          \
        int64_t middle = begin + (end - begin) / 2;                                                \
        value = twi_fold_##name(space, twi_whole, begin, middle);                                  \
        return twi_combine_##name(value, twi_fold_##name(space, twi_whole, middle, end));          \
    }                                                                                              \
    static inline type twi_each_##name(TWI_UNUSED const struct twi_self_##name self,               \
                                       TWI_INDICES(A, B, C))

#define TWI_COMBINE(name, a, b, c)                                                                 \
    value = twi_combine_##name(value, twi_each_##name(twi_self, a, b, c))

#define TWI_FOLD(name, n, ranges, ...)                                                             \
    (__extension__({                                                                               \
        const struct tw_range twi_ranges[3] = TWI_BARE ranges;                                     \
        const struct twi_self_##name twi_self = {__VA_ARGS__};                                     \
        struct twi_space twi_space;                                                                \
        tw_result_##name twi_folded = twi_identity_##name();                                       \
        TWI_DIMENSIONS_ARE(name, n);                                                               \
        if (twi_space_fill(&twi_space, twi_ranges, 1))                                             \
            TWI_FAIL_AS(#name, TW_EINVAL);                                                         \
        else if (twi_space.total)                                                                  \
            twi_folded = twi_fold_##name(&twi_space, &twi_self, 0, twi_space.total);               \
        twi_folded;                                                                                \
    }))

#endif
