// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See parameter.hpp.
#include "common/parameter.hpp"

#include <utility>

#include "common/kernels/cast.hpp"
#include "common/kernels/fill.hpp"

namespace ref {
namespace {

std::size_t element_count(const prof::Dims& shape) {
  std::size_t count = 1;
  for (std::size_t i = 0; i < shape.rank(); ++i) count *= static_cast<std::size_t>(shape[i]);
  return count;
}

prof::OpBuilder describe_step(const prof::Dims& shape, bool fp16, float learning_rate) {
  prof::OpBuilder op = prof::op("sgd").update();
  op.in("param", shape, prof::DType::float32).in("grad", shape, prof::DType::float32);
  op.out("param", shape, prof::DType::float32);
  if (fp16) op.out("half", shape, prof::DType::float16);
  return op.attr("lr", learning_rate);
}

}  // namespace

Parameter::Parameter(Gpu& gpu, std::string name, const prof::Dims& shape, Precision precision,
                     const Initial& initial, float learning_rate)
    : name_(std::move(name)),
      shape_(shape),
      learning_rate_(learning_rate),
      value_(element_count(shape)),
      grad_(value_.size()),
      half_(precision == Precision::fp16 ? value_.size() : 0),
      half_grad_(half_.size()),
      zero_text_(prof::op("zero").update().out(
          "grad", shape, half_.size() > 0 ? prof::DType::float16 : prof::DType::float32)),
      unscale_text_(
          prof::op("unscale")
              .update()
              .in("grad", shape, half_.size() > 0 ? prof::DType::float16 : prof::DType::float32)
              .out("grad", shape, prof::DType::float32)
              .attr("check_finite", true)),
      step_text_(describe_step(shape, half_.size() > 0, learning_rate)) {
  const cudaStream_t stream = gpu.stream.get();
  fill_random(stream, value_.data(), value_.size(), initial.scale, initial.seed, initial.stream);
  if (half_.size() > 0) cast(stream, value_.data(), half_.data(), half_.size());
}

void Parameter::zero_grad(Gpu& gpu) {
  const prof::Op op(zero_text_);
  if (half_grad_.size() > 0) {
    zero(gpu.stream.get(), half_grad_.data(), half_grad_.size());
  } else {
    zero(gpu.stream.get(), grad_.data(), grad_.size());
  }
}

void Parameter::unscale(Gpu& gpu, ScalerState* state, bool divide) {
  const prof::Op op(unscale_text_);
  const cudaStream_t stream = gpu.stream.get();
  if (half_grad_.size() > 0) {
    ref::unscale(stream, half_grad_.data(), grad_.data(), grad_.size(), state, divide);
  } else {
    ref::unscale(stream, grad_.data(), grad_.data(), grad_.size(), state, divide);
  }
}

void Parameter::step(Gpu& gpu, const ScalerState* state) {
  const prof::Op op(step_text_);
  sgd(gpu.stream.get(), value_.data(), grad_.data(), half_.size() > 0 ? half_.data() : nullptr,
      value_.size(), learning_rate_, state);
}

}  // namespace ref
