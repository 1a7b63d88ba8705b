// SPDX-License-Identifier: Apache-2.0
// What the tests of Hartree-Fock share.
#ifndef TEST_HF_SCENE_H
#define TEST_HF_SCENE_H

#include "support.h"

#include <math.h>

#include "apps/hf/system.h"

#define assert_near(found, expected, within)                                                       \
    do {                                                                                           \
        double found_ = (found), expected_ = (expected);                                           \
        if (!(fabs(found_ - expected_) <= (within)))                                               \
            fail_msg("%s is %.17g instead of %.17g", #found, found_, expected_);                   \
    } while (0)

// A chain, or a molecule that is built in.
static inline void hf_scene(struct hf_system *system, size_t atoms, const char *geometry,
                            const char *basis_name, int charge)
{
    char message[512];
    struct hf_molecule molecule;
    struct hf_basis basis;
    if ((geometry ? hf_molecule_open(&molecule, geometry, message, sizeof message)
                  : hf_molecule_chain(&molecule, atoms, message, sizeof message)) != 0 ||
        hf_basis_open(&basis, basis_name, message, sizeof message) != 0 ||
        hf_system_make(system, &molecule, &basis, charge, message, sizeof message) != 0)
        fail_msg("%s", message);
    hf_molecule_free(&molecule);
    hf_basis_free(&basis);
}

#endif
