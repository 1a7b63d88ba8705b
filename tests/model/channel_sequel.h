// SPDX-License-Identifier: Apache-2.0
// Channels as one thread would have them: scripts of a few operations, run in every order, with
// lists instead of lines and nothing that happens at the same time. What the real channels do must
// be among what comes out here.
//
// An operation that waits has three stages: it is tried; it was tried in vain, and nobody knows of
// it; it waits, and others may serve it, the oldest first. Cancellation can end the latter two.
#ifndef MODEL_CHANNEL_SEQUEL_H
#define MODEL_CHANNEL_SEQUEL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TASKS_MAX = 3, STEPS_MAX = 3, CHANNELS = 2, RING = 2 };
enum { OUTCOMES_MAX = 400, OUTCOME_SIZE = 40 };

enum verb { END, SEND, RECEIVE, CLOSE, SELECT, CANCEL, RING_ALARM };

struct part { // a send or receive of an operation
    unsigned char channel;
    unsigned char value; // to be sent; 0: it receives
};

struct step {
    enum verb verb;
    int tries; // never waits
    int timed; // may be ended by the alarm
    struct part part[2];
};

struct script {
    const char *name;
    int tasks;
    unsigned capacity[CHANNELS];
    unsigned filled; // messages 8 and 9 of channel 0 at the start
    int parked;      // so many wait, one behind the other, before the rest begins
    int exact;       // all that may come out does
    struct step steps[TASKS_MAX][STEPS_MAX];
};

// What a step came to: the number of its part in the upper half, and in the lower the value that
// was received, 0 for what was sent, or one of these.
enum { CLOSED = 10, LATE, CANCELLED, ALREADY };

struct results {
    unsigned char of[TASKS_MAX][STEPS_MAX];
};

struct outcomes {
    int count;
    char text[OUTCOMES_MAX][OUTCOME_SIZE];
    char seen[OUTCOMES_MAX];
};

struct sequel {
    const struct script *script;
    struct results results;
    int at[TASKS_MAX], stage[TASKS_MAX], since[TASKS_MAX], late[TASKS_MAX];
    int clock, cancelled;
    int closed[CHANNELS];
    unsigned count[CHANNELS];
    unsigned char ring[CHANNELS][RING];
};

enum { UNTRIED, LOOKED, WAITS };

static int parts_of(const struct step *step)
{
    return step->verb == SELECT ? 2 : 1;
}

// The results, and what is left in the rings.
static void describe(char *text, const struct results *results, const unsigned *count,
                     unsigned char (*ring)[RING])
{
    int n = 0;
    for (int t = 0; t < TASKS_MAX; t++)
        for (int k = 0; k < STEPS_MAX; k++)
            n += sprintf(text + n, "%02x%s", results->of[t][k], k + 1 < STEPS_MAX ? "" : " ");
    for (int c = 0; c < CHANNELS; c++)
        for (unsigned i = 0; i < count[c]; i++)
            n += sprintf(text + n, "%c%d", 'a' + c, ring[c][i]);
}

static int find_outcome(const struct outcomes *all, const char *text)
{
    for (int i = 0; i < all->count; i++)
        if (!strcmp(all->text[i], text))
            return i;
    return -1;
}

static void add_outcome(struct outcomes *all, const char *text)
{
    if (find_outcome(all, text) >= 0)
        return;
    if (all->count == OUTCOMES_MAX)
        abort();
    strcpy(all->text[all->count++], text);
}

static const struct step *step_of(const struct sequel *s, int t)
{
    return &s->script->steps[t][s->at[t]];
}

static void settle(struct sequel *s, int t, int part, int what)
{
    s->results.of[t][s->at[t]] = (unsigned char)(part << 4 | what);
    s->at[t]++;
    s->stage[t] = UNTRIED;
}

// The task that waits longest to send to the channel, or to receive from it. -1: none.
static int partner_of(const struct sequel *s, int channel, int sends, int *part)
{
    int oldest = -1;
    for (int t = 0; t < s->script->tasks; t++) {
        const struct step *step = step_of(s, t);
        if (s->stage[t] != WAITS || (oldest >= 0 && s->since[t] > s->since[oldest]))
            continue;
        for (int p = parts_of(step); p-- > 0;)
            if (step->part[p].channel == channel && !step->part[p].value == !sends)
                oldest = t, *part = p;
    }
    return oldest;
}

static int sequel_send(struct sequel *s, int t, int p, struct part part)
{
    int other_part = 0, other = partner_of(s, part.channel, 0, &other_part);
    if (s->closed[part.channel]) {
        settle(s, t, p, CLOSED);
    } else if (other >= 0) {
        settle(s, other, other_part, part.value);
        settle(s, t, p, 0);
    } else if (s->count[part.channel] < s->script->capacity[part.channel]) {
        s->ring[part.channel][s->count[part.channel]++] = part.value;
        settle(s, t, p, 0);
    } else {
        return 0;
    }
    return 1;
}

