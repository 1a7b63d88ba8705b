// SPDX-License-Identifier: Apache-2.0
// How long a steal takes between two places.
#ifndef TWB_TRIP_H
#define TWB_TRIP_H

// Arguments: for how many milliseconds tasks are offered, and "apart" for places that share no
// memory. Prints JSON at place 0, times in seconds: `trip`, from the request to the first stolen
// task; `round_trip` of the fabric; `hand_over` of a task to another worker of a place that
// searches; `ratio` of the first to both together. Returns the exit status.
int twb_trip(int argc, char **argv);

#endif
