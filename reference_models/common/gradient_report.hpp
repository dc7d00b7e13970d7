// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What --check prints: how far the GPU's tensors are from the reference's, one line each, and a
// verdict.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/cpu_tensor.hpp"
#include "common/device_buffer.hpp"

namespace ref {

/// |got - want| / |want|, in the Euclidean norm (|got| where want is all zeros); infinity if
/// anything is not finite or the sizes differ.
[[nodiscard]] double relative_error(const cpu::Tensor& got, const cpu::Tensor& want);

/// The same of how far both moved from `start`.
[[nodiscard]] double relative_move_error(const cpu::Tensor& got, const cpu::Tensor& want,
                                         const cpu::Tensor& start);

/// The same for single numbers.
[[nodiscard]] double relative_error(double got, double want);

/// A tensor on the host, in double precision. Waits for the whole device.
template <typename T>
[[nodiscard]] cpu::Tensor download_tensor(const DeviceBuffer<T>& buffer) {
  cpu::Tensor tensor;
  tensor.reserve(buffer.size());
  for (const T& value : buffer.download()) {
    tensor.push_back(static_cast<double>(static_cast<float>(value)));
  }
  return tensor;
}

/// Lines on stdout. Used by one thread.
class GradientReport {
 public:
  /// An error of at most `tolerance` passes.
  explicit GradientReport(double tolerance) : tolerance_(tolerance) {}

  /// `exact_error` is the distance from a reference that never rounds to the tensor's type, for
  /// information only. `tolerance` replaces the report's for this line.
  void line(const std::string& what, double error, std::optional<double> exact_error = {},
            std::optional<double> tolerance = {});

  /// Prints the verdict, "check passed" or "check FAILED: N lines"; true if every line passed.
  [[nodiscard]] bool finish() const;

 private:
  double tolerance_;
  int failures_ = 0;
};

}  // namespace ref
