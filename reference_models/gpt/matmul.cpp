// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See matmul.hpp.
#include "gpt/matmul.hpp"

#include "common/kernels/bias.hpp"
#include "common/kernels/gelu.hpp"

namespace ref {
namespace {

LinearFusion accumulating(LinearFusion fusion) {
  fusion.accumulate = true;
  return fusion;
}

Epilogue forward_epilogue(const LinearFusion& fusion) {
  if (fusion.gelu) return Epilogue::gelu_bias;
  return fusion.bias ? Epilogue::bias : Epilogue::none;
}

}  // namespace

Matmul::Matmul(const GptConfig& c, int in, int out, LinearFusion fusion)
    : sizes_{c.tokens(), in, out},
      fusion_(fusion),
      texts_({{c.batch, c.length}, in, out, kBfloat16}, accumulating(fusion)),
      gelu_text_(describe(prof::op("gelu").bprop(), kBfloat16,
                          {{"dy", {c.batch, c.length, in}}, {"x", {c.batch, c.length, in}}},
                          {{"dx", {c.batch, c.length, in}}})
                     .attr("approximate", "tanh")) {}

void Matmul::forward(GptContext& context, const Place& place, const T* x, T* y, T* pre_gelu) const {
  const prof::Op op(texts_.product);
  context.blas.linear(sizes_, x, place.weights.weight, fusion_.bias ? place.weights.bias : nullptr,
                      y, forward_epilogue(fusion_), fusion_.gelu ? pre_gelu : nullptr);
}

void Matmul::backward(GptContext& context, const Place& place, const Gradients& t,
                      const GeluBefore* gelu) const {
  const LayerWeights<T>& w = place.weights;
  const Range range("matmul_backward");
  const bool has_gelu = gelu != nullptr && gelu->keep;
  within(place.layer, [&] {
    if (fusion_.bias && place.terms.bias) {
      const prof::Op op(texts_.bias_gradient);
      bias_gradient(context.stream, t.dy, w.dbias, t.bias_scratch, sizes_.rows, sizes_.out, true);
    }
    const prof::Op op(texts_.data_gradient);
    if (place.terms.data) {
      const bool fused = fusion_.dgelu && has_gelu;
      context.blas.linear_data_gradient(sizes_, t.dy, w.weight, t.dx,
                                        fused ? Epilogue::dgelu : Epilogue::none,
                                        fused ? gelu->pre_gelu : nullptr);
    } else {
      clear(context.stream, t.dx, volume(sizes_.rows, sizes_.in));
    }
  });
  if (has_gelu && !fusion_.dgelu) {
    const Range gelu_range("gelu_backward_inplace");
    within(gelu->layer, gelu_text_, [&] {
      gelu_tanh_backward(context.stream, t.dx, gelu->pre_gelu, t.dx,
                         volume(sizes_.rows, sizes_.in));
    });
  }
  const prof::Layer weight_layer(place.layer);
  if (!place.terms.weight) return;
  const prof::Op op(texts_.weight_gradient);
  context.blas.linear_weight_gradient(sizes_, t.dy, t.x, w.dweight);
}

}  // namespace ref
