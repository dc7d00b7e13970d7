// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See projection.hpp.
#include "bert/projection.hpp"

#include <cmath>

#include "bert/describe.hpp"
#include "common/kernels/bias.hpp"

namespace ref {
namespace {

int row_count(const prof::Dims& tokens) {
  std::int64_t count = 1;
  for (std::size_t i = 0; i < tokens.rank(); ++i) count *= tokens[i];
  return static_cast<int>(count);
}

prof::OpBuilder describe_bias(const ProjectionSizes& s) {
  const prof::Dims y = join(s.tokens, {s.out});
  if (s.bias == BiasForm::bias) {
    return prof::op("bias").fprop().in("y", y, kHalf).in("bias", {s.out}, kHalf).out("y", y, kHalf);
  }
  return prof::op("add").fprop().in("a", {s.out}, kHalf).in("b", y, kHalf).out("out", y, kHalf);
}

}  // namespace

Initial weight_initial(const BertConfig& c, int in, std::uint64_t stream) {
  return {1.0f / std::sqrt(static_cast<float>(in)), c.seed, stream};
}

Projection::Texts::Texts(const ProjectionSizes& s)
    : product(prof::op("linear")
                  .fprop()
                  .in("x", join(s.tokens, {s.in}), kHalf)
                  .in("weight", {s.out, s.in}, kHalf)
                  .out("y", join(s.tokens, {s.out}), kHalf)
                  .attr("compute", "float32")),
      bias(describe_bias(s)),
      data_gradient(prof::op("linear")
                        .bprop(prof::Part::data)
                        .in("dy", join(s.tokens, {s.out}), kHalf)
                        .in("weight", {s.out, s.in}, kHalf)
                        .out("dx", join(s.tokens, {s.in}), kHalf)
                        .attr("compute", "float32")),
      weight_gradient(prof::op("linear")
                          .bprop(prof::Part::weight)
                          .in("dy", join(s.tokens, {s.out}), kHalf)
                          .in("x", join(s.tokens, {s.in}), kHalf)
                          .out("dweight", {s.out, s.in}, kHalf)
                          .attr("compute", "float32")),
      bias_gradient(prof::op("bias")
                        .bprop(prof::Part::bias)
                        .in("dy", join(s.tokens, {s.out}), kHalf)
                        .out("dbias", {s.out}, kHalf)) {}

Projection::Projection(Gpu& gpu, const GradientTerms& terms, const std::string& name,
                       const ProjectionSizes& s, const Initial& initial, Parameter* shared)
    : sizes_(s),
      rows_(row_count(s.tokens)),
      keep_bias_(terms.keep(name + ".bias")),
      keep_data_(terms.keep(name + ".data")),
      keep_weight_(terms.keep(name + ".weight")),
      own_weight_(shared != nullptr
                      ? nullptr
                      : std::make_unique<Parameter>(gpu, name + ".weight", prof::Dims{s.out, s.in},
                                                    Parameter::Precision::fp16, initial)),
      weight_(shared != nullptr ? shared : own_weight_.get()),
      y_(volume(rows_, s.out)),
      dx_(volume(rows_, s.in)),
      scratch_(s.bias == BiasForm::none ? 0 : bias_gradient_scratch(s.out)),
      texts_(s) {
  if (s.bias == BiasForm::none) return;
  const Initial bias_initial{initial.scale, initial.seed, initial.stream + 1};
  bias_ = std::make_unique<Parameter>(gpu, name + ".bias", prof::Dims{s.out},
                                      Parameter::Precision::fp16, bias_initial);
}

Projection::Projection(Gpu& gpu, const GradientTerms& terms, const std::string& name,
                       const ProjectionSizes& sizes, const Initial& initial)
    : Projection(gpu, terms, name, sizes, initial, nullptr) {}

Projection::Projection(Gpu& gpu, const GradientTerms& terms, const std::string& name,
                       const ProjectionSizes& sizes, const Initial& initial, Parameter& weight)
    : Projection(gpu, terms, name, sizes, initial, &weight) {}

__half* Projection::forward(Gpu& gpu, const __half* x) {
  {
    const prof::Op op(texts_.product);
    gpu.blas.linear(rows_, sizes_.in, sizes_.out, x, weight_->half(), y_.data(), sizes_.x_pitch);
  }
  if (bias_ != nullptr) {
    const prof::Op op(texts_.bias);
    bias_add(gpu.stream.get(), y_.data(), bias_->half(), rows_, sizes_.out);
  }
  return y_.data();
}

void Projection::bias_backward(Gpu& gpu, const __half* dy) {
  if (!keep_bias_) return;
  const prof::Op op(texts_.bias_gradient);
  bias_gradient(gpu.stream.get(), dy, bias_->half_grad(), scratch_.data(), rows_, sizes_.out);
}

__half* Projection::data_backward(Gpu& gpu, const __half* dy) {
  const prof::Op op(texts_.data_gradient);
  if (keep_data_) {
    gpu.blas.linear_data_gradient(rows_, sizes_.in, sizes_.out, dy, weight_->half(), dx_.data());
  } else {
    check(cudaMemsetAsync(dx_.data(), 0, dx_.size() * sizeof(__half), gpu.stream.get()));
  }
  return dx_.data();
}

void Projection::weight_backward(Gpu& gpu, const __half* x, const __half* dy) {
  const prof::Op op(texts_.weight_gradient);
  if (keep_weight_) {
    gpu.blas.linear_weight_gradient(rows_, sizes_.in, sizes_.out, dy, x, weight_->half_grad(),
                                    sizes_.x_pitch);
  } else {
    check(cudaMemsetAsync(weight_->half_grad(), 0, weight_->size() * sizeof(__half),
                          gpu.stream.get()));
  }
}

__half* Projection::backward(Gpu& gpu, const __half* x, const __half* dy) {
  if (bias_ != nullptr) bias_backward(gpu, dy);
  __half* dx = data_backward(gpu, dy);
  weight_backward(gpu, x, dy);
  return dx;
}

std::vector<Parameter*> Projection::parameters() {
  std::vector<Parameter*> all;
  if (own_weight_ != nullptr) all.push_back(own_weight_.get());
  if (bias_ != nullptr) all.push_back(bias_.get());
  return all;
}

}  // namespace ref
