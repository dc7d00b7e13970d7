// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See matmul.hpp.
#include "gpt/matmul.hpp"

#include "common/kernels/bias.hpp"
#include "common/kernels/gelu.hpp"
#include "gpt/ranges.hpp"

namespace ref {
namespace {

prof::OpBuilder describe_forward(const GptConfig& c, int in, int out, const MatmulOptions& o) {
  prof::OpBuilder op = prof::op("linear").fprop();
  op.in("x", {c.batch, c.length, in}, kBfloat16).in("weight", {out, in}, kBfloat16);
  if (o.bias) op.in("bias", {out}, kBfloat16);
  op.out("y", {c.batch, c.length, out}, kBfloat16);
  if (o.gelu) op.out("aux", {c.batch, c.length, out}, kBfloat16);
  if (o.bias) op.attr("epilogue", o.gelu ? "gelu_bias" : "bias");
  return op.attr("compute", "float32");
}

prof::OpBuilder describe_data(const GptConfig& c, int in, int out, const MatmulOptions& o) {
  prof::OpBuilder op = prof::op("linear").bprop(prof::Part::data);
  op.in("dy", {c.batch, c.length, out}, kBfloat16).in("weight", {out, in}, kBfloat16);
  if (o.dgelu) op.in("aux", {c.batch, c.length, in}, kBfloat16).attr("epilogue", "dgelu");
  return op.out("dx", {c.batch, c.length, in}, kBfloat16).attr("compute", "float32");
}

Epilogue forward_epilogue(const MatmulOptions& o) {
  if (o.gelu) return Epilogue::gelu_bias;
  return o.bias ? Epilogue::bias : Epilogue::none;
}

}  // namespace

MatmulTerms::MatmulTerms(const GradientTerms& terms, const std::string& name)
    : bias(terms.keep(name + ".bias")),
      data(terms.keep(name + ".data")),
      weight(terms.keep(name + ".weight")) {}

Matmul::Texts::Texts(const GptConfig& c, int in, int out, const MatmulOptions& o)
    : forward(describe_forward(c, in, out, o)),
      bias(prof::op("bias")
               .bprop(prof::Part::bias)
               .in("dy", {c.batch, c.length, out}, kBfloat16)
               .in("dbias", {out}, kBfloat16)
               .out("dbias", {out}, kBfloat16)),
      data(describe_data(c, in, out, o)),
      weight(prof::op("linear")
                 .bprop(prof::Part::weight)
                 .in("dy", {c.batch, c.length, out}, kBfloat16)
                 .in("x", {c.batch, c.length, in}, kBfloat16)
                 .in("dweight", {out, in}, kBfloat16)
                 .out("dweight", {out, in}, kBfloat16)
                 .attr("compute", "float32")),
      gelu(prof::op("gelu")
               .bprop()
               .in("dy", {c.batch, c.length, in}, kBfloat16)
               .in("x", {c.batch, c.length, in}, kBfloat16)
               .out("dx", {c.batch, c.length, in}, kBfloat16)
               .attr("approximate", "tanh")) {}

Matmul::Matmul(const GptConfig& config, int in, int out, const MatmulOptions& options)
    : sizes_{config.tokens(), in, out}, options_(options), texts_(config, in, out, options) {}

void Matmul::forward(GptContext& context, const Forward& t) const {
  const prof::Op op(texts_.forward);
  const Range range("matmul_cublaslt");
  context.blas.linear(sizes_, t.x, t.weight, t.bias, t.y, forward_epilogue(options_),
                      options_.gelu ? t.pre_gelu : nullptr);
}

void Matmul::backward(GptContext& context, const Backward& t, const MatmulTerms& terms) const {
  const Range range("matmul_backward");
  {
    const prof::Layer layer(*t.layer);
    if (options_.bias && terms.bias) backward_bias(context, t);
    backward_data(context, t, terms.data);
  }
  if (t.gelu != nullptr && !options_.dgelu && t.gelu->keep) backward_gelu(context, t);
  const prof::Layer layer(*t.layer);
  if (terms.weight) backward_weight(context, t);
}

void Matmul::backward_bias(GptContext& context, const Backward& t) const {
  const prof::Op op(texts_.bias);
  bias_gradient(context.stream, t.dy, t.dbias, t.bias_scratch, sizes_.rows, sizes_.out, true);
}

void Matmul::backward_data(GptContext& context, const Backward& t, bool keep) const {
  const prof::Op op(texts_.data);
  if (!keep) {
    clear(context, t.dx, volume(sizes_.rows, sizes_.in));
    return;
  }
  const Range range("matmul_cublaslt");
  const bool fused = options_.dgelu && t.gelu != nullptr && t.gelu->keep;
  context.blas.linear_data_gradient(sizes_, t.dy, t.weight, t.dx,
                                    fused ? Epilogue::dgelu : Epilogue::none,
                                    fused ? t.gelu->pre_gelu : nullptr);
}

void Matmul::backward_gelu(GptContext& context, const Backward& t) const {
  const Range range("gelu_backward_inplace");
  const prof::Layer layer(*t.gelu->layer);
  const prof::Op op(texts_.gelu);
  gelu_tanh_backward(context.stream, t.dx, t.gelu->pre_gelu, t.dx, volume(sizes_.rows, sizes_.in));
}

void Matmul::backward_weight(GptContext& context, const Backward& t) const {
  const prof::Op op(texts_.weight);
  const Range range("matmul_cublaslt");
  context.blas.linear_weight_gradient(sizes_, t.dy, t.x, t.dweight);
}

}  // namespace ref
