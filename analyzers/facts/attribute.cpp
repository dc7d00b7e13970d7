// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/facts/attribute.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "analyzers/facts/forward_sizes.hpp"
#include "analyzers/facts/product_part.hpp"
#include "analyzers/ops/argument_types.hpp"
#include "analyzers/ops/aten_roles.hpp"
#include "analyzers/ops/op_math.hpp"

namespace prof {
namespace {

void describe_layer(const Facts& facts, OpAttribution& made) {
  const LayerFacts& layer = facts.layer;
  if (!layer.path.empty()) {
    made.layer = layer.path;
    made.layer_from = facts.stated();
  } else if (!layer.inherited.empty()) {
    made.layer = layer.inherited;
    made.layer_from = Provenance::kInherited;
  } else if (!layer.plain_path.empty()) {
    made.layer = layer.plain_path;
    const bool is_forward = facts.backward.is_linked && !layer.is_of_process;
    made.layer_from = is_forward ? Provenance::kInherited : Provenance::kEstimated;
  }
}

void describe_op(const Facts& facts, OpAttribution& made) {
  const OpDesc& op = *facts.op.reported;
  made.op = facts.op.is_framework ? ops::word_for_people(op) : op.op;
  made.op_inner = facts.op.inner == nullptr ? op.op : facts.op.inner->op;
  made.module = op.module;
  made.trace = facts.source_line;
  made.op_from = !facts.backward.is_inside  ? facts.stated()
                 : facts.backward.is_linked ? Provenance::kInherited
                                            : Provenance::kEstimated;
  made.part = op.part;
  made.is_recomputed = facts.is_recomputed;
}

/// The subject's shapes, otherwise the forward op's.
void describe_shapes(const Facts& facts, OpAttribution& made) {
  const OpDesc* subject = facts.op.subject.get();
  const OpDesc* forward = facts.backward.forward.get();
  if (subject != nullptr && !subject->tensors.empty()) {
    made.tensors = subject->tensors;
    made.shapes_from = facts.stated();
  } else if (forward != nullptr && !forward->tensors.empty()) {
    made.tensors = forward->tensors;
    made.shapes_from = Provenance::kInherited;
    made.params = ops::evaluate(nullptr, *forward).params;
  }
}

/// Without an op, what the module around the work is called with: no more than shapes and types,
/// which are those of the module and maybe not of the work.
void describe_module_call(const OpDesc& call, OpAttribution& made) {
  if (call.tensors.empty()) return;
  made.tensors = call.tensors;
  made.shapes_from = Provenance::kInherited;
}

Provenance direction_provenance(const Facts& facts) {
  return facts.direction_from == Provenance::kExact ? facts.stated() : facts.direction_from;
}

void describe_direction(const Facts& facts, const ops::OpModel* model, OpAttribution& made) {
  made.direction = facts.direction;
  made.direction_from = direction_provenance(facts);
  if (made.direction != Direction::kNone) return;
  made.direction = ops::implied_direction(model, facts.op.reported->op);
  if (made.direction != Direction::kNone) made.direction_from = Provenance::kEstimated;
}

/// Sets the types that the text omits. False: the kernel's name tells none.
bool fill_types(const Facts& facts, const KernelTypes& kernel, OpDesc& op) {
  const ElementTraits& elements = kernel.elements;
  const DType from = kernel.converts ? DType::kUnknown : elements.copied_from;
  if (elements.copies && ops::fill_copied_types(op, from, elements.copied_to)) return true;
  const DType type =
      kernel.operand == DType::kUnknown ? ops::stand_in(elements.size) : kernel.operand;
  const OpDesc* inner = facts.op.inner.get();
  const std::string launched_by = inner == nullptr ? op.op : inner->op;
  return ops::fill_types(op, type, facts.op.inner == facts.op.owner, launched_by);
}

/// Bytes, and products whose FLOPs depend on the type, from the element types the kernel suggests.
void cost_from_kernel_type(const Facts& facts, const KernelTypes& kernel, const ops::OpModel* model,
                           OpDesc op, OpAttribution& made) {
  if (made.cost.bytes || !fill_types(facts, kernel, op)) return;
  ops::OpFacts filled = ops::evaluate(model, op);
  if (filled.cost.flops == 0.0) made.cost.flops = 0;  // of integers
  // Which operands have another type, the name of a kernel that converts does not tell.
  if (kernel.converts && !kernel.elements.copies) return;
  if (ops::counts_by_type(kernel.operand) && made.is_product) {
    made.gemm = filled.gemm;
    if (facts.op.subject == facts.op.owner) made.params = std::move(filled.params);
    filled.cost.basis = Basis::kEstimated;
    made.cost = filled.cost;
  }
  made.cost.bytes = filled.cost.bytes;
  made.cost.read = filled.cost.read;
  made.cost.written = filled.cost.written;
  made.operands = std::move(filled.operands);
  made.cost.types_from_kernel = made.cost.bytes.has_value();
  if (!made.cost.flops && made.cost.bytes) made.cost.basis = Basis::kEstimated;
}

/// What the text leaves out and the kernel's name or the forward op states. True if an operand is
/// not in memory.
bool complete_from_around(const Facts& facts, const KernelTypes& kernel, OpDesc& op) {
  if (!facts.op.is_framework) return false;
  const OpRef& forward = facts.backward.forward;
  const bool is_linked = facts.backward.is_inside && forward != nullptr;
  if (is_linked && facts.op.inner != nullptr) add_forward_sizes(op, *facts.op.inner, *forward);
  if (kernel.elements.accumulates) op.attrs.emplace("accumulate", true);
  if (ops::drop_stated_numbers(op)) return true;
  return kernel.elements.has_number && ops::drop_number(op, kernel.operand);
}

/// Autocast may convert the result inside the op that the program calls: the type is then in the
/// kernel's name alone. True if `op` takes it from there.
bool has_type_of_result(const KernelTypes& kernel, const Facts& facts, OpDesc& op) {
  const bool is_stated =
      std::ranges::any_of(op.tensors, ops::is_output) || op.attrs.contains("dtype");
  if (!facts.op.is_framework || is_stated || kernel.result == DType::kUnknown) return false;
  if (kernel.elements.copies && !ops::prepares(op)) return false;
  op.attrs.emplace("dtype", std::string(name(kernel.result)));
  return true;
}

/// The bytes a library call states, if the op itself does not.
void cost_from_library(const Facts& facts, const OpDesc& owner, const ops::OpCatalog& ops,
                       OpCost& cost) {
  if (facts.op.library == nullptr || facts.op.library == facts.op.owner) return;
  OpDesc call = *facts.op.library;
  // A library may implement an all-to-all as a group of sends and receives.
  if (call.op == "send_recv" && ops::is_one_of(owner, "all_to_all")) call.op = "all_to_all";
  const OpCost stated = ops.facts_of(call).cost;
  if (!stated.algorithm_bytes && !stated.bytes) return;  // not a collective
  if (!cost.bytes) {
    cost.bytes = stated.bytes;
    cost.read = stated.read;
    cost.written = stated.written;
    if (cost.basis == Basis::kUnknown) cost.basis = stated.basis;
  }
  if (!cost.bus_bytes && stated.algorithm_bytes) {
    cost.algorithm_bytes = stated.algorithm_bytes;
    cost.bus_bytes = stated.bus_bytes;
  }
}

/// The type that a library call states, if the op itself does not.
void type_from_library(const Facts& facts, OpAttribution& made) {
  if (made.dtype != DType::kUnknown || facts.op.library == nullptr) return;
  made.dtype = parse_dtype(ops::word(*facts.op.library, "dtype"));
  if (made.dtype != DType::kUnknown) made.dtype_from = facts.stated();
}

void describe_claims(const Facts& facts, const ops::OpFacts& modeled, const OpDesc& owner,
                     const ops::OpCatalog& ops, OpAttribution& made) {
  const auto has_no_product = [](const ops::OpModel* model) {
    return model != nullptr && model->no_product;
  };
  made.claims = modeled.claims;
  made.claims.input_types = ops::input_types(owner.tensors);
  made.claims.adds_products = modeled.gemm && modeled.gemm->k.value_or(0) > 1;
  made.claims.no_product = has_no_product(ops.model_of(owner)) && facts.op.inner != nullptr &&
                           has_no_product(ops.model_of(*facts.op.inner));
}

/// What the node's ops leave out of a backward op: its FLOPs follow from the forward op's shapes.
/// Its bytes do not, because what it saved is not known.
ops::OpFacts backward_of(const OpDesc& forward, const ops::OpModel* model) {
  OpDesc op = forward;
  op.op = ops::word_for_people(forward);
  op.direction = Direction::kBprop;
  ops::OpFacts facts = ops::evaluate(model, op);
  OpCost cost;
  cost.flops = facts.cost.flops;
  cost.basis = cost.flops ? Basis::kEstimated : Basis::kUnknown;
  facts.cost = cost;
  facts.gemm.reset();
  return facts;
}

/// Its own parameters: those of an op that does part of its work stand beside them, as M, N and K.
std::string params_of_subject(const Facts& facts, const ops::OpCatalog& ops) {
  return ops.facts_of(ops::as_called(*facts.op.subject)).params;
}

/// The gradients that the work computes with kernels of their own, if it computes several.
std::optional<ops::GradientOps> gradients_of(const Facts& facts, const OpDesc& counted,
                                             const ops::OpModel* model) {
  if (model == nullptr || model->gradients == nullptr) return std::nullopt;
  if (facts.op.owner == nullptr) {
    const OpRef& product = facts.backward.product;
    return product != nullptr ? model->gradients(*product) : std::nullopt;
  }
  const bool is_whole_backward =
      counted.direction == Direction::kBprop && counted.part == Part::kNone;
  return is_whole_backward ? model->gradients(counted) : std::nullopt;
}

/// Adds each gradient with its size and cost.
void split_into_gradients(const Facts& facts, const KernelTypes& kernel, const ops::OpCatalog& ops,
                          const ops::GradientOps& parts, OpAttribution& whole) {
  auto made = std::make_shared<GradientAttributions>();
  made->is_stated = parts.is_stated;
  made->weight_first = facts.op.owner == nullptr && facts.backward.weight_first;
  made->has_weight_layout = parts.is_linear;
  made->in_order = parts.in_order;
  for (std::size_t i = 0; i < parts.of.size(); ++i) {
    if (!parts.of[i]) continue;
    const OpDesc& op = *parts.of[i];
    const ops::OpModel* model = ops.model_of(op);
    ops::OpFacts modeled = ops::evaluate(model, op);
    OpAttribution one = whole;
    one.part = op.part;
    one.gemm = modeled.gemm;
    one.cost = modeled.cost;
    one.operands = std::move(modeled.operands);
    if (!modeled.params.empty()) one.params = std::move(modeled.params);
    cost_from_kernel_type(facts, kernel, model, op, one);
    made->of[i] = std::make_shared<const OpAttribution>(std::move(one));
  }
  // How many of them the node's kernels compute is not known.
  if (facts.op.owner == nullptr) whole.cost = {};
  whole.gradients = std::move(made);
}

/// Nothing states a type: the op counts as one on floats.
bool may_be_of_integers(const ops::OpModel* model, const OpDesc& op, const KernelTypes& kernel) {
  const auto is_stated = [](const Tensor& tensor) { return tensor.dtype != DType::kUnknown; };
  return model != nullptr && model->takes_integers && kernel.operand == DType::kUnknown &&
         std::ranges::none_of(op.tensors, is_stated);
}

/// The kernel copies an operand of the op.
bool copies_operand(const Facts& facts) {
  return facts.op.inner != nullptr && ops::is_preparation(facts.op.inner->op) &&
         !ops::is_fill(facts.op.inner->op);
}

/// What an op fills for its own use has a type of its own: the positions of a sort are integers.
DType type_of_fill_inside(const Facts& facts, const ops::OpCatalog& ops) {
  const OpDesc* inner = facts.op.inner.get();
  if (inner == nullptr || facts.op.inner == facts.op.owner) return DType::kUnknown;
  const ops::OpModel* model = ops.model_of(*inner);
  return model != nullptr && model->fills ? ops.facts_of(*inner).dtype : DType::kUnknown;
}

/// The op's type is the kernel's, where the kernel proves it.
void take_type_from_kernel(const Facts& facts, const KernelTypes& kernel, OpAttribution& made) {
  // A kernel that converts computes in a type that its operands need not have.
  const bool is_direct = facts.op.inner == facts.op.owner || copies_operand(facts);
  const bool tells = !kernel.converts && ops::is_type_of_op(kernel.operand, is_direct);
  if (made.dtype != DType::kUnknown || !tells) return;
  made.dtype = kernel.operand;
  made.dtype_from = Provenance::kEstimated;
}

void set_part(NodeProduct product, OpAttribution& made) {
  switch (product) {
    case NodeProduct::kData:
      made.part = Part::kData;
      return;
    case NodeProduct::kWeight:
      made.part = Part::kWeight;
      return;
    case NodeProduct::kBias:
      made.part = Part::kBias;
      return;
    case NodeProduct::kOther:
      made.part = Part::kNone;
      return;
    case NodeProduct::kEither:
      break;
  }
  made.part = Part::kNone;
  // One row or column is the same in either layout.
  if (made.gemm->m < 2 || made.gemm->n < 2) return;
  auto either = std::make_shared<GradientAttributions>();
  for (const Part part : {Part::kData, Part::kWeight}) {
    OpAttribution one = made;
    one.part = part;
    either->of[static_cast<std::size_t>(part)] =
        std::make_shared<const OpAttribution>(std::move(one));
  }
  made.either = std::move(either);
}

void describe_cost(const Facts& facts, const KernelTypes& kernel, const ops::OpCatalog& ops,
                   OpAttribution& made) {
  const OpDesc& op = *facts.op.reported;
  const bool is_sized_by_node = facts.op.owner == nullptr && facts.backward.sized != nullptr;
  OpDesc owner = is_sized_by_node            ? *facts.backward.sized
                 : facts.op.owner == nullptr ? op
                                             : *facts.op.owner;
  if (facts.op.is_framework && facts.op.inner != nullptr) {
    ops::forget_converted_types(owner, *facts.op.inner);
  }
  const ops::OpModel* model = ops.model_of(owner);
  made.is_product = model != nullptr && model->is_product;
  made.known_op = facts.op.is_known || model != nullptr;
  made.ordering_prepares = ops.ordering_prepares(owner);
  describe_direction(facts, model, made);

  // A model counts by direction, which an enclosing op may have stated.
  OpDesc counted = facts.op.is_framework ? ops::as_called(owner) : owner;
  if (!facts.op.is_framework) counted.direction = made.direction;
  const bool is_typed = has_type_of_result(kernel, facts, counted);
  const OpDesc called = counted;
  const bool drops_operand = complete_from_around(facts, kernel, counted);
  const bool is_bare_node = facts.backward.is_inside && facts.op.owner == nullptr;
  ops::OpFacts modeled = is_bare_node ? backward_of(owner, model) : ops::evaluate(model, counted);
  const bool is_subject = facts.op.subject == facts.op.owner;
  std::string params = is_bare_node                  ? std::string{}
                       : drops_operand && is_subject ? ops::evaluate(model, called).params
                       : is_subject                  ? modeled.params
                                                     : params_of_subject(facts, ops);
  if (!params.empty()) made.params = std::move(params);
  made.gemm = modeled.gemm;
  made.cost = modeled.cost;
  made.operands = std::move(modeled.operands);
  const DType filled = type_of_fill_inside(facts, ops);
  made.dtype = filled != DType::kUnknown ? filled : modeled.dtype;
  if (made.dtype != DType::kUnknown) made.dtype_from = facts.stated();
  describe_claims(facts, modeled, owner, ops, made);
  const auto gradients = gradients_of(facts, counted, model);
  if (!is_bare_node) cost_from_kernel_type(facts, kernel, model, std::move(counted), made);
  if (is_typed && made.cost.bytes) made.cost.types_from_kernel = true;
  if (made.cost.flops > 0.0 && may_be_of_integers(model, owner, kernel)) {
    made.cost.basis = Basis::kEstimated;
  }
  cost_from_library(facts, owner, ops, made.cost);
  type_from_library(facts, made);
  take_type_from_kernel(facts, kernel, made);
  if (facts.backward.is_inside && facts.backward.forward != nullptr) {
    set_part(product_of_node(ops.facts_of(ops::as_called(op)), op, modeled, owner), made);
  }
  if (gradients) split_into_gradients(facts, kernel, ops, *gradients, made);
}

}  // namespace

OpAttribution attribute(const Facts& facts, const KernelTypes& kernel, const ops::OpCatalog& ops) {
  OpAttribution made;
  describe_layer(facts, made);
  if (facts.op.reported != nullptr) {
    describe_op(facts, made);
    describe_shapes(facts, made);
    describe_cost(facts, kernel, ops, made);
  } else if (facts.module_call != nullptr) {
    describe_module_call(*facts.module_call, made);
  }
  take_type_from_kernel(facts, kernel, made);
  return made;
}

OpAttribution attribute_whole_graph(const Facts& facts) {
  OpAttribution made;
  describe_layer(facts, made);
  // A direction guessed from the op that launched it says nothing about the graph's kernels.
  if (facts.direction_from == Provenance::kEstimated) return made;
  made.direction = facts.direction;
  made.direction_from = direction_provenance(facts);
  return made;
}

}  // namespace prof
