// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// One trainable tensor with its gradient; an optimizer (sgd.hpp, lamb.hpp) updates it.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>
#include <prof/annotate.hpp>
#include <string>

#include "common/device_buffer.hpp"
#include "common/gpu.hpp"
#include "common/kernels/update.hpp"

namespace ref {

/// How a parameter starts: uniform in center + [-scale, scale), a function of seed and stream.
struct Initial {
  float scale;
  std::uint64_t seed;
  std::uint64_t stream;
  float center = 0;
};

/// An fp32 parameter. With `fp16` layers use a half-precision copy and give a half-precision
/// gradient, which unscale() turns into the fp32 one; otherwise both are the same.
class Parameter {
 public:
  enum class Precision { fp32, fp16 };

  Parameter(Gpu& gpu, std::string name, const prof::Dims& shape, Precision precision,
            const Initial& initial);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const prof::Dims& shape() const { return shape_; }
  [[nodiscard]] Precision precision() const {
    return half_.size() > 0 ? Precision::fp16 : Precision::fp32;
  }

  [[nodiscard]] std::size_t size() const { return value_.size(); }
  [[nodiscard]] const DeviceBuffer<float>& value() const { return value_; }
  [[nodiscard]] const DeviceBuffer<float>& grad() const { return grad_; }
  [[nodiscard]] float* value() { return value_.data(); }
  [[nodiscard]] float* grad() { return grad_.data(); }
  [[nodiscard]] const __half* half() const { return half_.data(); }
  [[nodiscard]] __half* half() { return half_.data(); }
  [[nodiscard]] const DeviceBuffer<__half>& half_grad() const { return half_grad_; }
  [[nodiscard]] __half* half_grad() { return half_grad_.data(); }

  // Each is one op; the caller opens the layer.
  void zero_grad(Gpu& gpu);
  void unscale(Gpu& gpu, ScalerState* state, bool divide);

 private:
  std::string name_;
  prof::Dims shape_;
  DeviceBuffer<float> value_;
  DeviceBuffer<float> grad_;
  DeviceBuffer<__half> half_;
  DeviceBuffer<__half> half_grad_;
  prof::OpText zero_text_;
  prof::OpText unscale_text_;
};

}  // namespace ref
