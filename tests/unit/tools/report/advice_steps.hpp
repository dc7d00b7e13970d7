// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Steps that tests of advice state.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/report/advice/advisor.hpp"

namespace prof::reports {

inline constexpr double kMs = 1e6;

/// A step of 10 ms on an H200, of which the host needs half.
inline StepFacts step() {
  DeviceRow device;
  device.name = "NVIDIA H200";
  StepFacts facts;
  facts.peaks = devices::device_peaks(device);
  facts.period_ns = facts.gpu_ns = 10 * kMs;
  facts.host_ns = 5 * kMs;
  facts.step.has_steps = true;
  facts.step.steps = {{{}, 0}};
  return facts;
}

inline WorkGroup kernels(std::string op, std::string op_inner, Direction direction, double count,
                         double gpu_ns) {
  WorkGroup made;
  made.layer = "h.0";
  made.op = std::move(op);
  made.op_inner = std::move(op_inner);
  made.direction = direction;
  made.count = count;
  made.gpu_ns = made.computed_ns = gpu_ns;
  made.is_main = true;
  return made;
}

inline WorkGroup product(DType dtype, GemmShape gemm, double gpu_ns) {
  WorkGroup made = kernels("linear", "aten::mm", Direction::kFprop, 1, gpu_ns);
  made.is_product = made.is_product_kernel = true;
  made.dtype = dtype;
  made.tensor_core = dtype == DType::kFloat32 ? TensorCore::kNo : TensorCore::kYes;
  made.gemm = gemm;
  made.layout = "tn";
  made.flops = 2.0 * static_cast<double>(gemm.m * gemm.n * *gemm.k * gemm.batch);
  made.compute_ns = made.flops / (dtype == DType::kFloat32 ? 67e12 : 989.5e12) * 1e9;
  return made;
}

inline WorkGroup over(std::vector<std::int64_t> shape, WorkGroup group) {
  group.tensors.push_back({.name = "x", .dtype = DType::kBFloat16, .shape = std::move(shape)});
  return group;
}

inline const Advice* by(const std::vector<Advice>& all, std::string_view rule) {
  const auto found = std::ranges::find(all, rule, &Advice::rule);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace prof::reports
