// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The layers between the products: norm, dropout, and GELU after a bias. fp16, one op each.
#pragma once

#include <cuda_fp16.h>

#include <prof/annotate.hpp>
#include <string>
#include <vector>

#include "common/gradient_terms.hpp"
#include "common/kernels/dropout.hpp"
#include "common/parameter.hpp"

namespace ref {

/// Layer norm of x (tokens..., width). Terms: NAME.weight, NAME.bias, NAME.data.
class Norm {
 public:
  Norm(Gpu& gpu, const GradientTerms& terms, const std::string& name, const prof::Dims& tokens,
       int width, std::uint64_t seed, std::uint64_t stream);

  /// Valid until the next call.
  const __half* forward(Gpu& gpu, const __half* x);
  /// The gradient of x, which must be as it was in forward(); valid until the next call.
  const __half* backward(Gpu& gpu, const __half* x, const __half* dy);

  [[nodiscard]] std::vector<Parameter*> parameters() { return {&weight_, &bias_}; }

 private:
  int rows_, width_;
  bool keep_weight_, keep_bias_, keep_data_;
  Parameter weight_, bias_;
  DeviceBuffer<__half> y_, dx_;
  DeviceBuffer<float> mean_, rstd_, scratch_;
  prof::OpText forward_text_, backward_text_;
};

/// Which elements the dropout layers of a step drop.
struct DropoutSource {
  float probability;
  std::uint64_t seed;

  /// The mask of layer number `layer` in step number `step`, both from 0.
  [[nodiscard]] DropoutMask mask(int layer, std::uint64_t step) const {
    constexpr std::uint64_t kStream = 1000000;  // far from those of parameters and batch
    constexpr std::uint64_t kLayers = 4096;
    return {probability, seed, kStream + step * kLayers + static_cast<std::uint64_t>(layer)};
  }
};

/// Dropout of a tensor. Term: NAME.
class Dropout {
 public:
  /// `layer` is its number in the source.
  Dropout(const GradientTerms& terms, const std::string& name, const prof::Dims& shape,
          const DropoutSource& source, int layer);

  /// Valid until the next call. `step` counts from 0.
  const __half* forward(Gpu& gpu, const __half* x, std::uint64_t step);
  /// Of the last forward().
  [[nodiscard]] const __half* output() const { return y_.data(); }
  /// Valid until the next call.
  const __half* backward(Gpu& gpu, const __half* dy);

 private:
  DropoutSource source_;
  int layer_;
  bool keep_;
  DeviceBuffer<__half> y_, dx_;
  DeviceBuffer<std::uint8_t> mask_;
  prof::OpText forward_text_, backward_text_;
};

/// gelu(x + bias), x (tokens..., width). Terms: NAME.data, NAME.bias.
class BiasGelu {
 public:
  BiasGelu(Gpu& gpu, const GradientTerms& terms, const std::string& name, const prof::Dims& tokens,
           int width, const Initial& initial);

  /// Valid until the next call.
  const __half* forward(Gpu& gpu, const __half* x);
  /// The gradient of x, valid until the next call.
  const __half* backward(Gpu& gpu, const __half* x, const __half* dy);

  [[nodiscard]] Parameter& bias() { return bias_; }

 private:
  int rows_, width_;
  bool keep_data_, keep_bias_;
  Parameter bias_;
  DeviceBuffer<__half> y_, dx_;
  DeviceBuffer<float> scratch_;
  prof::OpText forward_text_, backward_text_;
};

}  // namespace ref
