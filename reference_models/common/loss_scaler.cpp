// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See loss_scaler.hpp.
#include "common/loss_scaler.hpp"

#include "common/kernels/elementwise.hpp"

namespace ref {
namespace {

prof::OpBuilder describe(prof::OpBuilder op, const char* a, const char* b, const char* out) {
  return op.in(a, {1}, prof::DType::float32)
      .in(b, {1}, prof::DType::float32)
      .out(out, {1}, prof::DType::float32);
}

}  // namespace

LossScaler::LossScaler(const GradientTerms& terms, float initial_scale)
    : keep_scale_(terms.keep("loss.scale")),
      keep_unscale_(terms.keep("loss.unscale")),
      state_(std::vector<ScalerState>{{initial_scale, 0, 0}}),
      one_(std::vector<float>{1.0f}),
      scale_text_(describe(prof::op("mul").fprop(), "loss", "scale", "scaled_loss")),
      scale_backward_text_(describe(prof::op("mul").bprop(), "dscaled_loss", "scale", "dloss")),
      clear_text_(prof::op("zero").update().out("found_inf", {1}, prof::DType::int32)),
      adjust_text_(describe(prof::op("mul").update(), "scale", "factor", "scale")) {}

void LossScaler::scale_loss(Gpu& gpu, const float* loss, float* scaled) {
  const prof::Op op(scale_text_);
  mul_scalars(gpu.stream, loss, &state()->scale, scaled);
}

void LossScaler::scale_gradient(Gpu& gpu, float* dloss) {
  const prof::Op op(scale_backward_text_);
  mul_scalars(gpu.stream, one_.data(), keep_scale_ ? &state()->scale : one_.data(), dloss);
}

void LossScaler::clear(Gpu& gpu) {
  const prof::Op op(clear_text_);
  check(cudaMemsetAsync(&state()->found_infinite, 0, sizeof(int), gpu.stream));
}

void LossScaler::adjust(Gpu& gpu) {
  const prof::Op op(adjust_text_);
  adjust_scale(gpu.stream, state());
}

}  // namespace ref
