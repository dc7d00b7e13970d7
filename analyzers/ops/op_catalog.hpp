// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// OpCatalog: the one door to what is known of ops beyond the texts of ranges: which model knows an
// op, what role it plays, and what it costs where it is called (count()). Facts from an op's own
// description are kept until forget(): its model is asked once, however many layers call it. One
// thread.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "analyzers/ops/argument_types.hpp"
#include "analyzers/ops/op_model.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {

using SharedOp = std::shared_ptr<const OpDesc>;

/// The surroundings of an op, which say more about it than its own description.
struct OpContext {
  KernelTypes kernel = {};     ///< By the name of the kernel whose work it is.
  SharedOp inner = nullptr;    ///< The innermost op, which launches the kernel; null: not known.
  SharedOp forward = nullptr;  ///< The forward op of the backward node around it, if linked.
  /// For a backward node whose ops state no shapes: the forward product that has the gradients.
  SharedOp product = nullptr;
  Direction direction = Direction::kNone;  ///< Direction of an op that the program states.
  bool is_framework = false;               ///< A framework's op computes what its own name says.
  bool is_direct = false;                  ///< It is the innermost op itself.
  bool is_shown = false;                   ///< Its parameters are those that are printed.
  /// A backward node whose ops state no shapes: the op is a forward op, and what is counted is its
  /// backward.
  bool is_bare_node = false;
};

/// The identity and cost of an op in its context.
struct OpInContext {
  OpFacts facts;  ///< With the types that the kernel suggests, where those say more.
  std::optional<GemmShape> stated_gemm;  ///< Without them.
  bool is_product = false;
  bool ordering_prepares = false;  ///< As OpAttribution::ordering_prepares.
  /// The gradients of an op that computes several, by Part.
  struct Gradients {
    GradientOps ops;
    std::array<std::optional<OpFacts>, GradientAttributions::kParts> facts = {};
  };
  std::optional<Gradients> gradients = std::nullopt;
};

class OpCatalog {
 public:
  OpCatalog() { register_builtin(models_); }

  /// Null: no model knows the op.
  [[nodiscard]] const OpModel* model_of(const OpDesc& op) const { return models_.find(op.op); }
  /// A model can compute the op's FLOPs or its matrix product.
  [[nodiscard]] bool can_count(const SharedOp& op) const;
  /// The work of `inner`, which `outer` calls, costs what the model of `inner` says. Both can be
  /// counted. Where one model knows both, the outer op may know more (that its attention is causal)
  /// or count more (a bias that is added afterwards). An inner op that does not state its element
  /// types counts only what is another, smaller computation; one whose result has an unknown size
  /// does not count where it is most of the outer op; nor does a library's call of the product that
  /// the outer op is, or one whose own cost is an estimate.
  [[nodiscard]] bool counts_apart(const SharedOp& inner, const SharedOp& outer) const;
  /// A product whose gradients a model knows.
  [[nodiscard]] bool has_gradients(const OpDesc& op) const;
  /// A model knows the op, and its work is not to sort, scan, select or number elements.
  [[nodiscard]] bool ordering_prepares(const OpDesc& op) const;
  /// A collective: an op of its own wherever it is called.
  [[nodiscard]] bool is_between_devices(const OpDesc& op) const;

  /// The facts that the op's model states about it.
  [[nodiscard]] OpFacts facts_of(const OpDesc& op) const { return evaluate(model_of(op), op); }
  /// The facts of a framework's op, which computes what its own name says (as_called()). Valid
  /// until forget().
  [[nodiscard]] const OpFacts& called(const SharedOp& op) const;
  /// The identity and cost of the op in that context.
  [[nodiscard]] OpInContext in_context(const SharedOp& op, const OpContext& context) const;

  /// Forgets what ops state; call it before there are too many.
  void forget() { known_.clear(); }

 private:
  struct Known {
    std::optional<OpFacts> called;
    std::optional<OpFacts> typed;  // with some type where none is stated
  };
  const OpFacts& typed(const SharedOp& op) const;

  // Parts of in_context().
  [[nodiscard]] DType type_of_fill_inside(const OpContext& context) const;
  [[nodiscard]] OpClaims claims_of(const OpFacts& facts, const OpDesc& op,
                                   const OpContext& context) const;
  [[nodiscard]] OpInContext::Gradients count_gradients(GradientOps ops, const OpContext& context,
                                                       bool is_product) const;

  Registry models_;
  mutable std::unordered_map<SharedOp, Known> known_;
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
