// SPDX-License-Identifier: Apache-2.0
// Parsing and complaints; help texts are in options_help.c.
#include "cli/options.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/suggest.h"

#define MESSAGE_MAX 512

struct found {
    const struct cli_group *group;
    const struct cli_option *option;
};

static struct found find(const struct cli_group *groups, size_t count, const char *name,
                         size_t length)
{
    for (size_t g = 0; g < count; g++)
        for (const struct cli_option *option = groups[g].options; option->name; option++)
            if (strlen(option->name) == length && memcmp(option->name, name, length) == 0)
                return (struct found){&groups[g], option};
    return (struct found){NULL, NULL};
}

static void complain_unknown(const char *command, const struct cli_group *groups, size_t count,
                             const char *name, size_t length)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "%.*s", (int)length, name);
    struct suggestion near;
    suggest_start(&near, wanted);
    for (size_t g = 0; g < count; g++)
        for (const struct cli_option *option = groups[g].options; option->name; option++)
            suggest_offer(&near, option->name);
    fprintf(stderr, "%s: unknown option --%.*s", command, (int)length, name);
    if (near.name)
        fprintf(stderr, "; did you mean --%s?", near.name);
    fprintf(stderr, "\n");
}

static bool parse_count(const struct cli_option *option, const char *value, uint64_t *field)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(value, &end, 10);
    bool whole = value[0] >= '0' && value[0] <= '9' && *end == '\0' && errno == 0;
    if (!whole || (double)number < option->least || (double)number > option->most)
        return false;
    *field = number;
    return true;
}

static bool parse_real(const struct cli_option *option, const char *value, double *field)
{
    char *end;
    double number = strtod(value, &end);
    if (end == value || *end != '\0' || !(number >= option->least && number <= option->most))
        return false;
    *field = number;
    return true;
}

static const struct unit {
    const char *name;
    double ns;
} units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
#define UNITS (sizeof units / sizeof units[0])

static bool parse_time(const struct cli_option *option, const char *value, uint64_t *field)
{
    char *end;
    double number = strtod(value, &end), ns = -1;
    if (value[0] < '0' || value[0] > '9' || strspn(value, "0123456789.") != (size_t)(end - value))
        return false;
    for (size_t i = 0; i < UNITS; i++)
        if (strcmp(end, units[i].name) == 0)
            ns = number * units[i].ns;
    if (number == 0 && *end == '\0')
        ns = 0;
    if (!(ns >= option->least && ns <= option->most))
        return false;
    *field = (uint64_t)(ns + 0.5);
    return true;
}

// In the largest unit of which it is a whole number.
static const char *time_text(char *text, size_t size, double ns)
{
    size_t i = 0;
    while (i < UNITS - 1 && (ns < units[i].ns || (uint64_t)ns % (uint64_t)units[i].ns != 0))
        i++;
    snprintf(text, size, "%.0f%s", ns / units[i].ns, ns > 0 ? units[i].name : "");
    return text;
}

static bool parse_choice(const struct cli_option *option, const char *value, unsigned *field)
{
    for (unsigned i = 0; option->choices[i]; i++) {
        if (strcmp(option->choices[i], value) == 0) {
            *field = i;
            return true;
        }
    }
    return false;
}

static bool store(const struct cli_option *option, const char *value, void *field)
{
    switch (option->kind) {
    case CLI_FLAG:
        *(bool *)field = true;
        return true;
    case CLI_COUNT:
        return parse_count(option, value, field);
    case CLI_REAL:
        return parse_real(option, value, field);
    case CLI_TIME:
        return parse_time(option, value, field);
    case CLI_CHOICE:
        return parse_choice(option, value, field);
    case CLI_TEXT:
        *(const char **)field = value;
        return true;
    }
    return false;
}

static void describe_accepted(const struct cli_option *option, char *text, size_t size)
{
    char least[32], most[32];
    size_t used = 0;
    switch (option->kind) {
    case CLI_COUNT:
        snprintf(text, size, "a whole number from %.0f to %.0f", option->least, option->most);
        break;
    case CLI_REAL:
        snprintf(text, size, "a number from %g to %g", option->least, option->most);
        break;
    case CLI_TIME:
        snprintf(text, size, "a time from %s to %s in s, ms, us or ns, such as 50ms",
                 time_text(least, sizeof least, option->least),
                 time_text(most, sizeof most, option->most));
        break;
    case CLI_CHOICE:
        used = (size_t)snprintf(text, size, "one of");
        for (unsigned i = 0; option->choices[i] && used < size; i++)
            used += (size_t)snprintf(text + used, size - used, "%s %s", i ? "," : "",
                                     option->choices[i]);
        break;
    case CLI_FLAG:
    case CLI_TEXT:
        snprintf(text, size, "%s", option->help);
        break;
    }
}

static bool assign(const char *command, struct found found, const char *value)
{
    const struct cli_group *group = found.group;
    const struct cli_option *option = found.option;
    if (group->assign) {
        char message[MESSAGE_MAX];
        if (group->assign(group->settings, option->name, value, message, sizeof message))
            return true;
        fprintf(stderr, "%s: --%s\n", command, message);
        return false;
    }
    if (store(option, value, (char *)group->settings + option->offset))
        return true;
    char accepted[MESSAGE_MAX];
    describe_accepted(option, accepted, sizeof accepted);
    fprintf(stderr, "%s: --%s does not accept '%s': give %s\n", command, option->name, value,
            accepted);
    return false;
}

// Takes one option, and its value when it stands apart. Returns the words used, 0 when refused.
static int take_option(const char *command, const struct cli_group *groups, size_t count, int argc,
                       char **argv)
{
    const char *name = argv[0] + 2;
    size_t length = strcspn(name, "=");
    struct found found = find(groups, count, name, length);
    if (!found.option) {
        complain_unknown(command, groups, count, name, length);
        return 0;
    }
    const char *value = name[length] == '=' ? name + length + 1 : NULL;
    if (found.option->kind == CLI_FLAG && value) {
        fprintf(stderr, "%s: --%s takes no value, not '%s'\n", command, found.option->name, value);
        return 0;
    }
    if (found.option->kind == CLI_FLAG || value)
        return assign(command, found, value) ? 1 : 0;
    if (argc < 2) {
        char accepted[MESSAGE_MAX];
        describe_accepted(found.option, accepted, sizeof accepted);
        fprintf(stderr, "%s: --%s needs a value: %s\n", command, found.option->name, accepted);
        return 0;
    }
    return assign(command, found, argv[1]) ? 2 : 0;
}

enum cli_parsed cli_parse(const char *command, const struct cli_group *groups, size_t count,
                          int argc, char **argv)
{
    for (int i = 0; i < argc;) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return CLI_ASKED_HELP;
        if (strncmp(argv[i], "--", 2) != 0 || argv[i][2] == '\0') {
            fprintf(stderr, "%s: unexpected argument '%s'\n", command, argv[i]);
            return CLI_REFUSED;
        }
        int used = take_option(command, groups, count, argc - i, argv + i);
        if (used == 0)
            return CLI_REFUSED;
        i += used;
    }
    return CLI_PARSED;
}
