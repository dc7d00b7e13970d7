// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See parameter.hpp.
#include "common/parameter.hpp"

#include <utility>

#include "common/describe.hpp"
#include "common/kernels/cast.hpp"
#include "common/kernels/fill.hpp"

namespace ref {

Parameter::Parameter(Gpu& gpu, std::string name, const prof::Dims& shape, Precision precision,
                     const Initial& initial)
    : name_(std::move(name)),
      shape_(shape),
      value_(static_cast<std::size_t>(elements(shape))),
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
              .attr("check_finite", true)) {
  const cudaStream_t stream = gpu.stream;
  fill_random(stream, value_.data(), value_.size(), initial.scale, initial.seed, initial.stream,
              initial.center);
  if (half_.size() > 0) cast(stream, value_.data(), half_.data(), half_.size());
  // A gradient that is never written is zero.
  zero(stream, grad_.data(), grad_.size());
  if (half_grad_.size() > 0) zero(stream, half_grad_.data(), half_grad_.size());
}

void Parameter::zero_grad(Gpu& gpu) {
  const prof::Op op(zero_text_);
  if (half_grad_.size() > 0) {
    zero(gpu.stream, half_grad_.data(), half_grad_.size());
  } else {
    zero(gpu.stream, grad_.data(), grad_.size());
  }
}

void Parameter::unscale(Gpu& gpu, ScalerState* state, bool divide) {
  const prof::Op op(unscale_text_);
  const cudaStream_t stream = gpu.stream;
  if (half_grad_.size() > 0) {
    ref::unscale(stream, half_grad_.data(), grad_.data(), grad_.size(), state, divide);
  } else {
    ref::unscale(stream, grad_.data(), grad_.data(), grad_.size(), state, divide);
  }
}

}  // namespace ref
