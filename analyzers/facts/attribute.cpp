// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/facts/attribute.hpp"

#include <utility>

#include "analyzers/facts/product_part.hpp"
#include "analyzers/ops/argument_types.hpp"

namespace prof {
namespace {

void describe_layer(const Facts& facts, OpAttribution& made) {
  const LayerFacts& layer = facts.layer;
  if (!layer.path.empty()) {
    made.layer = layer.path;
    made.layer_from = Provenance::kExact;
  } else if (!layer.inherited.empty()) {
    made.layer = layer.inherited;
    made.layer_from = Provenance::kInherited;
  } else if (!layer.plain_path.empty()) {
    made.layer = layer.plain_path;
    made.layer_from = facts.backward.is_linked ? Provenance::kInherited : Provenance::kEstimated;
  }
}

void describe_op(const Facts& facts, OpAttribution& made) {
  const OpDesc& op = *facts.op.reported;
  made.op = facts.op.is_framework ? ops::word_for_people(op) : op.op;
  made.op_inner = facts.op.inner == nullptr ? op.op : facts.op.inner->op;
  made.module = op.module;
  made.trace = facts.source_line;
  made.op_from = !facts.backward.is_inside  ? Provenance::kExact
                 : facts.backward.is_linked ? Provenance::kInherited
                                            : Provenance::kEstimated;
  made.part = op.part;
}

/// The owner's shapes, otherwise the forward op's.
void describe_shapes(const Facts& facts, OpAttribution& made) {
  const OpDesc* owner = facts.op.owner.get();
  const OpDesc* forward = facts.backward.forward.get();
  if (owner != nullptr && !owner->tensors.empty()) {
    made.tensors = owner->tensors;
    made.shapes_from = Provenance::kExact;
  } else if (forward != nullptr && !forward->tensors.empty()) {
    made.tensors = forward->tensors;
    made.shapes_from = Provenance::kInherited;
    made.params = ops::evaluate(nullptr, *forward).params;
  }
}

void describe_direction(const Facts& facts, const ops::OpModel* model, OpAttribution& made) {
  made.direction = facts.direction;
  made.direction_from = facts.direction_from;
  if (made.direction != Direction::kNone) return;
  made.direction = ops::implied_direction(model, facts.op.reported->op);
  if (made.direction != Direction::kNone) made.direction_from = Provenance::kEstimated;
}

/// Bytes, and products whose FLOPs depend on the type, from the element types the kernel suggests.
void cost_from_kernel_type(const Facts& facts, DType kernel_type, const ops::OpModel* model,
                           OpDesc op, OpAttribution& made) {
  const bool is_direct = facts.op.inner == facts.op.owner;
  if (made.cost.bytes || !ops::fill_types(op, kernel_type, is_direct)) return;
  ops::OpFacts filled = ops::evaluate(model, op);
  if (ops::counts_by_type(kernel_type) && made.is_product) {
    made.gemm = filled.gemm;
    made.params = std::move(filled.params);
    filled.cost.basis = Basis::kEstimated;
    made.cost = filled.cost;
  }
  made.cost.bytes = filled.cost.bytes;
  made.cost.read = filled.cost.read;
  made.cost.written = filled.cost.written;
  made.cost.types_from_kernel = made.cost.bytes.has_value();
  if (!made.cost.flops && made.cost.bytes) made.cost.basis = Basis::kEstimated;
}

/// The bytes a library call states, if the op itself does not.
void cost_from_library(const Facts& facts, const OpDesc& owner, const ops::Knowledge& ops,
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

void describe_claims(const Facts& facts, const ops::OpFacts& modeled, const OpDesc& owner,
                     const ops::Knowledge& ops, OpAttribution& made) {
  const auto has_no_product = [](const ops::OpModel* model) {
    return model != nullptr && model->no_product;
  };
  made.claims = modeled.claims;
  made.claims.input_types = ops::input_types(owner.tensors);
  made.claims.adds_products = modeled.gemm && modeled.gemm->k.value_or(0) > 1;
  made.claims.no_product = has_no_product(ops.model_of(owner)) && facts.op.inner != nullptr &&
                           has_no_product(ops.model_of(*facts.op.inner));
}

void describe_cost(const Facts& facts, DType kernel_type, const ops::Knowledge& ops,
                   OpAttribution& made) {
  const OpDesc& op = *facts.op.reported;
  OpDesc owner = facts.op.owner == nullptr ? op : *facts.op.owner;
  if (facts.op.is_framework && facts.op.inner != nullptr) {
    ops::forget_converted_types(owner, *facts.op.inner);
  }
  const ops::OpModel* model = ops.model_of(owner);
  made.is_product = model != nullptr && model->is_product;
  made.known_op = facts.op.is_known || model != nullptr;
  describe_direction(facts, model, made);

  // A model counts by direction, which an enclosing op may have stated.
  OpDesc counted = facts.op.is_framework ? ops::as_called(owner) : owner;
  if (!facts.op.is_framework) counted.direction = made.direction;
  ops::OpFacts modeled = ops::evaluate(model, counted);
  if (!modeled.params.empty()) made.params = std::move(modeled.params);
  made.gemm = modeled.gemm;
  made.cost = modeled.cost;
  made.dtype = modeled.dtype;
  if (made.dtype != DType::kUnknown) made.dtype_from = Provenance::kExact;
  describe_claims(facts, modeled, owner, ops, made);
  cost_from_kernel_type(facts, kernel_type, model, std::move(counted), made);
  cost_from_library(facts, owner, ops, made.cost);
  if (facts.backward.is_inside && facts.backward.forward != nullptr) {
    made.part = product_part(ops.facts_of(ops::as_called(op)), op, modeled, owner);
  }
}

}  // namespace

OpAttribution attribute(const Facts& facts, DType kernel_type, const ops::Knowledge& ops) {
  OpAttribution made;
  describe_layer(facts, made);
  if (facts.op.reported != nullptr) {
    describe_op(facts, made);
    describe_shapes(facts, made);
    describe_cost(facts, kernel_type, ops, made);
  }
  if (made.dtype == DType::kUnknown && kernel_type != DType::kUnknown) {
    made.dtype = kernel_type;
    made.dtype_from = Provenance::kEstimated;
  }
  return made;
}

}  // namespace prof
