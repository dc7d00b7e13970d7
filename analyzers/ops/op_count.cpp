// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// OpCatalog::count(): completes an op's description by what surrounds it, asks its model, and adds
// what the types in the kernel's name say.
#include <algorithm>
#include <string>
#include <utility>

#include "analyzers/ops/aten_roles.hpp"
#include "analyzers/ops/forward_sizes.hpp"
#include "analyzers/ops/op_catalog.hpp"
#include "analyzers/ops/op_math.hpp"

namespace prof::ops {
namespace {

/// An op's description with what it leaves out and its context states.
struct CompletedOp {
  OpDesc op;
  OpDesc with_all_operands;  ///< Before operands that are not in memory are left out.
  bool drops_operand = false;
  bool takes_type = false;    ///< The type of its result is the kernel's.
  bool is_completed = false;  ///< It says more than it states in other ways.
};

/// Autocast may convert the result inside the op that the program calls: the type is then in the
/// kernel's name alone. True if `op` takes it from there.
bool takes_type_of_result(const OpContext& context, OpDesc& op) {
  const KernelTypes& kernel = context.kernel;
  const bool is_stated = std::ranges::any_of(op.tensors, is_output) || op.attrs.contains("dtype");
  if (!context.is_framework || is_stated || kernel.result == DType::kUnknown) return false;
  if (kernel.elements.copies && !prepares(op)) return false;
  op.attrs.emplace("dtype", std::string(name(kernel.result)));
  return true;
}

/// Adds facts that the text leaves out and the kernel's name or the forward op states.
void complete_from_around(const OpContext& context, CompletedOp& made) {
  const ElementTraits& elements = context.kernel.elements;
  made.with_all_operands = made.op;
  if (context.forward != nullptr && context.inner != nullptr) {
    made.is_completed = add_forward_sizes(made.op, *context.inner, *context.forward);
  }
  if (elements.accumulates && made.op.attrs.emplace("accumulate", true).second) {
    made.is_completed = true;
  }
  made.drops_operand = drop_stated_numbers(made.op) ||
                       (elements.has_number && drop_number(made.op, context.kernel.operand));
}

/// `op` has the types that it states, except for those that are converted inside of it.
CompletedOp completed(OpDesc op, const OpContext& context) {
  CompletedOp made;
  made.op = std::move(op);
  // A model counts by direction, which an enclosing op may have stated.
  made.op.direction = context.is_framework ? as_called(made.op).direction : context.direction;
  made.takes_type = takes_type_of_result(context, made.op);
  if (context.is_framework) complete_from_around(context, made);
  return made;
}

/// Sets the types that the text omits. False: the kernel's name has none.
bool take_kernel_types(const OpContext& context, OpDesc& op) {
  const KernelTypes& kernel = context.kernel;
  const ElementTraits& elements = kernel.elements;
  const DType from = kernel.converts ? DType::kUnknown : elements.copied_from;
  if (elements.copies && fill_copied_types(op, from, elements.copied_to)) return true;
  const DType type = kernel.operand == DType::kUnknown ? stand_in(elements.size) : kernel.operand;
  const std::string launched_by = context.inner == nullptr ? op.op : context.inner->op;
  return fill_types(op, type, context.is_direct, launched_by);
}

/// Bytes, and products whose FLOPs depend on the type, from the element types that the kernel
/// suggests.
void add_kernel_types(const OpContext& context, const OpModel* model, bool is_product, OpDesc op,
                      OpFacts& facts) {
  if (facts.cost.bytes || !take_kernel_types(context, op)) return;
  const KernelTypes& kernel = context.kernel;
  OpFacts filled = evaluate(model, op);
  if (filled.cost.flops == 0.0) facts.cost.flops = 0;  // of integers
  // The name of a kernel that converts does not say which operands have another type.
  if (kernel.converts && !kernel.elements.copies) return;
  if (counts_by_type(kernel.operand) && is_product) {
    facts.gemm = filled.gemm;
    if (context.is_shown) facts.params = std::move(filled.params);
    filled.cost.basis = Basis::kEstimated;
    facts.cost = filled.cost;
  }
  facts.cost.bytes = filled.cost.bytes;
  facts.cost.read = filled.cost.read;
  facts.cost.written = filled.cost.written;
  facts.operands = std::move(filled.operands);
  facts.cost.types_from_kernel = facts.cost.bytes.has_value();
  if (!facts.cost.flops && facts.cost.bytes) facts.cost.basis = Basis::kEstimated;
}

/// The cost of a backward op whose node's ops state no shapes: its FLOPs follow from the forward
/// op's shapes. Its bytes do not, because it is not known what the forward op saved.
OpFacts backward_of(const OpDesc& forward, const OpModel* model) {
  OpDesc op = forward;
  op.op = word_for_people(forward);
  op.direction = Direction::kBprop;
  OpFacts facts = evaluate(model, op);
  OpCost cost;
  cost.flops = facts.cost.flops;
  cost.basis = cost.flops ? Basis::kEstimated : Basis::kUnknown;
  facts.cost = cost;
  facts.gemm.reset();
  facts.params.clear();
  return facts;
}

/// The gradients that the work computes with kernels of their own, if it computes several.
std::optional<GradientOps> gradients_of(const OpContext& context, const OpDesc& op,
                                        const OpModel* model) {
  if (model == nullptr || model->gradients == nullptr) return std::nullopt;
  if (context.is_bare_node) {
    return context.product != nullptr ? model->gradients(*context.product) : std::nullopt;
  }
  const bool is_whole_backward = op.direction == Direction::kBprop && op.part == Part::kNone;
  return is_whole_backward ? model->gradients(op) : std::nullopt;
}

/// Nothing states a type: the op counts as one on floats.
bool may_be_of_integers(const OpModel* model, const OpDesc& op, const KernelTypes& kernel) {
  const auto is_stated = [](const Tensor& tensor) { return tensor.dtype != DType::kUnknown; };
  return model != nullptr && model->takes_integers && kernel.operand == DType::kUnknown &&
         std::ranges::none_of(op.tensors, is_stated);
}

bool has_no_product(const OpModel* model) { return model != nullptr && model->no_product; }

}  // namespace

DType OpCatalog::type_of_fill_inside(const OpContext& context) const {
  if (context.inner == nullptr || context.is_direct) return DType::kUnknown;
  const OpModel* model = model_of(*context.inner);
  return model != nullptr && model->fills ? called(context.inner).dtype : DType::kUnknown;
}

OpClaims OpCatalog::claims_of(const OpFacts& facts, const OpDesc& op,
                              const OpContext& context) const {
  OpClaims claims = facts.claims;
  claims.input_types = input_types(op.tensors);
  claims.adds_products = facts.gemm && facts.gemm->k.value_or(0) > 1;
  claims.no_product = has_no_product(model_of(op)) && context.inner != nullptr &&
                      has_no_product(model_of(*context.inner));
  return claims;
}

OpInContext::Gradients OpCatalog::count_gradients(GradientOps ops, const OpContext& context,
                                                  bool is_product) const {
  OpInContext::Gradients gradients{std::move(ops)};
  for (std::size_t i = 0; i < gradients.ops.of.size(); ++i) {
    const std::optional<OpDesc>& op = gradients.ops.of[i];
    if (!op) continue;
    const OpModel* model = model_of(*op);
    OpFacts facts = evaluate(model, *op);
    add_kernel_types(context, model, is_product, *op, facts);
    gradients.facts[i] = std::move(facts);
  }
  return gradients;
}

OpInContext OpCatalog::in_context(const SharedOp& op, const OpContext& context) const {
  const OpModel* model = model_of(*op);
  OpDesc stated = *op;
  const bool is_converted = context.is_framework && context.inner != nullptr &&
                            forget_converted_types(stated, *context.inner);
  CompletedOp whole = completed(stated, context);
  const bool is_retyped = is_converted || whole.takes_type;
  const bool is_as_called = context.is_framework && !is_retyped;

  OpInContext made;
  made.is_product = model != nullptr && model->is_product;
  made.ordering_prepares = ordering_prepares(*op);
  if (context.is_bare_node) {
    made.facts = backward_of(stated, model);
  } else if (is_as_called && !whole.is_completed && !whole.drops_operand) {
    made.facts = called(op);
  } else {
    made.facts = evaluate(model, whole.op);
    if (whole.drops_operand && context.is_shown) {
      made.facts.params =
          is_as_called ? called(op).params : evaluate(model, whole.with_all_operands).params;
    }
  }
  made.stated_gemm = made.facts.gemm;
  const DType filled = type_of_fill_inside(context);
  if (filled != DType::kUnknown) made.facts.dtype = filled;
  made.facts.claims = claims_of(made.facts, stated, context);
  auto gradients = gradients_of(context, whole.op, model);
  if (!context.is_bare_node) {
    add_kernel_types(context, model, made.is_product, std::move(whole.op), made.facts);
  }
  OpCost& cost = made.facts.cost;
  if (whole.takes_type && cost.bytes) cost.types_from_kernel = true;
  if (cost.flops > 0.0 && may_be_of_integers(model, stated, context.kernel)) {
    cost.basis = Basis::kEstimated;
  }
  if (gradients) {
    made.gradients = count_gradients(std::move(*gradients), context, made.is_product);
  }
  return made;
}

}  // namespace prof::ops
