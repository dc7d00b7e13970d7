// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The model's 16 parameter tensors in one allocation, their gradients in another. A tensor of the
// blocks is stacked: its first dimension is the layer.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/layer.hpp"
#include "gpt/config.hpp"
#include "gpt/context.hpp"

namespace ref {

/// Numbers of tensors, in memory order; of a layer with a bias, which follows, that of the weight.
enum class GptTensor : std::uint8_t {
  wte = 0,
  wpe = 1,
  ln_1 = 2,
  c_attn = 4,
  attn_c_proj = 6,
  ln_2 = 8,
  c_fc = 10,
  mlp_c_proj = 12,
  ln_f = 14,
};

struct GptTensorInfo {
  std::string name;  // "attn.c_attn.weight"
  prof::Dims shape;
  std::size_t offset;  // in elements, a multiple of 8
  std::size_t size;
  std::size_t stride;   // from block to block; 0 if the tensor is not stacked
  bool decays;          // matrices lose weight in every step, vectors do not
  float center, scale;  // values start uniform in [center - scale, center + scale)
};

/// All 16, by GptTensor.
[[nodiscard]] std::vector<GptTensorInfo> describe_tensors(const GptConfig& config);

class GptParameters {
 public:
  /// Launches the initialization.
  GptParameters(GptContext& context, const GptConfig& config);

  [[nodiscard]] const std::vector<GptTensorInfo>& tensors() const { return tensors_; }
  /// Elements of all tensors.
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] const DeviceBuffer<__nv_bfloat16>& values() const { return values_; }
  [[nodiscard]] DeviceBuffer<__nv_bfloat16>& values() { return values_; }
  [[nodiscard]] const DeviceBuffer<__nv_bfloat16>& gradients() const { return gradients_; }
  [[nodiscard]] DeviceBuffer<__nv_bfloat16>& gradients() { return gradients_; }

  /// A tensor, and its bias if it has one; of one block where they are stacked.
  [[nodiscard]] LayerWeights<__nv_bfloat16> weights(GptTensor tensor, int block = 0);

 private:
  std::vector<GptTensorInfo> tensors_;
  DeviceBuffer<__nv_bfloat16> values_;
  DeviceBuffer<__nv_bfloat16> gradients_;
};

}  // namespace ref
