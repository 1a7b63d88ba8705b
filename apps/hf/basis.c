// SPDX-License-Identifier: Apache-2.0
// Files of bases: `element`, its functions, their primitives.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/hf/data.h"
#include "apps/hf/system.h"
#include "apps/lines.h"

#define EXPONENT_LEAST 1e-6
#define EXPONENT_MOST 1e9
#define SHELLS_MAX 1000
#define FARTHEST 1000.0 // bohr, of a function from its nucleus

struct parser {
    struct app_lines lines;
    struct hf_basis *basis;
    unsigned charge; // of the element whose functions follow; 0: none yet
};

static struct hf_shell *last_shell(struct parser *parser)
{
    return &parser->basis->shell[parser->basis->shells - 1];
}

// Whether the element has a function.
static int has_shell(const struct hf_basis *basis, unsigned charge)
{
    return basis->shells > 0 && basis->shell[basis->shells - 1].charge == charge;
}

// The integral of the square of what the primitives sum up to; their factors are the file's.
static double norm2(const struct hf_primitive *primitive, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            double a = primitive[i].exponent, b = primitive[j].exponent;
            double overlap = pow(2 * sqrt(a * b) / (a + b), 1.5);
            sum += primitive[i].factor * primitive[j].factor * overlap;
        }
    return sum;
}

// The file gives coefficients of normalised primitives. The function becomes normalised, too.
static int end_shell(struct parser *parser)
{
    if (parser->basis->shells == 0)
        return 0;
    const struct hf_shell *shell = last_shell(parser);
    if (shell->count == 0)
        return app_lines_complain(&parser->lines, "the function before has no exponent");
    struct hf_primitive *primitive = &parser->basis->primitive[shell->first];
    double norm = sqrt(norm2(primitive, shell->count));
    if (!(norm > 1e-6))
        return app_lines_complain(&parser->lines, "the function before is zero everywhere");
    for (size_t i = 0; i < shell->count; i++)
        primitive[i].factor *= pow(2 * primitive[i].exponent / M_PI, 0.75) / norm;
    return 0;
}

static int end_element(struct parser *parser)
{
    if (parser->charge != 0 && !has_shell(parser->basis, parser->charge))
        return app_lines_complain(&parser->lines, "the element before has no function");
    return end_shell(parser);
}

static int begin_element(struct parser *parser, char *words[], size_t count)
{
    struct hf_basis *basis = parser->basis;
    if (end_element(parser) != 0)
        return -1;
    if (count != 2)
        return app_lines_complain(&parser->lines, "'element' is followed by one symbol");
    parser->charge = hf_element_charge(words[1]);
    if (parser->charge == 0)
        return app_lines_complain(&parser->lines, "there is no element '%.40s': give H to Ar",
                                  words[1]);
    for (size_t i = 0; i < basis->shells; i++)
        if (basis->shell[i].charge == parser->charge)
            return app_lines_complain(&parser->lines, "the functions of %s stand above", words[1]);
    return 0;
}

static int parse_place(struct parser *parser, char *words[], size_t count, double at[3])
{
    if (count == 1)
        return 0;
    if (count != 5 || strcmp(words[1], "at") != 0)
        return app_lines_complain(&parser->lines, "'s' stands alone, or before 'at X Y Z' in bohr");
    for (int axis = 0; axis < 3; axis++)
        if (!app_lines_real(words[2 + axis], &at[axis]) || fabs(at[axis]) > FARTHEST)
            return app_lines_complain(&parser->lines, "'%.40s' is no coordinate: give -%g to %g",
                                      words[2 + axis], FARTHEST, FARTHEST);
    return 0;
}

static int begin_shell(struct parser *parser, char *words[], size_t count)
{
    struct hf_basis *basis = parser->basis;
    if (parser->charge == 0)
        return app_lines_complain(&parser->lines, "a function before the first 'element'");
    if (has_shell(basis, parser->charge) && end_shell(parser) != 0)
        return -1;
    if (basis->shells == SHELLS_MAX)
        return app_lines_complain(&parser->lines, "more than %d functions", SHELLS_MAX);
    struct hf_shell shell = {.charge = parser->charge, .first = basis->primitives};
    if (parse_place(parser, words, count, shell.at) != 0)
        return -1;
    basis->shell[basis->shells++] = shell;
    return 0;
}

static int parse_primitive(struct parser *parser, char *words[], size_t count)
{
    struct hf_basis *basis = parser->basis;
    struct hf_primitive primitive;
    if (!app_lines_real(words[0], &primitive.exponent))
        return app_lines_complain(&parser->lines,
                                  "'%.40s' is neither 'element' nor 's' nor an exponent; functions "
                                  "of other kinds than s are not known",
                                  words[0]);
    if (parser->charge == 0 || !has_shell(basis, parser->charge))
        return app_lines_complain(&parser->lines, "an exponent before the first 's'");
    if (primitive.exponent < EXPONENT_LEAST || primitive.exponent > EXPONENT_MOST)
        return app_lines_complain(&parser->lines, "'%.40s' is no exponent: give %g to %g", words[0],
                                  EXPONENT_LEAST, EXPONENT_MOST);
    if (count != 2 || !app_lines_real(words[1], &primitive.factor))
        return app_lines_complain(&parser->lines, "an exponent is followed by its coefficient");
    if (last_shell(parser)->count == HF_PRIMITIVES_MAX)
        return app_lines_complain(&parser->lines, "more than %d exponents in a function",
                                  HF_PRIMITIVES_MAX);
    basis->primitive[basis->primitives++] = primitive;
    last_shell(parser)->count++;
    return 0;
}

static int parse_line(struct parser *parser)
{
    char *words[5];
    size_t count = app_lines_words(parser->lines.text, words, 5);
    if (strcmp(words[0], "element") == 0)
        return begin_element(parser, words, count);
    if (strcmp(words[0], "s") == 0)
        return begin_shell(parser, words, count);
    return parse_primitive(parser, words, count);
}

static int parse(struct parser *parser)
{
    int found;
    while ((found = app_lines_next(&parser->lines)) > 0)
        if (parse_line(parser) != 0)
            return -1;
    if (found < 0)
        return -1;
    if (parser->charge == 0)
        return app_lines_complain(&parser->lines, "the file ends without an element");
    return end_element(parser);
}

int hf_basis_parse(struct hf_basis *basis, const char *source, const char *text, char *message,
                   size_t size)
{
    struct parser parser = {
        .lines = {.source = source, .rest = text, .message = message, .size = size},
        .basis = basis};
    *basis = (struct hf_basis){
        .shell = calloc(SHELLS_MAX, sizeof *basis->shell),
        .primitive = calloc(SHELLS_MAX * HF_PRIMITIVES_MAX, sizeof *basis->primitive)};
    int error = basis->shell && basis->primitive
                    ? parse(&parser)
                    : app_lines_complain(&parser.lines, "no memory for the basis");
    if (error)
        hf_basis_free(basis);
    return error;
}

void hf_basis_free(struct hf_basis *basis)
{
    free(basis->shell);
    free(basis->primitive);
}

int hf_basis_open(struct hf_basis *basis, const char *name, char *message, size_t size)
{
    for (size_t i = 0; hf_basis_builtin_names[i]; i++)
        if (strcmp(hf_basis_builtin_names[i], name) == 0)
            return hf_basis_parse(basis, name, hf_basis_builtin_texts[i], message, size);
    char *text = app_lines_read(name, message, size);
    int error = text ? hf_basis_parse(basis, name, text, message, size) : -1;
    free(text);
    return error;
}
