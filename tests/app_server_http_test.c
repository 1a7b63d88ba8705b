// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// The parser of HTTP requests: what it takes, what it refuses, and that neither depends on how the
// bytes are split; answers are what they should be to the byte.
#include "support.h"

#include <string.h>

#include "apps/server/http.h"

#define HOST "Host: a\r\n"

// Bytes in memory of exactly their size, so that a sanitizer sees every read past them.
static enum http_status parse(const char *bytes, size_t size, struct http_request *request)
{
    char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    enum http_status status = http_parse(copy, size, request);
    if (status == HTTP_OK) {
        assert_true(request->length <= size && request->length <= HTTP_HEAD_MAX);
        assert_true(request->path >= copy);
        assert_true(request->path + request->path_length <= copy + request->length);
        assert_int_equal(request->path[0], '/');
        request->path = bytes + (request->path - copy);
    }
    free(copy);
    return status;
}

// Every beginning needs more, until one is enough; from there on nothing changes.
static enum http_status split_everywhere(const char *bytes, size_t size,
                                         struct http_request *request)
{
    struct http_request part;
    enum http_status last = parse(bytes, size, request), status = HTTP_MORE;
    for (size_t length = 0; length <= size; length++) {
        enum http_status now = parse(bytes, length, &part);
        if (status != HTTP_MORE && now != status)
            fail_msg("%d, and with %zu bytes %d", status, length, now);
        status = now;
        if (status == HTTP_OK) {
            assert_int_equal(part.length, request->length);
            assert_int_equal(part.keep_alive, request->keep_alive);
            assert_int_equal(part.is_get, request->is_get);
            assert_int_equal(part.path_length, request->path_length);
        }
    }
    assert_int_equal(status, last);
    return status;
}

static void expect(const char *text, enum http_status status)
{
    struct http_request request;
    enum http_status found = split_everywhere(text, strlen(text), &request);
    if (found != status)
        fail_msg("%d instead of %d for: %s", found, status, text);
}

static void test_http_takes_requests(void **state)
{
    (void)state;
    static const struct {
        const char *text, *path;
        bool is_get, keep_alive, says_keep_alive;
    } good[] = {
        {"GET / HTTP/1.1\r\n" HOST "\r\n", "/", true, true, false},
        {"\r\n\r\nGET /fib/3 HTTP/1.1\r\n" HOST "\r\n", "/fib/3", true, true, false},
        {"GET /a?b=c HTTP/1.1\r\nhOST:a\r\nX: \r\n\r\n", "/a", true, true, false},
        {"POST /x HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n", "/x", false, true, false},
        {"get / HTTP/1.1\r\n" HOST "\r\n", "/", false, true, false},
        {"GET / HTTP/1.1\r\n" HOST "Connection: x , Close\r\n\r\n", "/", true, false, false},
        {"GET / HTTP/1.0\r\n\r\n", "/", true, false, false},
        {"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", "/", true, true, true},
        {"GET / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n", "/", true, false, false},
        {"POST / HTTP/1.1\r\n" HOST "Content-Length: 30\r\n\r\n", "/", false, false, false},
        {"GET / HTTP/1.7\r\n" HOST "\r\n", "/", true, true, false},
        {"GET http://a.b:80/fib/4?x HTTP/1.1\r\n" HOST "\r\n", "/fib/4", true, true, false},
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct http_request request;
        size_t size = strlen(good[i].text);
        assert_int_equal(split_everywhere(good[i].text, size, &request), HTTP_OK);
        assert_int_equal(request.length, size);
        assert_int_equal(request.path_length, strlen(good[i].path));
        assert_memory_equal(request.path, good[i].path, request.path_length);
        assert_int_equal(request.is_get, good[i].is_get);
        assert_int_equal(request.keep_alive, good[i].keep_alive);
        assert_int_equal(request.has_content,
                         strstr(good[i].text, "30\r\n") || strstr(good[i].text, "chunked"));
        assert_int_equal(request.says_keep_alive, good[i].says_keep_alive);
    }
}

static void test_http_requests_follow_each_other(void **state)
{
    (void)state;
    const char *text = "GET /1 HTTP/1.1\r\n" HOST "\r\nGET /22 HTTP/1.1\r\n" HOST "\r\nGET /3";
    struct http_request request;
    size_t size = strlen(text);
    assert_int_equal(split_everywhere(text, size, &request), HTTP_OK);
    assert_int_equal(request.path_length, 2);
    text += request.length;
    size -= request.length;
    assert_int_equal(split_everywhere(text, size, &request), HTTP_OK);
    assert_int_equal(request.path_length, 3);
    text += request.length;
    size -= request.length;
    assert_int_equal(split_everywhere(text, size, &request), HTTP_MORE);
}

