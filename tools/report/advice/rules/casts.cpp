// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rule casts: parameters that are converted in each step, as autocast does with weights in float32.
// Weights kept in the type of the products need none of it, nor do their gradients, nor the results
// that autocast converts for norms and losses; and what works on any of them moves half the bytes.
// Products in float16 need a scaled loss and weights in float32: of bfloat16 alone.
#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "tools/report/advice/facts/parts.hpp"
#include "tools/report/advice/rules/registry.hpp"

namespace prof::rules {
namespace {

using namespace reports;

/// Fewer are no weights of a model's layers.
constexpr double kLeastCasts = 10;
/// Part of their time that norms, other elementwise ops and the optimizer save with half the bytes.
constexpr Efficiency kHalf = {0.25, 0.5};

/// Part of the host's time up to the casts' launches: that of the first cast in an op is also the
/// op's.
constexpr Efficiency kCastsHost = {0.4, 0.8};

constexpr std::array<std::string_view, 3> kCastsOfTheProgram = {"copy_", "_to_copy", "to"};

bool is_wide(const WorkGroup& group) {
  return group.dtype == DType::kFloat32 || group.operand == DType::kFloat32;
}

/// Inside of another op: the program did not ask for it, autocast did.
bool is_cast(const WorkGroup& group) {
  if (group.op_inner != "aten::copy_" && group.op_inner != "aten::_to_copy") return false;
  return is_wide(group) && group.direction != Direction::kUpdate &&
         std::ranges::find(kCastsOfTheProgram, group.op) == kCastsOfTheProgram.end();
}

std::vector<Advice> find_casts(const StepFacts& facts) {
  std::set<std::string_view> products;
  for (const WorkGroup& group : facts.groups) {
    if (!group.is_product_kernel) continue;
    if (group.dtype == DType::kFloat16) return {};
    if (group.dtype == DType::kBFloat16) products.insert(group.op);
  }
  WorkTime found, others, wide;
  for (const WorkGroup& group : facts.groups) {
    if (group.kind != GpuRow::Kind::kKernel) continue;
    if (is_cast(group) && products.contains(group.op)) {
      found.add(group);
    } else if (is_cast(group)) {
      others.add(group);
    } else if (is_wide(group) && !group.is_product && !is_loss(group)) {
      wide.add(group);
    }
  }
  if (found.count < kLeastCasts) return {};
  Advice made = advice_about(facts, found, "keep weights in 16 bits", "cast for products",
                             "casts for products");
  const double casts_ns = found.gpu_ns + others.gpu_ns;
  made.gain = facts.gain(
      Gain{0.7 * casts_ns, casts_ns} + Gain{kHalf.low * wide.gpu_ns, kHalf.high * wide.gpu_ns},
      {kCastsHost.low * (found.host_ns + others.host_ns),
       kCastsHost.high * (found.host_ns + others.host_ns)});
  made.show = kernels_where(layers_and_ops(found.groups) + " AND " + inner_ops(found.groups) +
                            " AND 'float32' IN (dtype, operand)");
  return {made};
}

}  // namespace

void register_casts(Registry& registry) {
  registry.add({"casts", "casts of the same weights in each step", find_casts});
}

}  // namespace prof::rules
