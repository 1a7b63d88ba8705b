// SPDX-License-Identifier: Apache-2.0
#include "bare_fib.h"

#include "apps/fib/fib.c"