static void test_http_refuses_what_is_malformed(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "\n",
        "GET / HTTP/1.1\n" HOST "\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\n" HOST HOST "\r\n",
        "GET / HTTP/1.1\r\n" HOST "folded: a\r\n b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        "GET / HTTP/1.1\r\n: a\r\n\r\n",
        "GET / HTTP/1.1\r\nnothing\r\n\r\n",
        "GET / HTTP/1.1\r\n" HOST "x: \x01\r\n\r\n",
        "GET / HTTP/1.1\r\n" HOST "Content-Length: -1\r\n\r\n",
        "GET / HTTP/1.1\r\n" HOST "Content-Length:\r\n\r\n",
        "GET / HTTP/1.1\r\n" HOST "Content-Length: 0\r\nContent-Length: 0\r\n\r\n",
        "GET  / HTTP/1.1\r\n" HOST "\r\n",
        "GET / HTTP/1.1 \r\n" HOST "\r\n",
        "GET / http/1.1\r\n" HOST "\r\n",
        "GET / HTTP/11\r\n" HOST "\r\n",
        "GET /\r\n" HOST "\r\n",
        "GET\r\n\r\n",
        " / HTTP/1.1\r\n" HOST "\r\n",
        "G@T / HTTP/1.1\r\n" HOST "\r\n",
        "GET x HTTP/1.1\r\n" HOST "\r\n",
        "GET * HTTP/1.1\r\n" HOST "\r\n",
        "GET http:///x HTTP/1.1\r\n" HOST "\r\n",
        "GET http://a HTTP/1.1\r\n" HOST "\r\n",
        "GET /\x7f HTTP/1.1\r\n" HOST "\r\n",
        "GET /\xc3\xa4 HTTP/1.1\r\n" HOST "\r\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        expect(bad[i], HTTP_BAD_REQUEST);
    expect("GET / HTTP/2.0\r\n" HOST "\r\n", HTTP_NOT_SUPPORTED);
}

// A head of `length` bytes.
static char *long_head(size_t length)
{
    static const char start[] = "GET / HTTP/1.1\r\n" HOST "x: ";
    char *text = malloc(length + 1);
    assert_non_null(text);
    memset(text, 'x', length);
    memcpy(text, start, strlen(start));
    memcpy(text + length - 4, "\r\n\r\n", 5);
    return text;
}

static void test_http_heads_are_bounded(void **state)
{
    (void)state;
    struct http_request request;
    char *fits = long_head(HTTP_HEAD_MAX), *does_not = long_head(HTTP_HEAD_MAX + 1);
    assert_int_equal(split_everywhere(fits, HTTP_HEAD_MAX, &request), HTTP_OK);
    assert_int_equal(split_everywhere(does_not, HTTP_HEAD_MAX + 1, &request), HTTP_HEAD_TOO_LARGE);
    free(fits);
    free(does_not);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

// Requests with some bytes changed, left out or made of the pieces that mean something.
static void test_http_survives_anything(void **state)
{
    (void)state;
    static const char model[] =
        "GET /fib/7?q HTTP/1.1\r\n" HOST "Connection: close, x\r\nContent-Length: 0\r\n\r\n";
    static const char pieces[] = " \r\n\t:,/?.0\x01\x80GHh1";
    uint32_t seed = 1;
    for (int round = test_scaled(20000); round > 0; round--) {
        char bytes[sizeof model];
        size_t size = sizeof model - 1 - next_random(&seed) % 4;
        memcpy(bytes, model, size);
        for (uint32_t changes = next_random(&seed) % 4; changes > 0; changes--)
            bytes[next_random(&seed) % size] = pieces[next_random(&seed) % sizeof pieces];
        struct http_request request;
        split_everywhere(bytes, size, &request);
        for (size_t i = 0; i < size; i++)
            bytes[i] = (char)next_random(&seed);
        split_everywhere(bytes, size, &request);
    }
}

static void expect_answer(const struct http_answer *answer, const char *text)
{
    char bytes[HTTP_ANSWER_MAX];
    size_t size = http_write(answer, bytes);
    assert_int_equal(size, strlen(text));
    assert_memory_equal(bytes, text, size);
}

static void test_http_answers(void **state)
{
    (void)state;
    struct http_answer answer = {HTTP_OK, true, false, 3, "42\n"};
    expect_answer(&answer, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n"
                           "\r\n42\n");
    answer.says_keep_alive = true;
    expect_answer(&answer, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n"
                           "Connection: keep-alive\r\n\r\n42\n");
    answer = (struct http_answer){.status = HTTP_NOT_ALLOWED};
    expect_answer(&answer, "HTTP/1.1 405 Method Not Allowed\r\nContent-Type: text/plain\r\n"
                           "Content-Length: 0\r\nAllow: GET\r\nConnection: close\r\n\r\n");
    answer = (struct http_answer){.status = HTTP_HEAD_TOO_LARGE, .body_length = HTTP_BODY_MAX};
    char bytes[HTTP_ANSWER_MAX];
    assert_true(http_write(&answer, bytes) < HTTP_ANSWER_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_http_takes_requests),
        cmocka_unit_test(test_http_requests_follow_each_other),
        cmocka_unit_test(test_http_refuses_what_is_malformed),
        cmocka_unit_test(test_http_heads_are_bounded),
        cmocka_unit_test(test_http_survives_anything),
        cmocka_unit_test(test_http_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
