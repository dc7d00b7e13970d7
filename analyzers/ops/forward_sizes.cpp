// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ops/forward_sizes.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

/// The one operand that is smaller than the result: its gradient is a sum. Null if there are
/// several.
const Tensor* broadcast_operand(const OpDesc& forward) {
  std::optional<Shape> result = Shape{};
  for (const Tensor& tensor : forward.tensors) {
    if (result && is_input(tensor)) result = broadcast(*result, tensor.shape);
  }
  const Tensor* smaller = nullptr;
  for (const Tensor& tensor : forward.tensors) {
    if (!result || !is_input(tensor) || tensor.shape == *result) continue;
    if (smaller != nullptr) return nullptr;
    smaller = &tensor;
  }
  return smaller;
}

/// The tensor whose gradient a sum in the node is, if that is certain.
const Tensor* summed_for(const OpDesc& op, const OpDesc& forward) {
  const std::string_view word = canonical_word(forward.op);
  const Shape& from = op.tensors.front().shape;
  if (word == "linear" || word == "addmm") {
    const Tensor* bias = input(forward, "bias");
    const bool fits = bias != nullptr && bias->shape.size() == 1 && !from.empty() &&
                      bias->shape.front() == from.back();
    return fits ? bias : nullptr;
  }
  return has_word("add sub rsub mul div", word) ? broadcast_operand(forward) : nullptr;
}

/// The sum keeps the operand's dimensions, and reduces those that it lacks or has once.
std::optional<std::string> summed_dimensions(const Shape& from, const Shape& to) {
  if (from.size() < to.size()) return std::nullopt;
  const std::size_t missing = from.size() - to.size();
  std::string dims;
  for (std::size_t at = 0; at < from.size(); ++at) {
    const bool is_kept = at >= missing && to[at - missing] == from[at];
    if (is_kept) continue;
    if (at >= missing && to[at - missing] != 1) return std::nullopt;
    if (!dims.empty()) dims += ',';
    dims += std::to_string(at);
  }
  return dims.empty() ? std::nullopt : std::optional(std::move(dims));
}

}  // namespace

bool add_forward_sizes(OpDesc& op, const OpDesc& inner, const OpDesc& forward) {
  const std::string_view word = canonical_word(op.op);
  const bool has_outputs = std::ranges::any_of(op.tensors, is_output);
  if (op.tensors.empty() || has_outputs) return false;
  if (word == "sum" && !has_attr(op, "dim")) {
    const Tensor* operand = summed_for(op, forward);
    if (operand == nullptr || op.tensors.size() != 1) return false;
    auto dims = summed_dimensions(op.tensors.front().shape, operand->shape);
    return dims && op.attrs.emplace("dim", std::move(*dims)).second;
  }
  if (canonical_word(inner.op) != "embedding_dense_backward" || has_attr(op, "num_weights")) {
    return false;
  }
  const Tensor* table = input(forward, "weight");
  const bool is_table =
      canonical_word(forward.op) == "embedding" && table != nullptr && table->shape.size() == 2;
  return is_table && op.attrs.emplace("num_weights", table->shape.front()).second;
}

}  // namespace prof::ops
