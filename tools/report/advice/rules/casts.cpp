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
/// What norms, other elementwise ops and the optimizer gain by half the bytes.
constexpr Efficiency kHalf = {0.25, 0.5};

/// Of the host's time up to their launches: that of the first one in an op is also the op's.
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
  WorkTime time, others, wide;
  std::vector<const WorkGroup*> found;
  for (const WorkGroup& group : facts.groups) {
    if (group.kind != GpuRow::Kind::kKernel) continue;
    if (is_cast(group) && products.contains(group.op)) {
      time.add(group);
      found.push_back(&group);
    } else if (is_cast(group)) {
      others.add(group);
    } else if (is_wide(group) && !group.is_product && !is_loss(group)) {
      wide.add(group);
    }
  }
  if (time.count < kLeastCasts) return {};
  Advice made;
  made.what = "keep weights in 16 bits";
  made.evidence = time_in(facts, time, "cast for products", "casts for products");
  made.where = layers_text(found);
  const double casts_ns = time.gpu_ns + others.gpu_ns;
  made.gain = facts.gain(
      Gain{0.7 * casts_ns, casts_ns} + Gain{kHalf.low * wide.gpu_ns, kHalf.high * wide.gpu_ns},
      {kCastsHost.low * (time.host_ns + others.host_ns),
       kCastsHost.high * (time.host_ns + others.host_ns)});
  made.show = kernels_where(layers_and_ops(found) + " AND " + inner_ops(found) +
                            " AND 'float32' IN (dtype, operand)");
  return {made};
}

}  // namespace

void register_casts(Registry& registry) {
  registry.add({"casts", "casts of the same weights in each step", find_casts});
}

}  // namespace prof::rules
