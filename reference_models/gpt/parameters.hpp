// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The model's 16 parameter tensors in one allocation, their gradients in another. A tensor of the
// blocks is stacked: its first dimension is the layer.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>
#include <prof/annotate.hpp>
#include <string>
#include <vector>

#include "common/device_buffer.hpp"
#include "gpt/config.hpp"
#include "gpt/context.hpp"

namespace ref {

/// In memory order.
enum class GptTensor : std::uint8_t {
  wte,
  wpe,
  ln_1_weight,
  ln_1_bias,
  c_attn_weight,
  c_attn_bias,
  attn_c_proj_weight,
  attn_c_proj_bias,
  ln_2_weight,
  ln_2_bias,
  c_fc_weight,
  c_fc_bias,
  mlp_c_proj_weight,
  mlp_c_proj_bias,
  ln_f_weight,
  ln_f_bias,
};

struct GptTensorInfo {
  std::string name;  // "attn.c_attn.weight"
  prof::Dims shape;
  std::size_t offset;  // in elements, a multiple of 8
  std::size_t size;
  std::size_t stride;   // from layer to layer; 0 if the tensor is not stacked
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

  /// Of one layer, where the tensor is stacked.
  [[nodiscard]] const __nv_bfloat16* value(GptTensor tensor, int layer = 0) const {
    return values_.data() + offset(tensor, layer);
  }
  [[nodiscard]] __nv_bfloat16* gradient(GptTensor tensor, int layer = 0) {
    return gradients_.data() + offset(tensor, layer);
  }

 private:
  [[nodiscard]] std::size_t offset(GptTensor tensor, int layer) const {
    const GptTensorInfo& info = tensors_[static_cast<std::size_t>(tensor)];
    return info.offset + info.stride * static_cast<std::size_t>(layer);
  }

  std::vector<GptTensorInfo> tensors_;
  DeviceBuffer<__nv_bfloat16> values_;
  DeviceBuffer<__nv_bfloat16> gradients_;
};

}  // namespace ref
