// SPDX-License-Identifier: Apache-2.0
// `twill info`: what was built, what the machine grants, what joins places, and every setting with
// its source.
#include <string.h>

#include "apps/uts/uts.h"
#include "cli/command.h"
#include "cli/info_mpi.h"
#include "cli/json.h"

#define VALUE_MAX 4096 // a path

struct info_settings {
    bool json;
};

static const struct cli_option info_options[] = {
    {"json", NULL, "one JSON object instead of text", CLI_FLAG,
     offsetof(struct info_settings, json), 0, 0, NULL},
    {.name = NULL},
};

struct value {
    char text[VALUE_MAX];
    const char *source;
};

static struct value value_of(const struct tw_options *options, const char *name)
{
    struct value value = {.source = ""};
    if (tw_options_get(options, name, value.text, sizeof value.text, &value.source) != 0)
        snprintf(value.text, sizeof value.text, "?");
    return value;
}

// Why so many workers.
static const char *workers_reason(const struct tw_machine *machine,
                                  const struct tw_options *options)
{
    struct value workers = value_of(options, "workers");
    if (strcmp(workers.source, "environment") == 0)
        return "the variable TWILL_WORKERS";
    if (strcmp(workers.source, "option") == 0)
        return "the option --workers";
    if (machine->quota > 0 && machine->workers < machine->allowed)
        return "the control group's quota";
    return machine->allowed < machine->online ? "the affinity mask" : "all processors";
}

static unsigned worker_count(const struct tw_machine *machine, const struct tw_options *options)
{
    return options->workers ? options->workers : machine->workers;
}

static void print_line(const char *name, const char *value)
{
    printf("  %-18s%s\n", name, value);
}

static void print_build(const struct tw_machine *machine)
{
    printf("twill %s\n\nbuild\n", tw_version());
    print_line("compiler", text_compiler());
    print_line("type", TWC_BUILD);
    print_line("flags", TWC_FLAGS);
    print_line("context switch", machine->context);
}

static void print_machine(const struct tw_machine *machine, const struct tw_options *options)
{
    printf("\nmachine\n");
    printf("  %-18s%u online, %u in the affinity mask\n", "processors", machine->online,
           machine->allowed);
    if (machine->quota > 0)
        printf("  %-18s%g processors, by %s\n", "quota", machine->quota, machine->quota_from);
    else
        print_line("quota", "none");
    printf("  %-18s%u, by %s\n", "workers", worker_count(machine, options),
           workers_reason(machine, options));
    print_line("membarrier", machine->membarrier ? "yes" : "no");
    print_line("stack guard", machine->guard);
    print_line("SHA instructions", uts_hash_ni_available() ? "yes" : "no");
}

static void print_settings(const struct tw_options *options)
{
    size_t count;
    const struct tw_setting *setting = tw_settings(&count);
    printf("\nsettings\n");
    for (size_t i = 0; i < count; i++) {
        struct value value = value_of(options, setting[i].name);
        printf("  %-20s%-12s %-12s %s\n", setting[i].variable, value.text, value.source,
               setting[i].help);
    }
}

static void write_machine(struct json *json, const struct tw_machine *machine,
                          const struct tw_options *options)
{
    json_object(json, "machine");
    json_count(json, "online", machine->online);
    json_count(json, "allowed", machine->allowed);
    if (machine->quota > 0)
        json_real(json, "quota", machine->quota);
    else
        json_null(json, "quota");
    json_text(json, "quota_from", machine->quota_from);
    json_count(json, "workers", worker_count(machine, options));
    json_text(json, "workers_by", workers_reason(machine, options));
    json_bool(json, "membarrier", machine->membarrier != 0);
    json_text(json, "guard", machine->guard);
    json_bool(json, "sha_instructions", uts_hash_ni_available());
    json_close(json);
}

static void write_settings(struct json *json, const struct tw_options *options)
{
    size_t count;
    const struct tw_setting *setting = tw_settings(&count);
    json_array(json, "settings");
    for (size_t i = 0; i < count; i++) {
        struct value value = value_of(options, setting[i].name);
        json_object(json, NULL);
        json_text(json, "name", setting[i].name);
        json_text(json, "variable", setting[i].variable);
        json_text(json, "value", value.text);
        json_text(json, "source", value.source);
        json_text(json, "accepted", setting[i].accepted);
        json_close(json);
    }
    json_close(json);
}

static void write_json(const struct tw_machine *machine, const struct tw_options *options)
{
    struct json json;
    json_start(&json, stdout);
    json_object(&json, NULL);
    json_text(&json, "version", tw_version());
    json_object(&json, "build");
    json_text(&json, "compiler", text_compiler());
    json_text(&json, "type", TWC_BUILD);
    json_text(&json, "flags", TWC_FLAGS);
    json_text(&json, "context", machine->context);
    json_close(&json);
    write_machine(&json, machine, options);
    info_mpi_json(&json, options->mpi);
    write_settings(&json, options);
    json_close(&json);
    json_end(&json);
}

static int info_main(int argc, char **argv)
{
    struct info_settings settings = {0};
    struct tw_options options;
    bool refused = !settings_start(&options);
    struct cli_group groups[] = {
        {.title = "Options", .options = info_options, .settings = &settings},
        settings_group(&options),
    };
    int status;
    if (!command_options(&info_command, groups, 2, argc, argv, &status))
        return status;
    struct tw_machine machine;
    tw_machine_describe(&machine);
    if (settings.json) {
        write_json(&machine, &options);
    } else {
        print_build(&machine);
        print_machine(&machine, &options);
        info_mpi_text(options.mpi);
        print_settings(&options);
    }
    return refused ? EXIT_USAGE : EXIT_DONE;
}

static void info_help(FILE *file)
{
    struct tw_options options;
    struct cli_group groups[] = {{.title = "Options", .options = info_options},
                                 settings_group(&options)};
    cli_print_options(file, groups, 2);
}

const struct command info_command = {
    .name = "info",
    .usage = "info [--json]",
    .summary = "shows the build, the machine, the MPIs and every setting with its source",
    .main = info_main,
    .help = info_help,
};
