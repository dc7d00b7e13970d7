// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/advice/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "libprof/base/counted.hpp"
#include "tools/report/reports/layer_view.hpp"

namespace prof::reports {

void WorkTime::add(const WorkGroup& group) {
  count += group.count;
  gpu_ns += group.gpu_ns;
  host_ns += group.host_ns;
  flops += group.flops;
  bytes += group.bytes;
}

Gain less(double now_ns, double peak_ns, Efficiency efficiency) {
  return {std::max(0.0, now_ns - peak_ns / efficiency.low),
          std::max(0.0, now_ns - peak_ns / efficiency.high)};
}

Gain operator+(Gain one, Gain other) {
  return {one.low_ns + other.low_ns, one.high_ns + other.high_ns};
}

double memory_ns(const StepFacts& facts, double bytes) {
  const auto peak = facts.peaks.bytes();
  return peak ? bytes / peak->per_s * 1e9 : 0;
}

double tensor_core_ns(const StepFacts& facts, double flops, DType dtype) {
  const auto peak = facts.peaks.flops(dtype, true);
  return peak ? flops / peak->per_s * 1e9 : 0;
}

double elements(const Tensor& tensor) { return static_cast<double>(element_count(tensor.shape)); }

double most_elements(const WorkGroup& group) {
  double most = 0;
  for (const Tensor& tensor : group.tensors) most = std::max(most, elements(tensor));
  return most;
}

bool is_16_bit(DType dtype) { return dtype == DType::kFloat16 || dtype == DType::kBFloat16; }

bool is_loss(const WorkGroup& group) {
  return group.op.find("loss") != std::string::npos || group.op == "cross_entropy" ||
         group.op.find("softmax") != std::string::npos;
}

std::string time_in(const WorkTime& time, std::string_view one, std::string_view many) {
  const auto count = static_cast<std::uint64_t>(std::llround(time.count));
  return fmt::format("{:.3g} ms in {}", time.gpu_ns / 1e6, counted(count, one, many));
}

std::string list_of(const std::vector<std::string>& names) {
  std::vector<std::string> distinct;
  for (const std::string& name : names) {
    if (!name.empty() && std::ranges::find(distinct, name) == distinct.end()) {
      distinct.push_back(name);
    }
  }
  if (distinct.empty()) return {};
  if (distinct.size() == 1) return distinct[0];
  if (distinct.size() == 2) return distinct[0] + " and " + distinct[1];
  return fmt::format("{}, {} and {} more", distinct[0], distinct[1], distinct.size() - 2);
}

std::string layers_text(const std::vector<const WorkGroup*>& groups) {
  std::vector<std::string_view> paths;
  for (const WorkGroup* group : groups) paths.emplace_back(group->layer);
  return list_of(fold_numbers(paths));
}

std::string exact_layers_text(const std::vector<const WorkGroup*>& groups) {
  std::vector<std::string> names;
  for (const WorkGroup* group : groups) names.push_back(group->layer);
  return list_of(names);
}

std::string kernels_where(std::string_view condition) {
  return fmt::format("-r kernels --where \"{}\"", condition);
}

}  // namespace prof::reports
