// SPDX-License-Identifier: Apache-2.0
// As much of HTTP/1.1 as a small server needs: heads of requests, and answers with a length. Bytes
// in, requests out; nothing here reads, writes or waits.
//
// Strict where leniency has been abused: lines end with CR LF, a name has no blank before its
// colon, lines are not folded, there is one Host, lengths are digits and stand there once.
#ifndef APPS_SERVER_HTTP_H
#define APPS_SERVER_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#define HTTP_HEAD_MAX 8192
#define HTTP_BODY_MAX 128 // of an answer
#define HTTP_ANSWER_MAX (HTTP_BODY_MAX + 256)

enum http_status {
    HTTP_MORE = 0, // the head is not complete yet
    HTTP_OK = 200,
    HTTP_BAD_REQUEST = 400,
    HTTP_NOT_FOUND = 404,
    HTTP_NOT_ALLOWED = 405,
    HTTP_CONTENT_TOO_LARGE = 413,
    HTTP_HEAD_TOO_LARGE = 431,
    HTTP_NOT_SUPPORTED = 505,
};

struct http_request {
    size_t length; // bytes of the head
    bool is_get;
    const char *path; // of the target, in the bytes that were parsed, without what follows a '?'
    size_t path_length;
    bool has_content; // which follows the head, and nobody reads
    bool keep_alive;
    bool says_keep_alive; // the answer has to say so as well
};

struct http_answer {
    enum http_status status;
    bool keep_alive, says_keep_alive;
    size_t body_length;
    char body[HTTP_BODY_MAX];
};

// HTTP_OK: bytes begin with a request, which is now in `request`. HTTP_MORE: with a part of one.
// Else what to answer before the connection is closed. The same whatever follows the head, and more
// bytes never change a status but HTTP_MORE.
enum http_status http_parse(const char *bytes, size_t size, struct http_request *request);

// Writes the answer, HTTP_ANSWER_MAX bytes at most; returns how many.
size_t http_write(const struct http_answer *answer, char *to);

#endif
