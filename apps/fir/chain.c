// SPDX-License-Identifier: Apache-2.0
// The parts of the chain, and all of it one after the other.
#include "apps/fir/fir.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twill/twill.h>

#define LANES 8 // samples that are summed side by side

// A low pass: the sinc of its cutoff under Hamming's window, each stage a little narrower.
static void design(double *tap, uint32_t taps, uint32_t stage)
{
    double cutoff = 0.45 / (1 + 0.25 * stage), sum = 0;
    for (uint32_t i = 0; i < taps; i++) {
        double t = (double)i - (taps - 1) / 2.0;
        double sinc = t == 0 ? 2 * cutoff : sin(2 * M_PI * cutoff * t) / (M_PI * t);
        double window = taps == 1 ? 1 : 0.54 - 0.46 * cos(2 * M_PI * i / (taps - 1));
        tap[i] = sinc * window;
        sum += tap[i];
    }
    for (uint32_t i = 0; i < taps; i++)
        tap[i] /= sum;
}

bool fir_make(struct fir *job)
{
    job->tap = malloc((size_t)job->stages * job->taps * sizeof *job->tap);
    job->power = calloc((size_t)1 << job->log2n, sizeof *job->power);
    job->digest = 0;
    bool made = fft_plan_make(&job->plan, job->log2n);
    if (!made || !job->tap || !job->power)
        return false;
    for (uint32_t stage = 0; stage < job->stages; stage++)
        design(job->tap + (size_t)stage * job->taps, job->taps, stage);
    return true;
}

void fir_free(struct fir *job)
{
    free(job->tap);
    free(job->power);
    fft_plan_free(&job->plan);
}

// A triangle wave and noise. The state counts samples in its upper half.
void fir_signal(uint64_t *state, double *x, size_t count)
{
    uint64_t at = *state >> 32, noise = *state & UINT32_MAX;
    for (size_t i = 0; i < count; i++, at++) {
        noise = (noise * 1664525 + 1013904223) & UINT32_MAX;
        double wave = fabs((double)(at % 100) - 50) / 50 - 0.5;
        x[i] = wave + (double)noise * 0x1p-33;
    }
    *state = at << 32 | noise;
}

void fir_apply(const double *tap, size_t taps, const double *x, double *y, size_t count)
{
    for (size_t i = 0; i < count; i += LANES) {
        double sum[LANES] = {0};
        for (size_t j = 0; j < taps; j++)
            for (size_t lane = 0; lane < LANES; lane++)
                sum[lane] += tap[j] * (x + i - j)[lane];
        memcpy(y + i, sum, sizeof sum);
    }
}

static uint64_t digested(uint64_t digest, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (digest ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
}

void fir_add(struct fir *job, const struct fft_number *x, size_t from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        job->power[from + i] += x[i].re * x[i].re + x[i].im * x[i].im;
        job->digest = digested(digested(job->digest, x[i].re), x[i].im);
    }
}

static void transform_all(struct fir *job, const double *x, struct fft_number *block)
{
    size_t n = job->plan.n;
    for (uint32_t b = 0; b < job->blocks; b++, x += n) {
        for (size_t i = 0; i < n; i++)
            block[i] = (struct fft_number){x[i], 0};
        fft_sequential(&job->plan, block);
        fir_add(job, block, 0, n);
    }
}

int fir_sequential(struct fir *job)
{
    size_t count = job->blocks * job->plan.n, before = job->taps - 1;
    double *x = calloc(before + count, sizeof *x), *y = calloc(before + count, sizeof *y);
    struct fft_number *block = malloc(job->plan.n * sizeof *block);
    bool made = x && y && block;
    if (made) {
        uint64_t state = 0;
        fir_signal(&state, x + before, count);
        for (uint32_t stage = 0; stage < job->stages; stage++) {
            const double *tap = job->tap + (size_t)stage * job->taps;
            fir_apply(tap, job->taps, x + before, y + before, count);
            double *other = x;
            x = y;
            y = other;
        }
        transform_all(job, x + before, block);
    }
    free(x);
    free(y);
    free(block);
    return made ? 0 : TW_ENOMEM;
}
