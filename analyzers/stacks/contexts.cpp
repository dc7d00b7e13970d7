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

/// A context's id, flags of what is entered, and what that is. Text ids start at 1, so no key is 0.
std::uint64_t key_of(const Context& around, const ParsedText& text) {
  return (std::uint64_t{around.id} << 32) | text.id;
}

}  // namespace

void Contexts::clear() {
  children_.clear();
  contexts_.clear();
  ops_.forget();
  contexts_.emplace_back();
}

Context* Contexts::enter(Context* around, const ParsedText& text) {
  const std::uint64_t key = key_of(*around, text);
  if (Context* const* known = children_.find(key)) return *known;
  return add(key, prof::enter(around->facts, text.meaning.what, ops_));
}

Context* Contexts::enter_linked(Context* forward, const ParsedText& text,
                                const BackwardNode& node) {
  constexpr std::uint64_t kLinked = std::uint64_t{1} << 63;
  const std::uint64_t key = key_of(*forward, text) | kLinked;
  if (Context* const* known = children_.find(key)) return *known;
  return add(key, prof::enter_linked(forward->facts, node, ops_));
}

Context* Contexts::enter_rerun(Context* node) {
  const std::uint64_t key = std::uint64_t{node->id} << 32;  // that of no text
  if (Context* const* known = children_.find(key)) return *known;
  return add(key, prof::enter_rerun(node->facts));
}

Context* Contexts::leave_optimizer(Context* inside) {
  constexpr std::uint64_t kLeft = std::uint64_t{1} << 62;
  const std::uint64_t key = (std::uint64_t{inside->id} << 32) | kLeft;  // that of no text
  if (Context* const* known = children_.find(key)) return *known;
  return add(key, prof::leave_optimizer(inside->facts));
}

Context* Contexts::enter_site(Context* around, std::uint32_t number,
                              const std::shared_ptr<const CompiledSite>& site) {
  constexpr std::uint64_t kSite = std::uint64_t{1} << 60;
  const std::uint64_t key = (std::uint64_t{around->id} << 32) | kSite | number;
  if (Context* const* known = children_.find(key)) return *known;
  return add(key, prof::enter_site(around->facts, site));
}

Context* Contexts::enter_kernel(Context* around, const OpRef& op, StringId name) {
  constexpr std::uint64_t kKernel = std::uint64_t{1} << 59;
  const std::uint64_t key = (std::uint64_t{around->id} << 32) | kKernel | name.value;
  if (Context* const* known = children_.find(key)) return *known;
  return add(key, prof::enter_kernel(around->facts, op, ops_));
}

Context* Contexts::enter_layer(Context* around, std::uint32_t layer, const std::string& path) {
  constexpr std::uint64_t kLayer = std::uint64_t{1} << 61;
  const std::uint64_t key = (std::uint64_t{around->id} << 32) | kLayer | layer;
  if (Context* const* known = children_.find(key)) return *known;
  Facts facts = around->facts;
  facts.layer.plain_path = path;
  facts.layer.is_of_process = true;
  return add(key, std::move(facts));
}

Context* Contexts::enter_plain_op(Context* around, PlainRole role) {
  constexpr std::uint64_t kPlain = std::uint64_t{1} << 58;
  const std::uint64_t key = (std::uint64_t{around->id} << 32) | kPlain;
  if (Context* const* known = children_.find(key)) return *known;
  return add(key, prof::enter_plain_op(around->facts, role));
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
