// SPDX-License-Identifier: Apache-2.0
// reducer.h in the sequential elision: one view, which nothing is merged with.
#ifndef TWILL_SERIAL_REDUCER_H
#define TWILL_SERIAL_REDUCER_H

#undef TW_REDUCER
#define TW_REDUCER(type, name, identity, combine)                                                  \
    typedef type twi_viewed_##name;                                                                \
    struct tw_reducer_##name {                                                                     \
        twi_viewed_##name value;                                                                   \
    };                                                                                             \
    static inline __attribute__((unused)) void twi_first_##name(struct tw_reducer_##name *reducer) \
    {                                                                                              \
        twi_viewed_##name value = identity;                                                        \
        reducer->value = value;                                                                    \
    }                                                                                              \
    static inline __attribute__((unused)) twi_viewed_##name twi_merge_##name(                      \
        TWI_UNUSED twi_viewed_##name a, TWI_UNUSED twi_viewed_##name b)                            \
    {                                                                                              \
        return combine;                                                                            \
    }

#undef tw_reducer_open
#undef tw_view
#undef tw_reducer_close
#define tw_reducer_open(name, reducer) twi_first_##name(reducer)
#define tw_view(name, reducer) (&(reducer)->value)
#define tw_reducer_close(name, reducer) ((reducer)->value)

#endif
