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
#include "gpt/parameters.hpp"
#include "transformer/norm_op.hpp"

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

/// A norm's place in the model: its layer, parameters and saved values. All norms share one op,
/// which adds to its gradients.
class NormPlace {
 public:
  using T = __nv_bfloat16;
  using Op = NormOp<T>;

  /// `block` is the layer around it, null for none; it must outlive this object.
  NormPlace(const GptConfig& config, const LayerTerms& terms, const LayerWeights<T>& weights,
            const prof::LayerText* block, const std::string& layer);

  void forward(GptContext& context, const Op& norm, const T* x);
  void forward_sum(GptContext& context, const Op& norm, const T* x, const T* residual, T* sum);
  void backward(GptContext& context, Op& norm, const T* dy, const T* x, T* dx);
  [[nodiscard]] const T* y() const { return out_.y.data(); }

 private:
  LayerTerms terms_;
  LayerWeights<T> weights_;
  const prof::LayerText* block_;
  prof::LayerText layer_;
  NormOutput<T> out_;
};

/// Shared by all blocks: ops by shape, and scratch memory.
struct BlockOps {
  explicit BlockOps(const GptConfig& config);

  NormPlace::Op norm;
  Attention attention;
  Matmul c_attn, attn_c_proj, c_fc, mlp_c_proj;
  prof::OpText gelu_text;

  // (batch, length, ...): 4 * hidden, hidden, hidden. Values in the forward pass, gradients in the
  // backward pass.
  DeviceBuffer<__nv_bfloat16> wide, narrow, heads;
  DeviceBuffer<__nv_bfloat16> gelu;            // as wide, if GELU's output is not kept
  DeviceBuffer<__nv_bfloat16> dprobabilities;  // (batch, heads, length, length)
  DeviceBuffer<__nv_bfloat16> dheads;          // (3, batch, heads, length, head size)
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
  Block(const GptConfig& config, const GradientTerms& terms, GptParameters& parameters, int index,
        const std::string& name);

  void forward_attention(GptContext& context, BlockOps& ops, const T* residual_in);
  void forward_mlp(GptContext& context, BlockOps& ops, NormPlace& next);
  void backward_mlp(GptContext& context, BlockOps& ops, T* dresidual);
  void backward_attention(GptContext& context, BlockOps& ops, const T* residual_in, T* dresidual);
  void compute_gelu(GptContext& context, BlockOps& ops);
  [[nodiscard]] T* gelu_out(BlockOps& ops);

  std::size_t volume_;  // of the residual
  bool fused_gelu_, keeps_gelu_;
  std::string range_;  // "Layer INDEX"
  prof::LayerText layer_, attn_layer_{"attn"}, mlp_layer_{"mlp"}, gelu_layer_{"gelu"};
  Matmul::Place c_attn_, attn_c_proj_, c_fc_, mlp_c_proj_;
  AttentionTerms attention_terms_;
  bool keep_gelu_gradient_, keep_attn_residual_, keep_mlp_residual_;
  NormPlace ln_1_, ln_2_;
  DeviceBuffer<T> heads_, probabilities_, attention_out_;
  DeviceBuffer<T> middle_;  // the residual between attention and MLP
  DeviceBuffer<T> pre_gelu_, gelu_;
  DeviceBuffer<T> residual_;
};

}  // namespace ref
