// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ops/op_catalog.hpp"

#include <algorithm>

#include "analyzers/ops/aten_roles.hpp"
#include "analyzers/ops/aten_signatures.hpp"
#include "analyzers/ops/op_math.hpp"

namespace prof::ops {
namespace {

bool is_same(const std::optional<GemmShape>& one, const std::optional<GemmShape>& other) {
  return one && other && one->m == other->m && one->n == other->n && one->k == other->k;
}

/// The op as called, with some type where none is stated: bytes that are unknown even so depend on
/// more than types.
OpDesc with_types(const OpDesc& op) {
  OpDesc made = as_called(op);
  for (Tensor& tensor : made.tensors) {
    if (tensor.dtype == DType::kUnknown) tensor.dtype = DType::kFloat32;
  }
  return made;
}

}  // namespace

const OpFacts& OpCatalog::called(const SharedOp& op) const {
  std::optional<OpFacts>& known = known_[op].called;
  if (!known) known = facts_of(as_called(*op));
  return *known;
}

const OpFacts& OpCatalog::typed(const SharedOp& op) const {
  const auto has_type = [](const Tensor& tensor) { return tensor.dtype != DType::kUnknown; };
  if (std::ranges::all_of(op->tensors, has_type)) return called(op);
  std::optional<OpFacts>& known = known_[op].typed;
  if (!known) known = facts_of(with_types(*op));
  return *known;
}

bool OpCatalog::can_count(const SharedOp& op) const {
  if (model_of(*op) == nullptr) return false;
  const OpFacts& facts = called(op);
  // Without a tensor, an op inside may know more.
  return facts.gemm || (facts.cost.flops && !op->tensors.empty());
}

bool OpCatalog::counts_apart(const SharedOp& inner, const SharedOp& outer) const {
  const bool same_model =
      model_of(*inner) == model_of(*outer) && model_word(*inner) == model_word(*outer);
  const bool loses_types =
      main_dtype(*inner) == DType::kUnknown && main_dtype(*outer) != DType::kUnknown;
  const OpFacts& part = typed(inner);
  const OpFacts& whole = typed(outer);
  // The library confirms what it was called for, of which the op around it knows more.
  const bool is_same_product =
      is_same(part.gemm, whole.gemm) && part.gemm->batch == whole.gemm->batch;
  const bool is_same_work = same_model && part.cost.flops && part.cost.flops == whole.cost.flops;
  const bool is_confirmed = is_same_product || is_same_work;
  const bool is_estimate = !part.gemm && part.cost.basis != Basis::kExact;
  if (is_library_call(inner->op) && (is_confirmed || is_estimate)) return false;
  const bool is_most =
      part.cost.flops && whole.cost.flops && *part.cost.flops * 2 > *whole.cost.flops;
  if (!part.cost.bytes && whole.cost.bytes && (is_most || !part.cost.flops)) return false;
  // Both only move data: an inner op sees indices that are expanded to every element.
  const bool only_moves = part.cost.flops == 0.0 && whole.cost.flops == 0.0;
  if (only_moves && whole.cost.bytes) return false;
  if (!same_model && !loses_types) return true;
  if (!part.cost.flops || !whole.cost.flops) return !same_model;
  if (!loses_types)
    return part.cost.basis == Basis::kExact && *part.cost.flops <= *whole.cost.flops;
  return !same_model && !is_same(part.gemm, whole.gemm) && *part.cost.flops < *whole.cost.flops;
}

bool OpCatalog::has_gradients(const OpDesc& op) const {
  const OpModel* model = model_of(op);
  return model != nullptr && model->is_product && model->gradients != nullptr;
}

bool OpCatalog::ordering_prepares(const OpDesc& op) const {
  const OpModel* model = model_of(op);
  return model != nullptr && !is_one_of(op, model->ordering);
}

bool OpCatalog::is_between_devices(const OpDesc& op) const {
  const OpModel* model = model_of(op);
  return model != nullptr && model->between_devices;
}

OpDesc as_called(const OpDesc& op) {
  OpDesc directed = op;
  const bool is_forward = forward_word(op.op).empty();
  directed.direction = is_forward ? Direction::kFprop : Direction::kBprop;
  return directed;
}

bool prepares(const OpDesc& op) { return is_preparation(op.op); }

std::string_view word_for_people(const OpDesc& op) { return display_word(op.op); }

bool is_one_of(const OpDesc& op, std::string_view words) {
  bool found = false;
  for_each_word(words, [&, word = word_for_people(op)](std::string_view one) {
    found = found || one == word;
  });
  return found;
}

}  // namespace prof::ops
