// SPDX-License-Identifier: Apache-2.0
// JPEG: files that a decoder of its own reads give the picture back, the network writes the bytes
// of the sequential program, and what is no picture is refused.
#include "app_support.h"

#include "apps/jpeg/jpeg.h"
#include "jpeg_decoder.h"

static struct jpeg make_job(uint32_t width, uint32_t height, unsigned quality)
{
    struct jpeg job = {.quality = quality, .lanes = 1};
    assert_true(jpeg_picture_make(&job.picture, width, height));
    assert_true(jpeg_make(&job));
    return job;
}

static void free_job(struct jpeg *job)
{
    free(job->picture.rgb);
    jpeg_free(job);
}

// How far the decoded picture is from the one given, on average, in steps of 255.
static double loss_of(const struct jpeg *job)
{
    unsigned width = 0, height = 0;
    uint8_t *rgb = jpeg_decode(job->file.at, job->file.length, &width, &height);
    assert_non_null(rgb);
    assert_int_equal(width, job->picture.width);
    assert_int_equal(height, job->picture.height);
    size_t samples = (size_t)width * height * 3;
    double sum = 0;
    for (size_t i = 0; i < samples; i++)
        sum += abs(rgb[i] - job->picture.rgb[i]);
    free(rgb);
    return sum / (double)samples;
}

static void test_jpeg_decodes_to_the_picture(void **state)
{
    (void)state;
    static const uint32_t sides[][2] = {{1, 1}, {8, 8}, {7, 9}, {100, 33}, {16, 150}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        static const unsigned qualities[] = {100, 90, 50};
        static const double losses[] = {1, 4, 12};
        for (size_t j = 0; j < 3; j++) {
            struct jpeg job = make_job(sides[i][0], sides[i][1], qualities[j]);
            assert_int_equal(jpeg_sequential(&job), 0);
            if (loss_of(&job) > losses[j])
                fail_msg("%u by %u at %u: off by %f", job.picture.width, job.picture.height,
                         job.quality, loss_of(&job));
            free_job(&job);
        }
    }
    struct jpeg coarse = make_job(64, 64, 1);
    assert_int_equal(jpeg_sequential(&coarse), 0);
    assert_true(loss_of(&coarse) < 60);
    free_job(&coarse);
}

// The largest coefficients there are: every pixel the opposite of its neighbours.
static void test_jpeg_extreme_picture(void **state)
{
    (void)state;
    struct jpeg job = make_job(40, 24, 100);
    for (size_t i = 0; i < 40 * 24; i++)
        memset(job.picture.rgb + 3 * i, (i / 40 / 8 + i) % 2 ? 255 : 0, 3);
    assert_int_equal(jpeg_sequential(&job), 0);
    assert_true(loss_of(&job) < 1);
    free_job(&job);
}

static void test_jpeg_network_writes_the_same_bytes(void **state)
{
    (void)state;
    for (unsigned wake = TW_WAKE_AUTO; wake <= TW_WAKE_LHWS; wake++) {
        for (uint32_t lanes = 1; lanes <= 7; lanes += 2) {
            struct jpeg plain = make_job(70 + lanes, 20 * lanes, 80);
            struct jpeg job = make_job(70 + lanes, 20 * lanes, 80);
            job.lanes = lanes;
            job.wake = (enum tw_wake)wake;
            assert_int_equal(jpeg_sequential(&plain), 0);
            assert_int_equal(jpeg_network(NULL, &job), 0);
            assert_int_equal(job.file.length, plain.file.length);
            assert_memory_equal(job.file.at, plain.file.at, plain.file.length);
            free_job(&job);
            free_job(&plain);
        }
    }
}

static const char *read_text(struct jpeg_picture *picture, const char *text, size_t length)
{
    FILE *file = fmemopen((void *)text, length, "rb");
    assert_non_null(file);
    const char *wrong = jpeg_picture_read(picture, file);
    fclose(file);
    return wrong;
}

#define READ_TEXT(picture, text) read_text(picture, text, sizeof(text) - 1)

static void test_jpeg_reads_ppm(void **state)
{
    (void)state;
    struct jpeg_picture picture;
    assert_null(READ_TEXT(&picture, "P6 # a comment\n# and another\n 2 1\n255\nabcdef"));
    assert_int_equal(picture.width, 2);
    assert_int_equal(picture.height, 1);
    assert_memory_equal(picture.rgb, "abcdef", 6);
    free(picture.rgb);
    assert_string_equal(READ_TEXT(&picture, "P5 1 1 255\na"), "it does not begin with P6");
    assert_string_equal(READ_TEXT(&picture, "P6 0 1 255\n"),
                        "its width and height are not numbers from 1 to 65535");
    assert_string_equal(READ_TEXT(&picture, "P6 99999999999999999999 1 255\n"),
                        "its width and height are not numbers from 1 to 65535");
    assert_string_equal(READ_TEXT(&picture, "P6 1 1 65535\nabcdef"),
                        "its brightest value is not 255");
    assert_string_equal(READ_TEXT(&picture, "P6 2 1 255\nabc"), "it has fewer pixels than it says");
    assert_string_equal(READ_TEXT(&picture, "P6 # no end"),
                        "its width and height are not numbers from 1 to 65535");
}

static void app_fails(const char *option, const char *value, const char *message)
{
    void *settings = malloc(jpeg_app.settings_size);
    assert_non_null(settings);
    const char *const words[APP_WORDS_MAX] = {option, value};
    assert_int_equal(app_parse(&jpeg_app, settings, words), CLI_PARSED);
    struct app_run run = {.check = APP_CHECK_AUTO};
    assert_int_equal(jpeg_app.run(settings, &run), APP_FAILED);
    free(settings);
    assert_non_null(strstr(run.message, message));
}

static void test_jpeg_options(void **state)
{
    (void)state;
    app_verifies_with(&jpeg_app, "--width", "1", "--height", "1");
    app_verifies_with(&jpeg_app, "--width", "90", "--height", "45", "--lanes", "9");
    app_verifies_with(&jpeg_app, "--height", "50", "--output", "/dev/null", "--quality", "100");
    app_refuses(&jpeg_app, "--quality", "0",
                "--quality does not accept '0': give a whole number from 1 to 100");
    app_refuses(&jpeg_app, "--lanes", "65", "--lanes does not accept '65'");
    app_refuses(&jpeg_app, "--width", "65536", "--width does not accept '65536'");
    app_fails("--input", "/no/such/file",
              "--input: '/no/such/file' cannot be read: No such file or directory");
    app_fails("--input", "/dev/null",
              "--input: '/dev/null' cannot be read: it does not begin with P6");
    app_fails("--output", "/no/such/folder/file",
              "--output: '/no/such/folder/file' cannot be written: No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jpeg_decodes_to_the_picture),
        cmocka_unit_test(test_jpeg_extreme_picture),
        cmocka_unit_test(test_jpeg_network_writes_the_same_bytes),
        cmocka_unit_test(test_jpeg_reads_ppm),
        cmocka_unit_test(test_jpeg_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
