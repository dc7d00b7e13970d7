// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What the reference programs do on a GPU besides checking gradients. All write their result to
// stdout and throw GpuError.
#pragma once

#include "common/run_options.hpp"
#include "common/workload.hpp"

namespace ref {

/// Warm-up steps, then counted ones; prints "loss X".
void train(const Workload& workload, const RunOptions& options);

/// Trains twice, each time for as many steps as train(); true if both end with bitwise identical
/// parameters.
[[nodiscard]] bool trains_deterministically(const Workload& workload, const RunOptions& options);

/// True if the loss falls as the workload says it must.
[[nodiscard]] bool overfits(const Workload& workload);

}  // namespace ref
