// SPDX-License-Identifier: Apache-2.0
// Rings as Chrome trace events, which ui.perfetto.dev and chrome://tracing show.
//
// Each worker is a thread. What it runs between START or GO_ON and the next PARK or STOP is one
// slice with the task's name; sleep is a slice too; the rest are instants. An arrow leads from the
// victim to the start of what was taken from it. A slice whose beginning is lost is left out.
#include <inttypes.h>
#include <unistd.h>

#include "trace/trace.h"

struct writer {
    FILE *file;
    const struct twi_trace *trace;
    double tick_ns;
    int process;
    uint64_t arrows; // so far
};

// What is under way on a worker.
struct state {
    unsigned worker;
    const struct twi_record *running, *sleeping, *taken;
};

static double tick_length(const struct twi_trace *trace)
{
    uint64_t ticks = trace->ended_ticks - trace->begun_ticks;
    return ticks ? (double)(trace->ended_ns - trace->begun_ns) / (double)ticks : 1;
}

// Since the trace began.
static uint64_t time_ns(const struct writer *w, uint64_t ticks)
{
    uint64_t begun = w->trace->begun_ticks;
    return ticks > begun ? (uint64_t)((double)(ticks - begun) * w->tick_ns) : 0;
}

static void write_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(file, "\\u%04x", *c);
        else
            fputc(*c, file);
    }
    fputc('"', file);
}

// By whole numbers: the point of a fraction depends on the user's language.
static void write_us(FILE *file, const char *key, uint64_t ns)
{
    fprintf(file, ",\"%s\":%" PRIu64 ".%03u", key, ns / 1000, (unsigned)(ns % 1000));
}

static void begin_event(struct writer *w, char phase, unsigned worker, uint64_t ns)
{
    fprintf(w->file, ",\n{\"ph\":\"%c\",\"pid\":%d,\"tid\":%u", phase, w->process, worker);
    write_us(w->file, "ts", ns);
}

static void write_slice(struct writer *w, unsigned worker, const struct twi_record *from,
                        const struct twi_record *to)
{
    uint64_t begun = time_ns(w, from->ticks), ended = time_ns(w, to->ticks);
    begin_event(w, 'X', worker, begun);
    write_us(w->file, "dur", ended > begun ? ended - begun : 0);
    if (from->event == TWI_EVENT_SLEEP) {
        fprintf(w->file, ",\"cat\":\"idle\",\"name\":\"sleep\"}");
        return;
    }
    fprintf(w->file, ",\"cat\":\"task\",\"name\":");
    write_text(w->file, from->task);
    fprintf(w->file, ",\"args\":{\"fiber\":%u,\"begun\":\"%s\",\"ended\":\"%s\"}}", from->fiber,
            from->event == TWI_EVENT_START ? "start" : "go on",
            to->event == TWI_EVENT_STOP ? "stop" : "park");
}

static void write_instant(struct writer *w, unsigned worker, const struct twi_record *r,
                          const char *name)
{
    begin_event(w, 'i', worker, time_ns(w, r->ticks));
    fprintf(w->file, ",\"s\":\"t\",\"cat\":\"scheduler\",\"name\":\"%s\",\"args\":{\"fiber\":%u",
            name, r->fiber);
    if (r->event == TWI_EVENT_STEAL || r->event == TWI_EVENT_NUDGE)
        fprintf(w->file, ",\"victim\":%u", r->victim);
    fprintf(w->file, "}}");
}

static void write_arrow(struct writer *w, unsigned worker, const struct twi_record *taken,
                        const struct twi_record *start)
{
    const struct {
        char phase;
        unsigned worker;
        uint64_t ticks;
    } ends[] = {{'s', taken->victim, taken->ticks}, {'f', worker, start->ticks}};
    w->arrows++;
    for (int i = 0; i < 2; i++) {
        begin_event(w, ends[i].phase, ends[i].worker, time_ns(w, ends[i].ticks));
        fprintf(w->file, ",\"bp\":\"e\",\"cat\":\"steal\",\"name\":\"steal\",\"id\":%" PRIu64 "}",
                w->arrows);
    }
}

static void end_slice(struct writer *w, const struct state *state, const struct twi_record **from,
                      const struct twi_record *to)
{
    if (*from)
        write_slice(w, state->worker, *from, to);
    *from = NULL;
}

static void write_record(struct writer *w, struct state *state, const struct twi_record *r)
{
    switch ((enum twi_trace_event)r->event) {
    case TWI_EVENT_START:
        if (state->taken)
            write_arrow(w, state->worker, state->taken, r);
        state->taken = NULL;
        state->running = r;
        break;
    case TWI_EVENT_GO_ON:
        state->running = r;
        break;
    case TWI_EVENT_STOP:
    case TWI_EVENT_PARK:
        end_slice(w, state, &state->running, r);
        break;
    case TWI_EVENT_SLEEP:
        state->sleeping = r;
        break;
    case TWI_EVENT_AWAKE:
        end_slice(w, state, &state->sleeping, r);
        break;
    case TWI_EVENT_STEAL:
        state->taken = r;
        write_instant(w, state->worker, r, "steal");
        break;
    case TWI_EVENT_NUDGE:
        state->taken = r;
        write_instant(w, state->worker, r, "nudge");
        break;
    case TWI_EVENT_WAKE:
        write_instant(w, state->worker, r, "wake");
        break;
    case TWI_EVENT_SHARE:
        write_instant(w, state->worker, r, "share");
        break;
    case TWI_EVENT_OVERFLOW:
        write_instant(w, state->worker, r, "overflow");
        break;
    }
}

static void write_name(struct writer *w, unsigned worker)
{
    fprintf(w->file,
            ",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%u,\"name\":\"thread_name\","
            "\"args\":{\"name\":\"worker %u\"}}",
            w->process, worker, worker);
}

static void write_lost(struct writer *w, unsigned worker, const struct twi_record *oldest,
                       uint64_t lost)
{
    begin_event(w, 'i', worker, time_ns(w, oldest->ticks));
    fprintf(w->file,
            ",\"s\":\"t\",\"cat\":\"trace\",\"name\":\"earlier events are lost\","
            "\"args\":{\"lost\":%" PRIu64 "}}",
            lost);
}

static void write_ring(struct writer *w, unsigned worker)
{
    const struct twi_ring *ring = &w->trace->rings[worker];
    struct state state = {.worker = worker};
    uint64_t lost = twi_ring_lost(ring);
    write_name(w, worker);
    if (lost)
        write_lost(w, worker, twi_ring_at(ring, lost), lost);
    for (uint64_t i = lost; i < ring->written; i++)
        write_record(w, &state, twi_ring_at(ring, i));
}

void twi_trace_write(const struct twi_trace *trace)
{
    struct writer w = {trace->file, trace, tick_length(trace), (int)getpid(), 0};
    fprintf(w.file,
            "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
            "{\"ph\":\"M\",\"pid\":%d,\"tid\":0,\"name\":\"process_name\","
            "\"args\":{\"name\":\"twill\"}}",
            w.process);
    for (unsigned i = 0; i < trace->count; i++)
        write_ring(&w, i);
    fprintf(w.file, "\n]}\n");
}
