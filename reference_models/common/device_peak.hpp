// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// How fast a GPU's tensor cores could be.
#pragma once

#include <optional>

namespace ref {

/// Dense fp16 or bf16 FLOPs that one multiprocessor of this compute capability does in a clock, a
/// fused multiply-add being two; nothing for architectures not known here.
[[nodiscard]] std::optional<int> tensor_flops_per_clock(int major, int minor);

/// The current device's dense fp16 and bf16 tensor-core FLOPs a second at its highest clock.
/// Throws GpuError.
[[nodiscard]] std::optional<double> tensor_peak_flops();

}  // namespace ref
