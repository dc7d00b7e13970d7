// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/advice/facts/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "libprof/base/count_text.hpp"
#include "tools/report/filter/fold_numbers.hpp"
#include "tools/report/table/time_text.hpp"

namespace prof::reports {
namespace {

/// More make no condition that one can read.
constexpr std::size_t kMaxLayers = 6;
constexpr double kWorthSaying = 0.05;  // of the time beside it

std::string sql_text(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted.append(c == '\'' ? 2 : 1, c);
  return quoted + "'";
}

std::string sql_list(const std::set<std::string_view>& texts) {
  std::string list;
  for (const std::string_view text : texts) {
    if (!list.empty()) list += ", ";
    list += sql_text(text);
  }
  return list;
}

}  // namespace

void WorkTime::add(const WorkGroup& group) {
  count += group.count;
  gpu_ns += group.gpu_ns;
  host_ns += group.host_ns;
  flops += group.flops;
  bytes += group.bytes;
  groups.push_back(&group);
}

Gain less(double now_ns, double peak_ns, Efficiency efficiency) {
  return {std::max(0.0, now_ns - peak_ns / efficiency.low),
          std::max(0.0, now_ns - peak_ns / efficiency.high)};
}

Gain operator+(Gain one, Gain other) {
  return {one.low_ns + other.low_ns, one.high_ns + other.high_ns, one.most_ns + other.most_ns};
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

bool converts_layout(const WorkGroup& group) {
  return group.kernel.find("nchwToNhwc") != std::string::npos ||
         group.kernel.find("nhwcToNchw") != std::string::npos;
}

bool is_loss(const WorkGroup& group) {
  return group.op.find("loss") != std::string::npos || group.op == "cross_entropy" ||
         group.op.find("softmax") != std::string::npos;
}

bool is_shorter_unprofiled(const StepFacts& facts) { return facts.period_ns < facts.captured_ns; }

std::string in_ms(double time_ns) { return ms_text(std::max(time_ns, 0.0)); }

std::string time_in(const StepFacts& facts, const WorkTime& time, std::string_view one,
                    std::string_view many) {
  const auto count = static_cast<std::uint64_t>(std::llround(time.count));
  std::string text = fmt::format("{} ms in {}", in_ms(time.gpu_ns), count_text(count, one, many));
  const double between_ns = facts.with_turnaround(0, time.count);
  if (between_ns > kWorthSaying * time.gpu_ns) {
    text += fmt::format(", {} ms between them", in_ms(between_ns));
  }
  if (facts.host_ns > facts.gpu_ns) text += fmt::format("; {} ms of the host", in_ms(time.host_ns));
  return text;
}

Advice advice_about(const StepFacts& facts, const WorkTime& found, std::string what,
                    std::string_view one, std::string_view many) {
  Advice made;
  made.what = std::move(what);
  made.evidence = time_in(facts, found, one, many);
  made.where = layers_text(found.groups);
  return made;
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

std::vector<Advice> idle_advice(const StepFacts& facts, IdleCause cause, std::string_view what,
                                std::string_view meanwhile, Efficiency share) {
  const double idle = facts.idle_ns(cause);
  if (idle <= 0) return {};
  Advice made;
  made.what = what;
  const bool is_shorter = is_on_its_way(cause) && is_shorter_unprofiled(facts);
  made.evidence =
      fmt::format("{} ms idle{}: {}", in_ms(idle), is_shorter ? ", unprofiled" : "", meanwhile);
  made.gain = {share.low * idle, share.high * idle, kApart * idle};
  made.show = fmt::format("gaps --where \"cause = '{}'\"", name(cause));
  made.shows_all_steps = true;  // a step may lack it
  return {made};
}

std::string kernels_where(std::string_view condition) {
  std::string quoted;
  for (const char c : condition) {
    if (std::string_view("\"$`\\").find(c) != std::string_view::npos) quoted += '\\';
    quoted += c;
  }
  return fmt::format("kernels --where \"{}\"", quoted);
}

/// A folded layer as a pattern (libprof/base/glob.hpp). Only a '*' is one: it stands for the
/// numbers of layers.
std::string layer_glob(std::string_view layer) {
  std::string glob;
  for (const char c : layer) {
    if (c == '[' || c == '?') {
      glob.append("[").append(1, c).append("]");
    } else {
      glob += c;
    }
  }
  return glob;
}

std::string layers_and_ops(const std::vector<const WorkGroup*>& groups) {
  std::vector<std::string_view> paths;
  std::set<std::string_view> ops;
  for (const WorkGroup* group : groups) {
    paths.emplace_back(group->layer);
    ops.insert(group->op);
  }
  const std::vector<std::string> folded = fold_numbers(paths);
  const std::set<std::string_view> layers(folded.begin(), folded.end());
  std::string chosen = "op IN (" + sql_list(ops) + ")";
  if (layers.size() > kMaxLayers) return chosen;
  std::string any;
  for (const std::string_view layer : layers) {
    if (layer.empty()) return chosen;
    any += fmt::format("{}layer GLOB {}", any.empty() ? "" : " OR ", sql_text(layer_glob(layer)));
  }
  return fmt::format("({}) AND {}", any, chosen);
}

std::string inner_ops(const std::vector<const WorkGroup*>& groups) {
  std::set<std::string_view> ops;
  for (const WorkGroup* group : groups) ops.insert(group->op_inner);
  return "op_inner IN (" + sql_list(ops) + ")";
}

}  // namespace prof::reports
