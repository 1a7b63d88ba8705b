// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// The JSON writer, letter by letter.
#include "support.h"

#include <math.h>
#include <string.h>

#include "cli/json.h"

static char written[4096];

static void start(struct json *json)
{
    memset(written, 0, sizeof written);
    FILE *file = fmemopen(written, sizeof written, "w");
    assert_non_null(file);
    json_start(json, file);
}

static void end(struct json *json, const char *expected)
{
    assert_true(json_end(json));
    fclose(json->file);
    assert_string_equal(written, expected);
}

static void test_json_object_of_everything(void **state)
{
    (void)state;
    struct json json;
    start(&json);
    json_object(&json, NULL);
    json_text(&json, "text", "a");
    json_text(&json, "none", NULL);
    json_count(&json, "count", UINT64_MAX);
    json_real(&json, "real", 0.1);
    json_bool(&json, "yes", true);
    json_null(&json, "null");
    json_close(&json);
    end(&json, "{\n  \"text\": \"a\",\n  \"none\": null,\n  \"count\": 18446744073709551615,\n"
               "  \"real\": 0.1,\n  \"yes\": true,\n  \"null\": null\n}\n");
}

static void test_json_arrays(void **state)
{
    (void)state;
    struct json json;
    start(&json);
    json_object(&json, NULL);
    json_array(&json, "flat");
    json_count(&json, NULL, 1);
    json_count(&json, NULL, 2);
    json_close(&json);
    json_array(&json, "empty");
    json_close(&json);
    json_array(&json, "nested");
    json_object(&json, NULL);
    json_count(&json, "a", 1);
    json_close(&json);
    json_object(&json, NULL);
    json_close(&json);
    json_close(&json);
    json_close(&json);
    end(&json, "{\n  \"flat\": [1, 2],\n  \"empty\": [],\n  \"nested\": [\n    {\n"
               "      \"a\": 1\n    },\n    {}\n  ]\n}\n");
}

static void test_json_escapes(void **state)
{
    (void)state;
    struct json json;
    start(&json);
    json_text(&json, NULL, "a\"b\\c\n\x01 \xc3\xa9");
    end(&json, "\"a\\\"b\\\\c\\u000a\\u0001 \xc3\xa9\"\n");
}

static void test_json_numbers_read_back(void **state)
{
    (void)state;
    const double values[] = {0, 1.5, 1e300, 1.0 / 3, 0.1 + 0.2, -2.5e-8};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct json json;
        start(&json);
        json_real(&json, NULL, values[i]);
        assert_true(json_end(&json));
        fclose(json.file);
        assert_true(strtod(written, NULL) == values[i]);
    }
}

static void test_json_has_no_infinity(void **state)
{
    (void)state;
    struct json json;
    start(&json);
    json_array(&json, NULL);
    json_real(&json, NULL, INFINITY);
    json_real(&json, NULL, NAN);
    json_close(&json);
    end(&json, "[null, null]\n");
}

static void test_json_tells_a_full_disk(void **state)
{
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip();
    struct json json;
    json_start(&json, full);
    json_text(&json, NULL, "lost");
    assert_false(json_end(&json));
    fclose(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json_object_of_everything),
        cmocka_unit_test(test_json_arrays),
        cmocka_unit_test(test_json_escapes),
        cmocka_unit_test(test_json_numbers_read_back),
        cmocka_unit_test(test_json_has_no_infinity),
        cmocka_unit_test(test_json_tells_a_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
