// SPDX-License-Identifier: Apache-2.0
// Parsing heads line by line; writing answers.
#include "apps/server/http.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

struct span {
    const char *at;
    size_t size;
};

// What the fields of a head said.
struct fields {
    unsigned hosts, lengths;
    bool has_content, says_close, says_keep_alive;
};

static bool is_token(struct span text)
{
    for (size_t i = 0; i < text.size; i++) {
        char c = text.at[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && (c == '\0' || !strchr("!#$%&'*+-.^_`|~", c)))
            return false;
    }
    return text.size > 0;
}

static bool is_visible(struct span text)
{
    for (size_t i = 0; i < text.size; i++)
        if ((unsigned char)text.at[i] <= ' ' || (unsigned char)text.at[i] >= 0x7f)
            return false;
    return text.size > 0;
}

static bool is_value(struct span text)
{
    for (size_t i = 0; i < text.size; i++)
        if (((unsigned char)text.at[i] < ' ' && text.at[i] != '\t') || text.at[i] == 0x7f)
            return false;
    return true;
}

static bool is_word(struct span text, const char *word)
{
    return text.size == strlen(word) && strncasecmp(text.at, word, text.size) == 0;
}

static struct span trimmed(struct span text)
{
    while (text.size > 0 && (text.at[0] == ' ' || text.at[0] == '\t'))
        text = (struct span){text.at + 1, text.size - 1};
    while (text.size > 0 && (text.at[text.size - 1] == ' ' || text.at[text.size - 1] == '\t'))
        text.size--;
    return text;
}

// Takes what stands before the first `mark` off the text; all of it where there is none.
static struct span take_until(struct span *text, char mark)
{
    const char *found = text->size ? memchr(text->at, mark, text->size) : NULL;
    size_t size = found ? (size_t)(found - text->at) : text->size, skip = found ? size + 1 : size;
    struct span taken = {text->at, size};
    *text = (struct span){text->at + skip, text->size - skip};
    return taken;
}

// Takes a line off the bytes, without its end.
static enum http_status take_line(struct span *bytes, struct span *line)
{
    if (bytes->size == 0 || !memchr(bytes->at, '\n', bytes->size))
        return HTTP_MORE;
    *line = take_until(bytes, '\n');
    if (line->size == 0 || line->at[line->size - 1] != '\r')
        return HTTP_BAD_REQUEST;
    line->size--;
    return HTTP_OK;
}

