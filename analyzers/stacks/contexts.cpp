// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/stacks/contexts.hpp"

#include <algorithm>
#include <utility>

#include "analyzers/facts/kernel_rules.hpp"
#include "analyzers/facts/optimizer_rules.hpp"
#include "analyzers/facts/rules.hpp"

namespace prof {
namespace {

/// Kinds of entries onto a stack; their numbers are parts of keys.
enum class Entered : std::uint8_t {
  kText,
  kLinked,
  kRerun,
  kLeft,
  kLayer,
  kSite,
  kKernel,
  kPlainOp,
  kPlainKernel,
};

/// Text ids start at 1, so no key is 0.
std::uint64_t key_of(const Context& around, Entered what, std::uint32_t number = 0) {
  constexpr int kIdBits = 27;
  return (static_cast<std::uint64_t>(what) << (32 + kIdBits)) | (std::uint64_t{around.id} << 32) |
         number;
}

}  // namespace

void Contexts::clear() {
  children_.clear();
  contexts_.clear();
  ops_.forget();
  contexts_.emplace_back();
}

Context* Contexts::enter(Context* around, const ParsedText& text) {
  const std::uint64_t key = key_of(*around, Entered::kText, text.id);
  if (Context* const* known = children_.find(key)) return *known;
  return add(key, prof::enter(around->facts, text.meaning.what, ops_));
}

Context* Contexts::enter_linked(Context* forward, const ParsedText& text,
                                const BackwardNode& node) {
  const std::uint64_t key = key_of(*forward, Entered::kLinked, text.id);
  if (Context* const* known = children_.find(key)) return *known;
  return add(key, prof::enter_linked(forward->facts, node, ops_));
}

Context* Contexts::enter_rerun(Context* node) {
  const std::uint64_t key = key_of(*node, Entered::kRerun);
  if (Context* const* known = children_.find(key)) return *known;
  return add(key, prof::enter_rerun(node->facts));
}

Context* Contexts::leave_optimizer(Context* inside) {
  const std::uint64_t key = key_of(*inside, Entered::kLeft);
  if (Context* const* known = children_.find(key)) return *known;
  return add(key, prof::leave_optimizer(inside->facts));
}

Context* Contexts::enter_site(Context* around, std::uint32_t number,
                              const std::shared_ptr<const CompiledSite>& site) {
  const std::uint64_t key = key_of(*around, Entered::kSite, number);
  if (Context* const* known = children_.find(key)) return *known;
  return add(key, prof::enter_site(around->facts, site));
}

Context* Contexts::enter_kernel(Context* around, const OpRef& op, StringId name) {
  const std::uint64_t key = key_of(*around, Entered::kKernel, name.value);
  if (Context* const* known = children_.find(key)) return *known;
  return add(key, prof::enter_kernel(around->facts, op, ops_));
}

Context* Contexts::enter_layer(Context* around, std::uint32_t layer, const std::string& path) {
  const std::uint64_t key = key_of(*around, Entered::kLayer, layer);
  if (Context* const* known = children_.find(key)) return *known;
  Facts facts = around->facts;
  facts.layer.plain_path = path;
  facts.layer.is_of_process = true;
  return add(key, std::move(facts));
}

Context* Contexts::enter_plain_op(Context* around, PlainRole role) {
  const std::uint64_t key = key_of(*around, Entered::kPlainOp);
  if (Context* const* known = children_.find(key)) return *known;
  return add(key, prof::enter_plain_op(around->facts, role));
}

Context* Contexts::enter_plain_kernel(Context* around, std::string_view kernel, StringId name) {
  const std::uint64_t key = key_of(*around, Entered::kPlainKernel, name.value);
  if (Context* const* known = children_.find(key)) return *known;
  return add(key, prof::enter_plain_kernel(around->facts, kernel));
}

Context* Contexts::add(std::uint64_t key, Facts facts) {
  Context& made = contexts_.emplace_back();
  made.id = static_cast<std::uint32_t>(contexts_.size() - 1);
  made.facts = std::move(facts);
  children_.insert(key, &made);
  return &made;
}

const std::shared_ptr<const OpAttribution>& Contexts::attribution(Context& context,
                                                                  const KernelTypes& kernel) {
  const auto make = [&] {
    return std::make_shared<const OpAttribution>(attribute(context.facts, kernel, ops_));
  };
  if (kernel == KernelTypes(kernel.operand)) {
    auto& made = context.attributions[static_cast<std::size_t>(kernel.operand)];
    if (!made) made = make();
    return made;
  }
  const auto same = [&](const auto& one) { return one.first == kernel; };
  const auto found = std::ranges::find_if(context.mixed, same);
  if (found != context.mixed.end()) return found->second;
  return context.mixed.emplace_back(kernel, make()).second;
}

const std::shared_ptr<const OpAttribution>& Contexts::whole_graph(Context& context) {
  auto& made = context.of_whole_graph;
  if (!made) made = std::make_shared<const OpAttribution>(attribute_whole_graph(context.facts));
  return made;
}

}  // namespace prof
