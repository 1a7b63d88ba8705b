// SPDX-License-Identifier: Apache-2.0
// All of Twill.
#ifndef TWILL_TWILL_H
#define TWILL_TWILL_H

#include <twill/attempt.h>
#include <twill/channel.h>
#include <twill/collection.h>
#include <twill/global.h>
#include <twill/io.h>
#include <twill/loop.h>
#include <twill/matrix.h>
#include <twill/network.h>
#include <twill/phaser.h>
#include <twill/place.h>
#include <twill/pool.h>
#include <twill/reducer.h>
#include <twill/report.h>
#include <twill/runtime.h>
#include <twill/sync.h>
#include <twill/task.h>
#include <twill/wait.h>

#endif
