// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// OpCatalog: what is known about ops beyond a range's text: their models and roles. Used by the
// fact rules. Immutable; any thread.
#pragma once

#include <string_view>

#include "analyzers/ops/op_model.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {

class OpCatalog {
 public:
  OpCatalog() { register_builtin(models_); }

  /// Null: no model knows the op.
  [[nodiscard]] const OpModel* model_of(const OpDesc& op) const { return models_.find(op.op); }
  /// A model can compute the op's FLOPs or its matrix product.
  [[nodiscard]] bool can_count(const OpDesc& op) const;
  /// The work of `inner`, which `outer` calls, costs what the model of `inner` says. Both can be
  /// counted. Where one model knows both, the outer op may know more (that its attention is causal)
  /// or count more (a bias that is added afterwards). An inner op that does not state its element
  /// types counts only what is another, smaller computation; one whose result has an unknown size
  /// does not count where it is most of the outer op.
  [[nodiscard]] bool counts_apart(const OpDesc& inner, const OpDesc& outer) const;
  /// A product of which a model can tell the gradients.
  [[nodiscard]] bool has_gradients(const OpDesc& op) const;
  /// A model knows the op, and its work is not to sort, scan, select or number elements.
  [[nodiscard]] bool ordering_prepares(const OpDesc& op) const;
  /// A collective: an op of its own wherever it is called.
  [[nodiscard]] bool is_between_devices(const OpDesc& op) const;
  /// What the op's model states about it.
  [[nodiscard]] OpFacts facts_of(const OpDesc& op) const { return evaluate(model_of(op), op); }

 private:
  Registry models_;
};

/// A framework's op computes what its own name says, whatever it is called for: a product in a
/// backward node is a product.
OpDesc as_called(const OpDesc& op);

/// True for ops that only convert, copy, fill or rearrange: inside another op they have their own
/// cost.
bool prepares(const OpDesc& op);

/// The name the user knows.
std::string_view word_for_people(const OpDesc& op);

/// True if the user-visible name of `op` is one of the space-separated `words`.
bool is_one_of(const OpDesc& op, std::string_view words);

}  // namespace prof::ops
