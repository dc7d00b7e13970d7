// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The sum of two gradients that reach the same tensor.
#pragma once

#include <cuda_fp16.h>

#include <prof/annotate.hpp>

#include "common/device_buffer.hpp"
#include "common/gpu.hpp"

namespace ref {

/// An op `add` of two fp16 gradients of the same shape. A test may omit either.
class GradientSum {
 public:
  GradientSum(const prof::Dims& shape, std::size_t size, bool keep_a = true, bool keep_b = true);

  /// Valid until the next call.
  const __half* add(Gpu& gpu, const __half* a, const __half* b);

 private:
  bool keep_a_, keep_b_;
  DeviceBuffer<__half> sum_;
  prof::OpText text_;
};

}  // namespace ref