static int sequel_receive(struct sequel *s, int t, int p, struct part part)
{
    int other_part = 0, other = partner_of(s, part.channel, 1, &other_part);
    unsigned char sent = other >= 0 ? step_of(s, other)->part[other_part].value : 0;
    unsigned char *ring = s->ring[part.channel];
    if (s->count[part.channel]) {
        settle(s, t, p, ring[0]);
        memmove(ring, ring + 1, --s->count[part.channel]);
        if (other >= 0)
            ring[s->count[part.channel]++] = sent;
    } else if (other >= 0) {
        settle(s, t, p, sent);
    } else if (s->closed[part.channel]) {
        settle(s, t, p, CLOSED);
    } else {
        return 0;
    }
    if (other >= 0)
        settle(s, other, other_part, 0);
    return 1;
}

// 0: it would have to wait.
static int sequel_part(struct sequel *s, int t, int p)
{
    struct part part = step_of(s, t)->part[p];
    return part.value ? sequel_send(s, t, p, part) : sequel_receive(s, t, p, part);
}

static void sequel_close(struct sequel *s, int t)
{
    int channel = step_of(s, t)->part[0].channel, before = s->closed[channel], part, other;
    s->closed[channel] = 1;
    for (int sends = 0; sends < 2; sends++)
        while ((other = partner_of(s, channel, sends, &part)) >= 0)
            settle(s, other, part, CLOSED);
    settle(s, t, 0, before ? ALREADY : 0);
}

static void explore(const struct sequel *s, struct outcomes *all);

// A task goes on with what it waits for, from whichever stage.
static void explore_parts(const struct sequel *s, int t, struct outcomes *all)
{
    const struct step *step = step_of(s, t);
    int happened = 0;
    for (int p = 0; p < parts_of(step); p++) {
        struct sequel next = *s;
        if (sequel_part(&next, t, p)) {
            happened = 1;
            explore(&next, all);
        }
    }
    if (happened)
        return;
    struct sequel next = *s;
    if (step->tries || s->late[t]) {
        settle(&next, t, 0, LATE);
    } else {
        next.stage[t]++;
        next.since[t] = next.clock++;
    }
    explore(&next, all);
}

static void explore_alarm(const struct sequel *s, int t, struct outcomes *all)
{
    int timed = step_of(s, 0)->timed;
    struct sequel next = *s;
    settle(&next, t, 0, 0);
    if (!timed || s->stage[0] != WAITS)
        explore(&next, all); // it did not wait yet
    if (!timed || s->stage[0] == UNTRIED)
        return;
    if (s->stage[0] == WAITS)
        settle(&next, 0, 0, LATE);
    else
        next.late[0] = 1;
    explore(&next, all);
}

static void explore_task(const struct sequel *s, int t, struct outcomes *all)
{
    const struct step *step = step_of(s, t);
    struct sequel next = *s;
    switch (step->verb) {
    case END:
        return;
    case SEND:
    case RECEIVE:
    case SELECT:
        if (s->cancelled && s->stage[t] != UNTRIED) {
            settle(&next, t, 0, CANCELLED);
            explore(&next, all);
        }
        if (s->stage[t] != WAITS)
            explore_parts(s, t, all);
        return;
    case CLOSE:
        sequel_close(&next, t);
        break;
    case CANCEL:
        next.cancelled = 1;
        settle(&next, t, 0, 0);
        break;
    case RING_ALARM:
        explore_alarm(s, t, all);
        return;
    }
    explore(&next, all);
}

static int has_ended(const struct sequel *s, int t)
{
    return s->at[t] == STEPS_MAX || step_of(s, t)->verb == END;
}

static void explore(const struct sequel *s, struct outcomes *all)
{
    int ended = 0;
    for (int t = 0; t < s->script->tasks; t++) {
        if (has_ended(s, t))
            ended++;
        else
            explore_task(s, t, all);
    }
    if (ended < s->script->tasks)
        return;
    struct sequel last = *s;
    char text[OUTCOME_SIZE * 2];
    describe(text, &last.results, last.count, last.ring);
    add_outcome(all, text);
}

static void sequel_outcomes(const struct script *script, struct outcomes *all)
{
    struct sequel s = {.script = script};
    s.count[0] = script->filled;
    for (unsigned i = 0; i < script->filled; i++)
        s.ring[0][i] = (unsigned char)(8 + i);
    for (int t = 0; t < script->parked; t++) {
        s.stage[t] = WAITS;
        s.since[t] = s.clock++;
    }
    explore(&s, all);
}

#endif
