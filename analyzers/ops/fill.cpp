// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes a constant: zeroed gradients, initial values, memory sets.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

/// PyTorch's ops that make another tensor, of the type of the one that they are called with.
bool is_new(const OpDesc& op) { return model_word(op).starts_with("new_"); }

/// How many numbers there are from attr `start`, or 0, to `end`; nullopt if the end is not known.
std::optional<std::int64_t> count_of_range(const OpDesc& op) {
  const auto end = number(op, "end");
  const double step = number(op, "step").value_or(1);
  if (!end || step == 0) return std::nullopt;
  const double count = std::ceil((*end - number(op, "start").value_or(0)) / step);
  constexpr double kMost = 1e15;
  if (!(count >= 0 && count <= kMost)) return std::nullopt;
  return static_cast<std::int64_t>(count);
}

/// PyTorch takes integers for whole numbers, unless a type is given.
DType type_of_range(const OpDesc& op) {
  for (const std::string_view key : {"start", "end", "step"}) {
    const auto found = op.attrs.find(key);
    if (found != op.attrs.end() && !std::holds_alternative<std::int64_t>(found->second)) {
      return result_type(op, DType::kUnknown);
    }
  }
  return result_type(op, DType::kInt64);
}

void complete_range(OpDesc& op) {
  if (const auto count = count_of_range(op)) add_output(op, "out", {*count}, type_of_range(op));
}

void complete_fill(OpDesc& op) {
  if (model_word(op) == "arange") return complete_range(op);
  const Tensor* like = input(op, std::size_t{0});
  auto size = number_list(op, "size");
  if (!is_new(op) || like == nullptr || !size) return;
  if (std::ranges::any_of(*size, [](std::int64_t one) { return one < 0; })) return;
  const DType dtype = result_type(op, like->dtype);
  add_output(op, "y", std::move(*size), dtype);
}

OpFacts evaluate_fill(const OpDesc& op) {
  OpFacts facts;
  if (op.tensors.empty()) {
    facts.cost = cost(0, {});
    return facts;
  }
  if (is_new(op) && output(op, std::size_t{0}) == nullptr) return facts;
  // A filled tensor may be stated as in, out or both: it is written, not read.
  const bool has_outputs = output(op, std::size_t{0}) != nullptr;
  std::vector<const Tensor*> filled;
  for (const Tensor& tensor : op.tensors) {
    if (!has_outputs || is_output(tensor)) filled.push_back(&tensor);
  }
  facts.params = shape_params(filled);
  facts.dtype = filled.front()->dtype;
  facts.cost = cost(0, {0.0, has_outputs ? output_bytes(op) : input_bytes(op)});
  return facts;
}

}  // namespace

void register_fill(Registry& registry);
void register_fill(Registry& registry) {
  registry.add({
      .name = "fill",
      .formulas =
          {
              {"zero zeros zeros_like ones ones_like fill full full_like scalar_tensor memset "
               "arange range "
               "linspace logspace eye new_zeros new_ones new_full empty empty_like new_empty "
               "empty_strided fill_diagonal triu_indices tril_indices hann_window hamming_window "
               "bartlett_window blackman_window kaiser_window",
               "0", "0", "out", "exact"},
          },
      .notes =
          "Of PyTorch's `new_` ops the tensor they are called with is not the one they fill; that "
          "one's shape is attr `size`. That of `arange` follows from its numbers.",
      .evaluate = evaluate_fill,
      .complete = complete_fill,
      .no_product = true,
      .fills = true,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"zero","dir":"update","args":[
              {"name":"grad","role":"out","type":"tensor","shape":[512,13],"dtype":"float32"}]})",
               "T=(512,13)", std::nullopt, 0, 26624},
              {R"({"v":1,"mod":"prof","op":"zero_","dir":"update","args":[
              {"name":"grad","role":"inout","type":"tensor","shape":[1],"dtype":"float32"}]})",
               "T=(1)", std::nullopt, 0, 4},
              {R"({"v":1,"mod":"prof","op":"zero","dir":"update","args":[
              {"name":"a","role":"out","type":"tensor","shape":[512,13],"dtype":"float16"},
              {"name":"b","role":"out","type":"tensor","shape":[512],"dtype":"float16"}]})",
               "T=[(512,13),(512)]", std::nullopt, 0, 14336},
              {R"({"op":"aten::new_zeros","args":[{"shape":[8,3],"dtype":"float16"},
              {"value":[8,27,27]},{"value":6},{"value":0},null,null]})",
               "T=(8,27,27)", std::nullopt, 0, 4 * 8 * 729},
              {"aten::new_zeros, sizes = [[8, 3], [], [], [], [], []]", "T=(8,3)", std::nullopt,
               std::nullopt, std::nullopt, Basis::kUnknown, DType::kFloat16},
              {R"({"op":"aten::arange","args":[{"value":64},null,null,null,{"value":false}]})",
               "T=(64)", std::nullopt, 0, 512},
              {R"({"op":"aten::arange","args":[{"value":2},{"value":9},{"value":2},
              {"shape":[0],"dtype":"int32","strides":[1]}]})",
               "T=(4)", std::nullopt, 0, 16},
          },
  });
}

}  // namespace prof::ops
