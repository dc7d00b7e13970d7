// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Gather: picks elements by index; and its gradient. Only the picked elements count, not the whole
// table.
#include <algorithm>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

bool is_index(const Tensor& tensor) { return tensor.name.starts_with("ind"); }

OpFacts evaluate_index(const OpDesc& op) {
  OpFacts facts;
  const bool backward = op.direction == Direction::kBprop;
  const std::string_view name = model_word(op);
  if (name == "nonzero" || name == "argwhere") {
    // The number of indices found, and so the bytes written, depends on the values.
    facts.cost = cost(0, {input_bytes(op), 0}, Basis::kEstimated);
    return facts;
  }
  // The moved elements: those picked forward, the gradient that is put back backward.
  const Tensor* moved = backward ? nullptr : output(op, std::size_t{0});
  std::optional<double> index_bytes = 0;
  for (const Tensor& tensor : op.tensors) {
    if (!is_input(tensor)) continue;
    if (is_index(tensor)) {
      index_bytes = sum(index_bytes, tensor_bytes(tensor));
    } else if (backward && moved == nullptr) {
      moved = &tensor;
    }
  }
  if (moved == nullptr) {
    // PyTorch does not state which dimension is indexed, so the number of picked elements is
    // unknown.
    if (!backward && !op.tensors.empty()) facts.cost = cost(0, {});
    return facts;
  }
  const double count = elements(moved->shape);
  const auto bytes = whole_bytes(*moved);
  // Elements that are picked again come from the cache: a table is read once at most.
  auto read = tensor_bytes(*moved);
  const Tensor* table = input_or(op, "x", 0);
  if (!backward && table != nullptr && !is_index(*table)) {
    const auto whole = tensor_bytes(*table);
    if (read && whole) read = std::min(*read, *whole);
  }
  facts.cost = cost(backward ? count : 0, {sum(index_bytes, read), bytes},
                    backward ? Basis::kEstimated : Basis::kExact);
  return facts;
}

/// The result of x[i, :, j], the dimensions of the indices first: the order of the others does not
/// matter for its size. Nullopt: an index is a mask, or it is not known which are left out.
std::optional<Shape> picked(const OpDesc& op, const Tensor& x) {
  if (!has_attr(op, "left_out")) return std::nullopt;
  const Shape whole = number_list(op, "left_out").value_or(Shape{});
  std::size_t count = whole.size();
  std::optional<Shape> shape = Shape{};
  for (const Tensor& tensor : op.tensors) {
    if (!is_index(tensor)) continue;
    if (tensor.dtype != DType::kInt64 && tensor.dtype != DType::kInt32) return std::nullopt;
    ++count;
    if (shape) shape = broadcast(*shape, tensor.shape);
  }
  if (!shape || count > x.shape.size()) return std::nullopt;
  for (std::size_t i = 0; i < x.shape.size(); ++i) {
    const bool is_whole = std::ranges::find(whole, static_cast<std::int64_t>(i)) != whole.end();
    if (is_whole || i >= count) shape->push_back(x.shape[i]);
  }
  return shape;
}

/// For ops that pick as many elements as there are indices.
void complete_index(OpDesc& op) {
  const std::string_view name = model_word(op);
  const Tensor* x = input_or(op, "x", 0);
  const Tensor* indices = input(op, "indices");
  if (x == nullptr || indices == nullptr || op.direction == Direction::kBprop) return;
  if (name == "index_select" && indices->shape.size() < 2) {
    const auto dims = dimensions_of(op, x->shape.size());
    if (!dims || dims->size() != 1) return;
    Shape shape = x->shape;
    shape[dims->front()] = indices->shape.empty() ? 1 : indices->shape[0];
    const DType dtype = x->dtype;
    add_output(op, "out", std::move(shape), dtype);
    return;
  }
  if (name == "index" || name == "_unsafe_index") {
    if (auto shape = picked(op, *x)) {
      const DType dtype = x->dtype;
      return add_output(op, "out", *std::move(shape), dtype);
    }
  }
  const bool whole = name == "gather" || name == "take" || name == "take_along_dim";
  if (!whole && x->shape.size() != input_count(op) - 1) return;
  const DType dtype = x->dtype;
  add_output(op, "out", Shape(indices->shape), dtype);
}

}  // namespace

void register_index(Registry& registry);
void register_index(Registry& registry) {
  registry.add({
      .name = "index",
      .formulas =
          {
              {"nonzero argwhere", "0", "-", "in (what is found is not known)", "estimated"},
              {"index gather index_select take take_along_dim masked_select", "0",
               "E (accumulation into the table)",
               "forward: indices + 2·E·s (E gathered elements read and written; of a smaller "
               "table all elements read once); backward: indices + gradient read, as many "
               "elements written",
               "exact forward, estimated backward"},
          },
      .evaluate = evaluate_index,
      .complete = complete_index,
      .no_product = true,
      .ordering = "masked_select nonzero argwhere",
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"index","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[32768,27,27],"dtype":"float32"},
              {"name":"indices","role":"in","type":"tensor","shape":[351],"dtype":"int32"},
              {"name":"out","role":"out","type":"tensor","shape":[32768,351],"dtype":"float32"}]})",
               "T=[(32768,27,27),(351)]", std::nullopt, 0, 92013948},
              {R"({"v":1,"mod":"prof","op":"index","dir":"bprop","args":[
              {"name":"dout","role":"in","type":"tensor","shape":[32768,351],"dtype":"float32"},
              {"name":"indices","role":"in","type":"tensor","shape":[351],"dtype":"int32"},
              {"name":"dx","role":"out","type":"tensor","shape":[32768,27,27],"dtype":"float32"}]})",
               "T=[(32768,351),(351)]", std::nullopt, 11501568, 92013948, Basis::kEstimated},
              {"aten::gather, sizes = [[8, 16], [], [8, 4], []]", "T=[(8,16),(8,4)]", std::nullopt,
               0, std::nullopt},
              {"aten::index_select, sizes = [[30528, 1024], [], [512]]", "T=[(30528,1024),(512)]",
               std::nullopt, 0, std::nullopt},
              {R"({"op":"aten::index_select","args":[{"shape":[100,16],"dtype":"float32"},
              {"value":0},{"shape":[12],"dtype":"int64"}]})",
               "T=[(100,16),(12)]", std::nullopt, 0, 96 + 2 * 4 * 192},
              {R"({"op":"aten::index","args":[{"shape":[512,9,9],"dtype":"float32"},
              {"list":[null,{"shape":[36],"dtype":"int64"},{"shape":[36],"dtype":"int64"}]}]})",
               "T=[(512,9,9),(36),(36)]", std::nullopt, 0, 576 + 2 * 4 * 512 * 36},
              {R"({"op":"aten::nonzero","args":[{"shape":[64,9],"dtype":"bool"}]})", "T=(64,9)",
               std::nullopt, 0, 576, Basis::kEstimated},
              {R"({"op":"aten::index","args":[{"shape":[64,9],"dtype":"float32"},
              {"list":[{"shape":[64],"dtype":"bool"}]}]})",
               "T=[(64,9),(64)]", std::nullopt, 0, std::nullopt},
          },
  });
}

}  // namespace prof::ops
