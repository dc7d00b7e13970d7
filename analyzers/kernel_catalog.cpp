// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/kernel_catalog.hpp"

#include <algorithm>
#include <utility>

#include "analyzers/kernels/element_traits.hpp"
#include "analyzers/kernels/kernel_facts.hpp"

namespace prof {
namespace {

/// A damaged trace may hold any number: stay far below where sums of weights could overflow.
std::int64_t bounded(double count) { return static_cast<std::int64_t>(std::min(count, 1e15)); }

KernelTypes types_of(const KernelFacts& kernel) {
  KernelTypes types = kernel.operand_dtype;
  types.elements = kernel.elements;
  types.converts = kernels::converts_operands(kernel.demangled);
  // The result of a product may be a workspace that a reduction converts.
  if (!kernel.is_product && kernel.output_dtype != kernel.operand_dtype) {
    types.result = kernel.output_dtype;
  }
  if (kernel.elements.copies) types.result = kernel.elements.copied_to;
  return types;
}

}  // namespace

WorkRole KernelEntry::role_in(const OpAttribution& op) const {
  if (facts == nullptr) return WorkRole::kCopy;
  // A bias copied into the result before the product is added to it.
  const bool prepares = op.claims.adds_products && claims.work == KernelClaims::Work::kCopy;
  const bool is_step_of_op = facts->is_ordering && op.ordering_prepares;
  if (facts->is_helper || prepares || is_step_of_op) return WorkRole::kHelper;
  return facts->is_product && op.is_product ? WorkRole::kProduct : WorkRole::kMain;
}

KernelCatalog::KernelCatalog(TraceReader& reader, std::size_t max_entries)
    : reader_(reader), max_entries_(max_entries) {}

const KernelEntry& KernelCatalog::of(const GpuRow& row) {
  if (row.kind != GpuRow::Kind::kKernel) return no_kernel_;
  const std::uint64_t key = std::uint64_t{row.config.value} + 1;
  if (const KernelEntry* known = configs_.find(key)) return *known;
  const LaunchConfig& launch = reader_.config(row.config);
  const StringId name = launch.name;
  auto [it, is_new] = names_.try_emplace(name.value);
  if (is_new) {
    auto facts = std::make_shared<const KernelFacts>(kernels::facts(reader_.string(name)));
    it->second = {facts, types_of(*facts), kernel_claims(*facts), kernel_op(*facts, name)};
  }
  KernelEntry entry = it->second;
  if (!entry.own_op.is_sure && !is_launch_of_triton(launch)) entry.own_op = {};
  entry.blocks = bounded(volume(launch.grid));
  entry.threads = bounded(volume(launch.grid) * volume(launch.block));
  return *configs_.insert(key, std::move(entry));
}

std::shared_ptr<const KernelFacts> KernelCatalog::split(
    const std::shared_ptr<const KernelFacts>& kernel) {
  auto& made = split_[kernel];
  if (made == nullptr) {
    auto facts = std::make_shared<KernelFacts>(*kernel);
    facts->split_k = true;
    made = std::move(facts);
  }
  return made;
}

void KernelCatalog::trim() {
  if (configs_.size() > max_entries_) configs_.clear();
  if (names_.size() <= max_entries_) return;
  names_.clear();
  split_.clear();
}

}  // namespace prof
