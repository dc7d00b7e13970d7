// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Scatter: writes values at given indices.
#include <algorithm>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

constexpr std::string_view kAdding[] = {"scatter_add", "scatter_reduce", "index_add",
                                        "index_reduce"};

/// PyTorch's ops copy x by an op of its own, which has the cost of that.
bool copies_first(const OpDesc& op, const Tensor& x) {
  if (x.role == Tensor::Role::kInOut) return false;
  return !has_shapes_only(op) && op.module != "torch" && op.module != "Tensor";
}

OpFacts evaluate_scatter(const OpDesc& op) {
  OpFacts facts;
  const std::string_view name = model_word(op);
  if (name == "coalesce") return facts;
  const Tensor* x = input_or(op, "x", 0);
  const Tensor* values = input(op, "values");
  if (values == nullptr) values = input(op, "src");
  const bool is_one = values == nullptr || values->shape.empty();
  if (const Tensor* indices = input(op, "indices"); is_one && indices != nullptr) {
    values = indices;  // one value for all of them
  }
  if (x == nullptr || values == nullptr) return facts;
  bool adds = flag(op, "accumulate");
  for (const std::string_view adding : kAdding) adds = adds || name == adding;
  const double count = elements(values->shape);
  Traffic moved = {0.0, {}};
  for (const Tensor& tensor : op.tensors) {
    if (is_input(tensor) && &tensor != x) moved.read = sum(moved.read, tensor_bytes(tensor));
  }
  if (const auto size = size_bytes(x->dtype)) {
    // Elements that are written again stay in the cache: each of x passes once at most.
    moved.written = std::min(count, elements(x->shape)) * static_cast<double>(*size);
    if (adds) moved.read = sum(moved.read, moved.written);
  }
  if (copies_first(op, *x)) {
    moved = {sum(moved.read, tensor_bytes(*x)), sum(moved.written, tensor_bytes(*x))};
  }
  facts.cost = cost(adds ? count : 0, moved, Basis::kEstimated);
  return facts;
}

}  // namespace

void register_scatter(Registry& registry);
void register_scatter(Registry& registry) {
  registry.add({
      .name = "scatter",
      .formulas =
          {
              {"scatter index_put index_copy index_fill put masked_scatter select_scatter "
               "slice_scatter diagonal_scatter",
               "0; attr `accumulate`: V", "-",
               "indices + values read, min(V, elements of x)·s written; adding: as many read; out "
               "of "
               "place: + 2·x for the copy, which in PyTorch is an op of its own",
               "estimated"},
              {"scatter_add scatter_reduce index_add index_reduce", "V", "-", "likewise",
               "estimated"},
              {"coalesce", "- (nobody states how many elements a sparse tensor has)", "-", "-",
               "unknown"},
          },
      .notes =
          "V: elements of the values. The shapes do not show how many of them collide. Indices "
          "that are expanded to the values' shape count as they are in memory.",
      .evaluate = evaluate_scatter,
      .no_product = true,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"index_add","dir":"fprop","args":[
              {"name":"x","role":"inout","type":"tensor","shape":[8,16],"dtype":"float32"},
              {"name":"indices","role":"in","type":"tensor","shape":[4],"dtype":"int64"},
              {"name":"values","role":"in","type":"tensor","shape":[4,16],"dtype":"float32"}]})",
               "T=[(8,16),(4),(4,16)]", std::nullopt, 64, 32 + 3 * 256, Basis::kEstimated},
              {"aten::scatter_add_, sizes = [[8, 16], [], [8, 4], [8, 4]]",
               "T=[(8,16),(8,4),(8,4)]", std::nullopt, 32, std::nullopt, Basis::kEstimated},
              {"aten::index_add, sizes = [[8, 16], [], [4], [4, 16], []]", "T=[(8,16),(4),(4,16)]",
               std::nullopt, 64, 4.0 * 4 + 3 * 256, Basis::kEstimated, DType::kFloat32},
              {R"({"op":"aten::scatter_add_","args":[{"shape":[100,16],"dtype":"float32"},{"value":0},
              {"shape":[4000,16],"dtype":"int64","strides":[16,1]},
              {"shape":[4000,16],"dtype":"float32","strides":[16,1]}]})",
               "T=[(100,16),(4000,16),(4000,16)]", std::nullopt, 64000,
               64000.0 * (8 + 4) + 2 * 4 * 1600, Basis::kEstimated},
              {R"({"op":"aten::scatter_add_","args":[{"shape":[100,16],"dtype":"float32"},{"value":0},
              {"shape":[4000,16],"dtype":"int64","strides":[1,0]},
              {"shape":[4000,16],"dtype":"float32","strides":[16,1]}]})",
               "T=[(100,16),(4000,16),(4000,16)]", std::nullopt, 64000,
               4000.0 * 8 + 64000 * 4 + 2 * 4 * 1600, Basis::kEstimated},
              {"aten::_coalesce, sizes = [[100, 16]]", "T=(100,16)", std::nullopt, std::nullopt,
               std::nullopt, Basis::kUnknown},
              {"aten::_index_put_impl_, sizes = [[8, 27, 27], [351], [351], [8, 351], [], []]",
               "T=[(8,27,27),(351),(351),(8,351)]", std::nullopt, 0, std::nullopt,
               Basis::kEstimated},
          },
  });
}

}  // namespace prof::ops
