// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Peak throughput of a GPU's tensor cores.
#pragma once

#include <optional>

namespace ref {

/// Dense fp16 or bf16 FLOPs per clock of one multiprocessor of this compute capability, a fused
/// multiply-add counting as two; nullopt for unknown architectures.
[[nodiscard]] std::optional<int> tensor_flops_per_clock(int major, int minor);

/// The current device's dense fp16 and bf16 tensor-core FLOPs per second at its highest clock.
/// Throws GpuError.
[[nodiscard]] std::optional<double> tensor_peak_flops();

}  // namespace ref
