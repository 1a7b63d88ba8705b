// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// Hartree-Fock: files of molecules and bases, what is wrong with them, and what is made of both.
#include "hf_scene.h"

#include <string.h>

static char message[512];

static void assert_says(const char *expected)
{
    if (!strstr(message, expected))
        fail_msg("'%s' instead of '%s'", message, expected);
    message[0] = '\0';
}

static void refuses_molecule(const char *text, const char *expected)
{
    struct hf_molecule molecule;
    assert_int_equal(hf_molecule_parse(&molecule, "m.xyz", text, message, sizeof message), -1);
    assert_says(expected);
}

static void refuses_basis(const char *text, const char *expected)
{
    struct hf_basis basis;
    assert_int_equal(hf_basis_parse(&basis, "b.basis", text, message, sizeof message), -1);
    assert_says(expected);
}

static void test_hf_files_a_molecule_is_read(void **state)
{
    (void)state;
    struct hf_molecule molecule;
    const char *text = "2\n\nHe 0 1 0\n  Be -1.5\t2e0 .25  \r\n\n";
    assert_int_equal(hf_molecule_parse(&molecule, "m.xyz", text, message, sizeof message), 0);
    assert_int_equal(molecule.atoms, 2);
    assert_int_equal(molecule.atom[0].charge, 2);
    assert_near(molecule.atom[0].at[1], HF_ANGSTROM, 0);
    assert_int_equal(molecule.atom[1].charge, 4);
    assert_near(molecule.atom[1].at[0], -1.5 * HF_ANGSTROM, 1e-15);
    assert_near(molecule.atom[1].at[2], 0.25 * HF_ANGSTROM, 1e-15);
    hf_molecule_free(&molecule);
}

static void test_hf_files_errors_of_a_molecule_name_the_line(void **state)
{
    (void)state;
    refuses_molecule("", "m.xyz:0: the file is empty");
    refuses_molecule("two\n", "m.xyz:1: 'two' is no number of atoms: give 1 to");
    refuses_molecule("0\n", "m.xyz:1: '0' is no number of atoms");
    refuses_molecule("99999\n", "m.xyz:1: '99999' is no number of atoms");
    refuses_molecule("1\n", "the file ends after 0 of 1 atoms");
    refuses_molecule("2\ntitle\nH 0 0 0\n", "m.xyz:3: the file ends after 1 of 2 atoms");
    refuses_molecule("1\ntitle\nH 0 0 0\nH 0 0 1\n", "m.xyz:4: more than the 1 atoms");
    refuses_molecule("1\ntitle\nH 0 0\n", "m.xyz:3: an atom is an element and x, y, z");
    refuses_molecule("1\ntitle\nH 0 0 0 0\n", "m.xyz:3: an atom is an element and x, y, z");
    refuses_molecule("1\ntitle\nXx 0 0 0\n", "m.xyz:3: there is no element 'Xx'");
    refuses_molecule("1\ntitle\nH 0 zero 0\n", "m.xyz:3: 'zero' is no coordinate");
    refuses_molecule("1\ntitle\nH 0 inf 0\n", "m.xyz:3: 'inf' is no coordinate");
    refuses_molecule("2\ntitle\nH 0 0 1\nHe 0 0 1\n", "m.xyz:4: this atom is where atom 1 is");
    char wide[400] = "1\ntitle\nH";
    memset(wide + 9, ' ', 300);
    strcpy(wide + 309, "0 0 0\n");
    refuses_molecule(wide, "m.xyz:3: a line is at most");
}

static void test_hf_files_a_basis_is_read_and_normalised(void **state)
{
    (void)state;
    struct hf_basis basis;
    const char *text = "# two elements\nelement H\ns\n 1 3 # one\nelement Be\ns at 1 -2 .5\n"
                       " 4 1\n 1 2\ns\n 2 1\n";
    assert_int_equal(hf_basis_parse(&basis, "b.basis", text, message, sizeof message), 0);
    assert_int_equal(basis.shells, 3);
    assert_int_equal(basis.shell[0].charge, 1);
    assert_near(basis.primitive[0].factor, pow(2 / M_PI, 0.75), 1e-15); // whatever its coefficient
    assert_int_equal(basis.shell[1].count, 2);
    assert_near(basis.shell[1].at[1], -2, 0);
    // The overlap of normalised s Gaussians of exponents 4 and 1 is (4/5)^(3/2).
    double norm = sqrt(1 + 4 + 2 * 2 * pow(0.8, 1.5));
    assert_near(basis.primitive[1].factor, pow(8 / M_PI, 0.75) / norm, 1e-15);
    assert_near(basis.primitive[2].factor, 2 * pow(2 / M_PI, 0.75) / norm, 1e-15);
    assert_int_equal(basis.shell[2].first, 3);
    hf_basis_free(&basis);
}

