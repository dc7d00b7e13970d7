// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What the benchmark measures: the memory-bound kernels of reference_models/common/kernels, each on
// tensors several times as large as an L2 cache.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ref::bench {

struct Row {
  std::string kernel;  // as its header calls it; several kernels, where a function launches them
  std::string shape;
  double bytes;  // that must be moved at least: each operand read or written once
  std::function<void(cudaStream_t)> launch;
};

struct Tensors;  // on the device, shared by all rows

/// Rows keep the tensors alive. Throws GpuError where memory is short.
[[nodiscard]] std::shared_ptr<Tensors> make_tensors();
[[nodiscard]] std::vector<Row> make_rows(const std::shared_ptr<Tensors>& tensors);
/// The yardstick: the runtime's own copy on the device.
[[nodiscard]] Row copy_row(const std::shared_ptr<Tensors>& tensors);

}  // namespace ref::bench
