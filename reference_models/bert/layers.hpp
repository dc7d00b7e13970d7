// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The layers between the products: norm, dropout, GELU after a bias, and the sum of two gradients.
// fp16, one op each.
#pragma once

#include <cuda_fp16.h>

#include <string>

#include "bert/config.hpp"
#include "bert/dropout_source.hpp"
#include "common/linear.hpp"
#include "transformer/norm_op.hpp"

namespace ref {

/// What the model's parts are made from.
struct BertSetup : LayerSetup {
  const BertConfig& config;

  [[nodiscard]] prof::Dims tokens() const { return {config.batch, config.length}; }
  [[nodiscard]] prof::Dims row(std::int64_t width) const { return join(tokens(), width); }
  [[nodiscard]] prof::Dims hidden() const { return row(config.hidden); }
  /// Of a weight, and of its bias, whose layer has `in` inputs.
  [[nodiscard]] Initial initial(int in, std::uint64_t stream) const;
};

/// Layer norm of x (batch, length, hidden), a layer of its own. Terms: NAME.weight, .bias, .data.
class Norm {
 public:
  Norm(const BertSetup& setup, const std::string& name, const std::string& layer,
       std::uint64_t stream);

  /// Valid until the next call.
  const __half* forward(Gpu& gpu, const __half* x);
  /// The gradient of x, which must be as it was in forward(); valid until the next call.
  const __half* backward(Gpu& gpu, const __half* x, const __half* dy);

 private:
  [[nodiscard]] LayerWeights<__half> weights();

  LayerTerms terms_;
  Parameter &weight_, &bias_;
  NormOp<__half> op_;
  NormOutput<__half> out_;
  DeviceBuffer<__half> dx_;
  prof::LayerText layer_;
};

/// Dropout of a tensor. Term: NAME.
class Dropout {
 public:
  /// `number` is the layer's in the source.
  Dropout(const BertSetup& setup, const std::string& name, const prof::Dims& shape, int number);

  /// Valid until the next call. `step` counts from 0.
  const __half* forward(Gpu& gpu, const __half* x, std::uint64_t step);
  /// Of the last forward().
  [[nodiscard]] const __half* output() const { return y_.data(); }
  /// Valid until the next call.
  const __half* backward(Gpu& gpu, const __half* dy);

 private:
  DropoutSource source_;
  int number_;
  bool keep_;
  DeviceBuffer<__half> y_, dx_;
  DeviceBuffer<std::uint8_t> mask_;
  prof::OpText forward_text_, backward_text_;
};

/// y = gelu(x + bias) of x (batch, length, width). Terms: NAME.data, NAME.bias.
class BiasGelu {
 public:
  BiasGelu(const BertSetup& setup, const std::string& name, int width, std::uint64_t stream);

  /// Valid until the next call.
  const __half* forward(Gpu& gpu, const __half* x);
  /// The gradient of x, valid until the next call.
  const __half* backward(Gpu& gpu, const __half* x, const __half* dy);

 private:
  int rows_, width_;
  LayerTerms terms_;
  Parameter& bias_;
  DeviceBuffer<__half> y_, dx_;
  DeviceBuffer<float> scratch_;
  prof::OpText forward_text_, backward_text_;
};

/// The sum of two gradients that reach the same hidden states. A test may omit either.
class GradientSum {
 public:
  explicit GradientSum(const BertConfig& config, bool keep_a = true, bool keep_b = true);

  /// Valid until the next call.
  const __half* add(Gpu& gpu, const __half* a, const __half* b);

 private:
  bool keep_a_, keep_b_;
  DeviceBuffer<__half> sum_;
  prof::OpText text_;
};

}  // namespace ref
