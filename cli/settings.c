// SPDX-License-Identifier: Apache-2.0
// The runtime's settings as options and as variables, all from the library's own table.
#include <errno.h>
#include <string.h>

#include "cli/command.h"
#include "cli/suggest.h"

#define SETTINGS_MAX 32
#define HELP_MAX 320

extern char **environ;

static bool assign(void *options, const char *name, const char *value, char *message, size_t size)
{
    return tw_options_set(options, name, value, message, size) == 0;
}

struct cli_group settings_group(struct tw_options *options)
{
    static struct cli_option table[SETTINGS_MAX + 1];
    static char help[SETTINGS_MAX][HELP_MAX];
    size_t count;
    const struct tw_setting *setting = tw_settings(&count);
    for (size_t i = 0; i < count && i < SETTINGS_MAX; i++) {
        snprintf(help[i], HELP_MAX, "%s (%s)", setting[i].help, setting[i].accepted);
        table[i] = (struct cli_option){
            .name = setting[i].name, .argument = "VALUE", .help = help[i], .kind = CLI_TEXT};
    }
    return (struct cli_group){
        .title = "Options of the runtime",
        .options = table,
        .settings = options,
        .assign = assign,
    };
}

bool settings_start(struct tw_options *options)
{
    char message[HELP_MAX];
    if (tw_options_init(options, message, sizeof message) == 0)
        return true;
    fprintf(stderr, "twill: %s\n", message);
    return false;
}

static bool known_variable(const char *name, size_t length)
{
    size_t count;
    const struct tw_setting *setting = tw_settings(&count);
    for (size_t i = 0; i < count; i++)
        if (strlen(setting[i].variable) == length && memcmp(setting[i].variable, name, length) == 0)
            return true;
    return false;
}

static void warn_unknown(const char *name)
{
    struct suggestion near;
    suggest_start(&near, name);
    size_t count;
    const struct tw_setting *setting = tw_settings(&count);
    for (size_t i = 0; i < count; i++)
        suggest_offer(&near, setting[i].variable);
    fprintf(stderr, "twill: warning: nothing reads the variable %s", name);
    if (near.name)
        fprintf(stderr, "; did you mean %s?", near.name);
    fprintf(stderr, "\n");
}

void settings_check_environment(void)
{
    for (char **entry = environ; *entry; entry++) {
        size_t length = strcspn(*entry, "=");
        if (strncmp(*entry, "TWILL_", 6) != 0 || known_variable(*entry, length))
            continue;
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)length, *entry);
        warn_unknown(name);
    }
}

void settings_print_variables(FILE *file)
{
    size_t count;
    const struct tw_setting *setting = tw_settings(&count);
    fprintf(file, "\nVariables; the option, of run, demo and info, wins over its variable\n");
    for (size_t i = 0; i < count; i++) {
        char help[HELP_MAX];
        snprintf(help, sizeof help, "%s (%s); option --%s", setting[i].help, setting[i].accepted,
                 setting[i].name);
        cli_print_entry(file, setting[i].variable, help);
    }
}

// Why a file cannot be written, by another try; NULL: it can.
static const char *file_reason(const char *path)
{
    FILE *file = fopen(path, "a");
    if (!file)
        return strerror(errno);
    fclose(file);
    return NULL;
}

static void complain_file(const char *command, const struct tw_options *options, const char *name,
                          const char *path)
{
    size_t count;
    const struct tw_setting *setting = tw_settings(&count);
    const char *source = "", *reason = file_reason(path);
    while (strcmp(setting->name, name) != 0)
        setting++;
    (void)tw_options_get(options, name, NULL, 0, &source);
    bool is_variable = strcmp(source, "environment") == 0;
    fprintf(stderr, "%s: %s%s: cannot write '%s': %s\n", command, is_variable ? "" : "--",
            is_variable ? setting->variable : name, path, reason ? reason : tw_strerror(TW_EIO));
}

// Where places could not begin together, one of them may be the reason.
static void complain_error(const char *command, const struct tw_options *options, int error)
{
    char why[1024];
    (void)tw_places_open(options, why, sizeof why);
    fprintf(stderr, "%s: %s\n", command, *why ? why : tw_strerror(error));
}

void settings_complain(const char *command, const struct tw_options *options, int error)
{
    char record[4096] = "";
    if (options->record)
        snprintf(record, sizeof record, "%s.%u", options->record, tw_here());
    if (error == TW_EIO && options->record && file_reason(record))
        complain_file(command, options, "record", record);
    else if (error == TW_EIO && options->trace && (tw_places() == 1 || file_reason(options->trace)))
        complain_file(command, options, "trace", options->trace);
    else
        complain_error(command, options, error);
}
