// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// One transformer block. It takes its input's norm from the previous block and computes the next
// one's, because each norm is fused with the preceding residual addition:
//
//   residual ---------------------------(+)--> residual --------------------------(+)--> residual
//   ln_1 -> c_attn -> attention -> c_proj -^--> ln_2 -> c_fc -> gelu -> c_proj -----^--> next norm
#pragma once

#include <initializer_list>
#include <string>

#include "gpt/attention.hpp"
#include "gpt/matmul.hpp"
#include "gpt/norm.hpp"
#include "gpt/parameters.hpp"

namespace ref {

/// Layers around a call, outermost first; null stands for none.
class [[nodiscard]] LayerPath {
 public:
  LayerPath(std::initializer_list<const prof::LayerText*> path) noexcept;
  ~LayerPath();
  LayerPath(const LayerPath&) = delete;
  LayerPath& operator=(const LayerPath&) = delete;

 private:
  int depth_ = 0;
};

/// A norm's place in the model: its layer, parameters and saved values.
class NormPlace {
 public:
  using T = __nv_bfloat16;

  /// `block` is the layer around it, null for none; `block` and `parameters` must outlive it.
  NormPlace(const GptConfig& config, const GradientTerms& terms, GptParameters& parameters,
            const prof::LayerText* block, const std::string& term, const std::string& layer,
            GptTensor weight, GptTensor bias, int index);

  void forward(GptContext& context, const Norm& norm, const T* x);
  void forward_sum(GptContext& context, const Norm& norm, const T* x, const T* residual, T* sum);
  void backward(GptContext& context, Norm& norm, const T* dy, const T* x, T* dx);
  [[nodiscard]] const T* y() const { return y_.data(); }

 private:
  [[nodiscard]] Norm::Output output() { return {y_.data(), mean_.data(), rstd_.data()}; }
  [[nodiscard]] Norm::Weights weights() const;

  GptParameters& parameters_;
  const prof::LayerText* block_;
  prof::LayerText layer_;
  NormTerms terms_;
  GptTensor weight_, bias_;
  int index_;
  DeviceBuffer<T> y_;
  DeviceBuffer<float> mean_, rstd_;
};

/// Shared by all blocks: ops by shape, and scratch memory.
struct BlockOps {
  explicit BlockOps(const GptConfig& config);

  Norm norm;
  Attention attention;
  Matmul c_attn, attn_c_proj, c_fc, mlp_c_proj;
  prof::OpText gelu_text;

  // (batch, tokens, ...): 4 * channels, channels, channels. Values in the forward pass, gradients
  // in the backward pass.
  DeviceBuffer<__nv_bfloat16> wide, narrow, heads;
  DeviceBuffer<__nv_bfloat16> gelu;            // as wide, if GELU's output is not kept
  DeviceBuffer<__nv_bfloat16> dprobabilities;  // (batch, heads, tokens, tokens)
  DeviceBuffer<__nv_bfloat16> dheads;          // (3, batch, heads, tokens, head size)
  DeviceBuffer<float> bias_scratch;
};

/// Terms: h.INDEX.mlp.gelu, .mlp.residual, .attn.residual and those of its parts.
class Block {
 public:
  using T = __nv_bfloat16;

  /// `parameters` must outlive the block.
  Block(const GptConfig& config, const GradientTerms& terms, GptParameters& parameters, int index);

  /// Takes the residual; ln_1 of it has been computed. Leaves residual() and `next` of it.
  void forward(GptContext& context, BlockOps& ops, const T* residual_in, NormPlace& next);
  /// Turns the gradient of residual() into that of residual_in, in place.
  void backward(GptContext& context, BlockOps& ops, const T* residual_in, T* dresidual);

  [[nodiscard]] NormPlace& ln_1() { return ln_1_; }
  [[nodiscard]] const T* residual() const { return residual_.data(); }

 private:
  struct Layers {
    explicit Layers(int index) : block("h." + std::to_string(index)) {}
    prof::LayerText block;
    prof::LayerText attn{"attn"}, mlp{"mlp"}, c_attn{"c_attn"}, c_proj{"c_proj"}, c_fc{"c_fc"};
    prof::LayerText gelu{"gelu"};
  };
  struct Terms {
    Terms(const GradientTerms& terms, const std::string& name);
    MatmulTerms c_attn, attn_c_proj, c_fc, mlp_c_proj;
    AttentionTerms attention;
    bool gelu, attn_residual, mlp_residual;
  };

  void forward_attention(GptContext& context, BlockOps& ops, const T* residual_in);
  void forward_mlp(GptContext& context, BlockOps& ops, NormPlace& next);
  void backward_mlp(GptContext& context, BlockOps& ops, T* dresidual);
  void backward_attention(GptContext& context, BlockOps& ops, const T* residual_in, T* dresidual);
  void compute_gelu(GptContext& context, BlockOps& ops);
  [[nodiscard]] Matmul::Backward gradients(BlockOps& ops, GptTensor weight, GptTensor bias) const;
  [[nodiscard]] T* gelu_out(BlockOps& ops);

  GptParameters& parameters_;
  int index_;
  std::size_t volume_;  // of the residual
  bool fused_gelu_, keeps_gelu_;
  std::string range_;  // "Layer INDEX"
  Layers layers_;
  Terms terms_;
  NormPlace ln_1_, ln_2_;
  DeviceBuffer<T> heads_, probabilities_, attention_out_;
  DeviceBuffer<T> middle_;  // the residual between attention and MLP
  DeviceBuffer<T> pre_gelu_, gelu_;
  DeviceBuffer<T> residual_;
};

}  // namespace ref