// A proxy's form of the target, http://host/path, has to be understood too.
static bool take_path(struct span target, struct http_request *request)
{
    static const char scheme[] = "http://";
    struct span rest = target;
    if (target.size >= strlen(scheme) && strncasecmp(target.at, scheme, strlen(scheme)) == 0) {
        rest = (struct span){target.at + strlen(scheme), target.size - strlen(scheme)};
        struct span host = take_until(&rest, '/');
        if (host.size == 0 || host.at + host.size == target.at + target.size)
            return false;
        rest = (struct span){rest.at - 1, rest.size + 1};
    }
    if (!is_visible(target) || rest.at[0] != '/')
        return false;
    struct span path = take_until(&rest, '?');
    request->path = path.at;
    request->path_length = path.size;
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Versions beyond 1.1 within 1 are answered as 1.1.
static enum http_status parse_version(struct span text, bool *is_old)
{
    if (text.size != strlen("HTTP/1.1") || memcmp(text.at, "HTTP/", 5) != 0 ||
        !is_digit(text.at[5]) || text.at[6] != '.' || !is_digit(text.at[7]))
        return HTTP_BAD_REQUEST;
    *is_old = text.at[7] == '0';
    return text.at[5] == '1' ? HTTP_OK : HTTP_NOT_SUPPORTED;
}

static enum http_status parse_start(struct span line, struct http_request *request, bool *is_old)
{
    struct span method = take_until(&line, ' '), target = take_until(&line, ' ');
    if (!is_token(method) || !take_path(target, request))
        return HTTP_BAD_REQUEST;
    request->is_get = method.size == 3 && memcmp(method.at, "GET", 3) == 0;
    return parse_version(line, is_old);
}

static bool note_length(struct fields *fields, struct span value)
{
    for (size_t i = 0; i < value.size; i++) {
        if (!is_digit(value.at[i]))
            return false;
        fields->has_content = fields->has_content || value.at[i] != '0';
    }
    return value.size > 0 && ++fields->lengths == 1;
}

static void note_connection(struct fields *fields, struct span value)
{
    while (value.size > 0) {
        struct span word = trimmed(take_until(&value, ','));
        fields->says_close = fields->says_close || is_word(word, "close");
        fields->says_keep_alive = fields->says_keep_alive || is_word(word, "keep-alive");
    }
}

static bool parse_field(struct span line, struct fields *fields)
{
    if (!memchr(line.at, ':', line.size))
        return false;
    struct span name = take_until(&line, ':'), value = trimmed(line);
    if (!is_token(name) || !is_value(value))
        return false;
    if (is_word(name, "host"))
        return ++fields->hosts == 1;
    if (is_word(name, "content-length"))
        return note_length(fields, value);
    if (is_word(name, "transfer-encoding"))
        fields->has_content = true;
    if (is_word(name, "connection"))
        note_connection(fields, value);
    return true;
}

static enum http_status finish_request(const struct fields *fields, bool is_old,
                                       struct http_request *request)
{
    if (fields->hosts == 0 && !is_old)
        return HTTP_BAD_REQUEST;
    request->has_content = fields->has_content;
    request->keep_alive =
        !fields->has_content && !fields->says_close && (!is_old || fields->says_keep_alive);
    request->says_keep_alive = request->keep_alive && is_old;
    return HTTP_OK;
}

// A request may follow empty lines.
static enum http_status parse_lines(struct span bytes, struct http_request *request)
{
    const char *start = bytes.at;
    struct fields fields = {0};
    struct span line;
    bool is_old = false;
    enum http_status status;
    do
        status = take_line(&bytes, &line);
    while (status == HTTP_OK && line.size == 0);
    if (status == HTTP_OK)
        status = parse_start(line, request, &is_old);
    while (status == HTTP_OK) {
        status = take_line(&bytes, &line);
        if (status == HTTP_OK && line.size == 0) {
            request->length = (size_t)(bytes.at - start);
            return finish_request(&fields, is_old, request);
        }
        if (status == HTTP_OK && !parse_field(line, &fields))
            status = HTTP_BAD_REQUEST;
    }
    return status;
}

enum http_status http_parse(const char *bytes, size_t size, struct http_request *request)
{
    size_t seen = size < HTTP_HEAD_MAX ? size : HTTP_HEAD_MAX;
    *request = (struct http_request){0};
    enum http_status status = parse_lines((struct span){bytes, seen}, request);
    return status == HTTP_MORE && seen == HTTP_HEAD_MAX ? HTTP_HEAD_TOO_LARGE : status;
}

static const char *reason(enum http_status status)
{
    switch (status) {
    case HTTP_MORE:
        break;
    case HTTP_OK:
        return "OK";
    case HTTP_BAD_REQUEST:
        return "Bad Request";
    case HTTP_NOT_FOUND:
        return "Not Found";
    case HTTP_NOT_ALLOWED:
        return "Method Not Allowed";
    case HTTP_CONTENT_TOO_LARGE:
        return "Content Too Large";
    case HTTP_HEAD_TOO_LARGE:
        return "Request Header Fields Too Large";
    case HTTP_NOT_SUPPORTED:
        return "HTTP Version Not Supported";
    }
    return "";
}

size_t http_write(const struct http_answer *answer, char *to)
{
    int head = snprintf(to, HTTP_ANSWER_MAX,
                        "HTTP/1.1 %d %s\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n"
                        "%s%s%s\r\n",
                        (int)answer->status, reason(answer->status), answer->body_length,
                        answer->status == HTTP_NOT_ALLOWED ? "Allow: GET\r\n" : "",
                        answer->keep_alive ? "" : "Connection: close\r\n",
                        answer->says_keep_alive ? "Connection: keep-alive\r\n" : "");
    memcpy(to + head, answer->body, answer->body_length);
    return (size_t)head + answer->body_length;
}
