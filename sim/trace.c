// SPDX-License-Identifier: Apache-2.0
// See trace.h. A place is a process of the trace; thread 0 is its communication worker.
#include "sim/trace.h"

#include <inttypes.h>

#include "steal/names.h"

static const char *event_name(const struct twi_machine *machine, const struct twi_event *event)
{
    const char *message =
        event->kind == TWI_ON_MESSAGE ? machine->message_name(event->message) : NULL;
    return message ? message : twi_on_name(event->kind);
}

static void print_us(FILE *file, const char *name, uint64_t ns)
{
    fprintf(file, "\"%s\":%" PRIu64 ".%03u", name, ns / 1000, (unsigned)(ns % 1000));
}

void sim_trace_begin(FILE *file)
{
    fprintf(file, "{\"traceEvents\":[\n");
}

void sim_trace_step(FILE *file, uint32_t place, const struct twi_machine *machine,
                    const struct twi_event *event, const struct twi_actions *actions)
{
    fprintf(file, "{\"ph\":\"i\",\"s\":\"t\",\"pid\":%" PRIu32 ",\"tid\":0,", place);
    print_us(file, "ts", event->now_ns);
    fprintf(file, ",\"name\":\"%s: %s\",\"args\":{\"count\":%" PRIu32 ",\"load\":%" PRIu32 ",",
            machine->name, event_name(machine, event), event->count, event->load);
    if (event->peer != TWI_NO_PLACE)
        fprintf(file, "\"peer\":%" PRIu32 ",", event->peer);
    fprintf(file, "\"actions\":%" PRIu32 "}},\n", actions->count);
}

void sim_trace_task(FILE *file, uint32_t place, uint32_t worker, uint64_t from_ns, uint64_t for_ns)
{
    fprintf(file, "{\"ph\":\"X\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",", place, worker + 1);
    print_us(file, "ts", from_ns);
    fprintf(file, ",");
    print_us(file, "dur", for_ns);
    fprintf(file, ",\"name\":\"task\"},\n");
}

void sim_trace_end(FILE *file)
{
    fprintf(
        file,
        "{\"ph\":\"M\",\"pid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"place 0\"}}]}\n");
}