static void test_hf_files_errors_of_a_basis_name_the_line(void **state)
{
    (void)state;
    refuses_basis("", "b.basis:0: the file ends without an element");
    refuses_basis("s\n", "b.basis:1: a function before the first 'element'");
    refuses_basis("1 1\n", "b.basis:1: an exponent before the first 's'");
    refuses_basis("element\n", "b.basis:1: 'element' is followed by one symbol");
    refuses_basis("element H He\n", "b.basis:1: 'element' is followed by one symbol");
    refuses_basis("element X\n", "b.basis:1: there is no element 'X'");
    refuses_basis("element H\n", "b.basis:1: the element before has no function");
    refuses_basis("element H\nelement He\n", "b.basis:2: the element before has no function");
    refuses_basis("element H\n1 1\n", "b.basis:2: an exponent before the first 's'");
    refuses_basis("element H\ns\n", "b.basis:2: the function before has no exponent");
    refuses_basis("element H\ns\ns\n", "b.basis:3: the function before has no exponent");
    refuses_basis("element H\ns\n1 1\nelement He\n2 1\n", "b.basis:5: an exponent before");
    refuses_basis("element H\ns\n1 1\nelement H\n", "b.basis:4: the functions of H stand above");
    refuses_basis("element H\ns at 1 2\n", "b.basis:2: 's' stands alone, or before 'at X Y Z'");
    refuses_basis("element H\ns to 1 2 3\n", "b.basis:2: 's' stands alone");
    refuses_basis("element H\ns at 1 2 z\n", "b.basis:2: 'z' is no coordinate");
    refuses_basis("element H\ns at 1 2 1e9\n", "b.basis:2: '1e9' is no coordinate");
    refuses_basis("element H\np\n1 1\n", "b.basis:2: 'p' is neither 'element' nor 's'");
    refuses_basis("element H\ns\n0 1\n", "b.basis:3: '0' is no exponent: give");
    refuses_basis("element H\ns\n-1 1\n", "b.basis:3: '-1' is no exponent");
    refuses_basis("element H\ns\n1\n", "b.basis:3: an exponent is followed by its coefficient");
    refuses_basis("element H\ns\n1 one\n", "b.basis:3: an exponent is followed by its coeff");
    refuses_basis("element H\ns\n1 1 1\n", "b.basis:3: an exponent is followed by its coeff");
    refuses_basis("element H\ns\n1 0\n", "b.basis:3: the function before is zero everywhere");
    refuses_basis("element H\ns\n1 1\n1 -1\ns\n1 1\n", "b.basis:5: the function before is zero");
    char many[4096] = "element H\ns\n";
    for (int i = 0; i <= HF_PRIMITIVES_MAX; i++)
        strcat(many, "1 1\n");
    refuses_basis(many, "b.basis:23: more than 20 exponents");
}

static void test_hf_files_what_is_built_in_can_be_read(void **state)
{
    (void)state;
    struct hf_system system;
    hf_scene(&system, 3, NULL, "be-chain", 0);
    assert_int_equal(system.functions, 45);
    assert_int_equal(system.pairs, 6);
    assert_near(system.function[15 + 10].at[0], 4 - 1.6, 1e-15);
    assert_near(system.function[30 + 13].at[2], 1.6, 0);
    assert_near(hf_system_repulsion(&system), 16 / 4.0 + 16 / 4.0 + 16 / 8.0, 1e-14);
    hf_system_free(&system);
    hf_scene(&system, 0, "h2", "sto-3g", 0);
    assert_near(hf_system_repulsion(&system), 1 / 1.4, 1e-9);
    hf_system_free(&system);
    hf_scene(&system, 0, "he", "sto-3g", 0);
    assert_int_equal(system.pairs, 1);
    hf_system_free(&system);
    hf_scene(&system, 0, "heh+", "sto-3g", 1);
    assert_int_equal(system.pairs, 1);
    assert_near(hf_system_repulsion(&system), 2 / 1.4632, 1e-9);
    hf_system_free(&system);
}

static void test_hf_files_absent_ones_are_named(void **state)
{
    (void)state;
    struct hf_molecule molecule;
    struct hf_basis basis;
    assert_int_equal(hf_molecule_open(&molecule, "/none.xyz", message, sizeof message), -1);
    assert_says("/none.xyz: cannot be read: No such file");
    assert_int_equal(hf_basis_open(&basis, "/none.basis", message, sizeof message), -1);
    assert_says("/none.basis: cannot be read: No such file");
}

static void refuses_system(const char *geometry, const char *basis_name, int charge,
                           const char *expected)
{
    struct hf_molecule molecule;
    struct hf_basis basis;
    struct hf_system system;
    assert_int_equal(hf_molecule_open(&molecule, geometry, message, sizeof message), 0);
    assert_int_equal(hf_basis_open(&basis, basis_name, message, sizeof message), 0);
    assert_int_equal(hf_system_make(&system, &molecule, &basis, charge, message, sizeof message),
                     -1);
    hf_molecule_free(&molecule);
    hf_basis_free(&basis);
    assert_says(expected);
}

static void test_hf_files_impossible_systems_are_refused(void **state)
{
    (void)state;
    refuses_system("h2", "be-chain", 0, "the basis has no functions for H");
    refuses_system("heh+", "sto-3g", 0, "with charge 0 there are 3 electrons");
    refuses_system("h2", "sto-3g", 2, "with charge 2 there are 0 electrons");
    refuses_system("h2", "sto-3g", 4, "with charge 4 there are -2 electrons");
    refuses_system("he", "sto-3g", -2, "4 electrons do not fit into 1 functions");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hf_files_a_molecule_is_read),
        cmocka_unit_test(test_hf_files_errors_of_a_molecule_name_the_line),
        cmocka_unit_test(test_hf_files_a_basis_is_read_and_normalised),
        cmocka_unit_test(test_hf_files_errors_of_a_basis_name_the_line),
        cmocka_unit_test(test_hf_files_what_is_built_in_can_be_read),
        cmocka_unit_test(test_hf_files_absent_ones_are_named),
        cmocka_unit_test(test_hf_files_impossible_systems_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
