// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Contexts: the distinct stacks of meanings, each with its facts. Equal texts on equal stacks share
// one context, and a context computes its attribution once. The owner bounds it by clearing it.
// Addresses are stable until then. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analyzers/base/flat_map.hpp"
#include "analyzers/facts/attribute.hpp"
#include "analyzers/facts/facts.hpp"
#include "analyzers/facts/plain_rules.hpp"
#include "analyzers/model/attribution.hpp"
#include "analyzers/ops/op_catalog.hpp"
#include "analyzers/ranges/range_texts.hpp"

namespace prof {

/// A distinct stack of meanings, without steps and numbers.
struct Context {
  static constexpr std::size_t kTypes = static_cast<std::size_t>(DType::kFloat4E2M1) + 1;

  /// First id of pinned contexts, which Contexts does not own. Ids have 27 bits (contexts.cpp).
  static constexpr std::uint32_t kFirstPinned = 1U << 26;

  std::uint32_t id = 0;
  Facts facts;
  /// By the kernel's data type, which matters only if no op states one. Computed on demand.
  std::array<std::shared_ptr<const OpAttribution>, kTypes> attributions;
  /// Attributions of kernels that handle more than one type.
  std::vector<std::pair<KernelTypes, std::shared_ptr<const OpAttribution>>> mixed;
  std::shared_ptr<const OpAttribution> of_whole_graph;  ///< Computed on demand.
};

class Contexts {
 public:
  Contexts() { clear(); }

  /// The context of the empty stack.
  Context* empty() { return &contexts_.front(); }
  /// The context of a range with this text inside `around`.
  Context* enter(Context* around, const ParsedText& text);
  /// The context of a backward node on the stack of its forward op.
  Context* enter_linked(Context* forward, const ParsedText& text, const BackwardNode& node);

  /// The context around a forward op that the node of context `node` runs again.
  Context* enter_rerun(Context* node);

  /// The context of what is on the stack of an optimizer's method and not its own.
  Context* leave_optimizer(Context* inside);

  /// The context of the work of that call of compiled code; `number` is its own in the trace.
  Context* enter_site(Context* around, std::uint32_t number,
                      const std::shared_ptr<const CompiledSite>& site);

  /// The context of a kernel that is that op by its own name.
  Context* enter_kernel(Context* around, const OpRef& op, StringId name);

  /// The context, which has no layer, in that one.
  Context* enter_layer(Context* around, std::uint32_t layer, const std::string& path);

  /// The attribution of work in that context by a kernel whose name suggests these types.
  const std::shared_ptr<const OpAttribution>& attribution(Context& context,
                                                          const KernelTypes& kernel);
  /// The attribution of a graph launched in that context and recorded as a whole.
  static const std::shared_ptr<const OpAttribution>& whole_graph(Context& context);

  [[nodiscard]] std::size_t size() const { return contexts_.size(); }
  void clear();

  /// The context, whose innermost plain range names an op of the work; what that makes of its
  /// layer depends on the range's path alone.
  Context* enter_plain_op(Context* around, PlainRole role);

  /// The context of a kernel of the program that is an op of its own; `name` is the kernel's.
  Context* enter_plain_kernel(Context* around, std::string_view kernel, StringId name);

 private:
  Context* add(std::uint64_t key, Facts facts);

  ops::OpCatalog ops_;
  std::deque<Context> contexts_;  // [0] is the empty stack
  FlatMap<Context*> children_;    // by the ids of context and text
};

}  // namespace prof
