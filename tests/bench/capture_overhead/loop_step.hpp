// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The launch-bound workload, for launch_loop and, as libloop_step.so, for loop_overhead.py. Each
// returns 0, or a cudaError_t.
#pragma once

#define LOOP_EXPORT extern "C" __attribute__((visibility("default")))

/// Launches a step.
LOOP_EXPORT int loop_step(void);
/// Waits for all of them.
LOOP_EXPORT int loop_wait(void);
