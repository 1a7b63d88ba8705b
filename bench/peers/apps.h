// SPDX-License-Identifier: Apache-2.0
// Sort, skynet and FFT as each peer in C and C++ does them (openmp_apps.c, tbb_apps.cpp). Input,
// sequential kernels and cut-offs are the applications' own.
#ifndef PEER_APPS_H
#define PEER_APPS_H

#include "../app_data.h"
#include "../serve.h"
#include "apps/skynet/skynet.h"

#ifdef __cplusplus
extern "C" {
#endif

struct twb_answer peer_run_sort(const struct twb_job *job);
struct twb_answer peer_run_sort_library(const struct twb_job *job); // oneTBB has one
struct twb_answer peer_run_skynet(const struct twb_job *job);
struct twb_answer peer_run_fft(const struct twb_job *job);

#ifdef __cplusplus
}
#endif
#endif
