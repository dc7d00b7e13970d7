// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reductions, and their gradients, which broadcast a value over what was reduced.
#include <algorithm>
#include <numeric>
#include <utility>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/promotion.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

struct ReductionCounting {
  std::string_view words;
  double of_input, of_output;
  bool exact = true;
};

constexpr ReductionCounting kReductionCountings[] = {
    {"sum nansum amax amin max min argmax argmin prod any all count_nonzero trace", 1, 0},
    {"mean nanmean", 1, 1},
    {"norm multi_tensor_l2norm", 2, 1},
    {"aminmax", 2, 0},
    {"var var_mean", 4, 1, false},  // mean, deviation, square and add; divide
    {"std std_mean", 4, 2, false},
    {"logsumexp", 4, 2, false},  // max, subtract, exp, add; log, add
};

ReductionCounting reduction_counting(std::string_view name) {
  ReductionCounting found = kReductionCountings[0];
  for (const ReductionCounting& known : kReductionCountings) {
    for_each_word(known.words, [&](std::string_view word) {
      if (word == name) found = known;
    });
  }
  return found;
}

/// Without a list of dimensions, these reduce all (others may have been given names).
constexpr std::string_view kOfAll[] = {"linalg_vector_norm", "argmax", "argmin", "aminmax",
                                       "_aminmax"};

std::optional<Shape> reduced(const OpDesc& op, const Shape& x) {
  auto dims = dimensions_of(op, x.size());
  const bool of_all = std::ranges::find(kOfAll, canonical_word(op.op)) != std::end(kOfAll);
  if (!dims && of_all && has_attr(op, "keepdim") && !has_attr(op, "dim")) {
    dims.emplace(x.size());
    std::iota(dims->begin(), dims->end(), std::size_t{0});
  }
  if (!dims) return std::nullopt;
  Shape result;
  for (std::size_t dim = 0; dim < x.size(); ++dim) {
    const bool is_reduced = std::ranges::binary_search(*dims, dim);
    if (!is_reduced) result.push_back(x[dim]);
    if (is_reduced && flag(op, "keepdim")) result.push_back(1);
  }
  return result;
}

/// The larger or smaller of two tensors' elements, which is no reduction.
bool is_of_two(const OpDesc& op) {
  const std::string_view name = model_word(op);
  return (name == "max" || name == "min") && input_count(op) > 1;
}

/// Where PyTorch states what is reduced: the result, and what comes with it.
void complete_reduction(OpDesc& op) {
  const Tensor* x = input(op, std::size_t{0});
  if (x == nullptr) return;
  if (is_of_two(op)) {
    complete_broadcast(op);
    return;
  }
  if (input_count(op) > 1) return;
  if (!has_shapes_only(op) && !has_attr(op, "dim")) return;
  auto shape = reduced(op, x->shape);
  if (!shape) return;
  const std::string_view name = model_word(op);
  DType dtype = result_type(op, x->dtype);
  const bool adds = name == "sum" || name == "nansum" || name == "prod" || name == "count_nonzero";
  if (name == "argmax" || name == "argmin" || name == "count_nonzero") dtype = DType::kInt64;
  if (name == "any" || name == "all") {
    dtype = x->dtype == DType::kUint8 ? DType::kUint8 : DType::kBool;
  }
  if (adds && !has_attr(op, "dtype") && is_integer(x->dtype)) dtype = DType::kInt64;
  const bool is_real = name == "norm" || name.starts_with("var") || name.starts_with("std");
  if (is_real && is_complex(dtype)) dtype = DType::kUnknown;
  // Over all elements, max and min return only values.
  const bool of_one = (name == "max" || name == "min") && has_attr(op, "keepdim");
  const bool of_two = name == "aminmax" || name == "var_mean" || name == "std_mean";
  add_output(op, "y", Shape(*shape), dtype);
  if (of_one) add_output(op, "indices", Shape(*shape), DType::kInt64);
  if (of_two) add_output(op, "y2", std::move(*shape), dtype);
}

OpFacts evaluate_reduction(const OpDesc& op) {
  OpFacts facts;
  const Tensor* in = input(op, std::size_t{0});
  if (in == nullptr) return facts;
  const std::string_view name = model_word(op);
  if (is_of_two(op)) {
    facts.cost = cost(work_elements(op), traffic(op));
    return facts;
  }
  const ReductionCounting count = reduction_counting(name);
  const double from = input_elements(op);
  const bool known = output(op, std::size_t{0}) != nullptr;
  const double to = known ? elements(output(op, std::size_t{0})->shape) : 1;
  std::optional<double> flops;
  Basis basis = count.exact ? Basis::kExact : Basis::kEstimated;
  if (to <= from) {  // in a backward pass too: the gradient of a broadcast is a reduction
    flops = count.of_input * from + count.of_output * to;
    if (!known && has_shapes_only(op) && count.of_output > 0) basis = Basis::kEstimated;
  } else if (name == "sum") {
    flops = 0;
  } else if (name == "mean") {
    flops = to;
  } else {
    basis = Basis::kUnknown;
  }
  const bool stays_whole = count.of_output == 0 && !has_attr(op, "dtype");
  if (!known && stays_whole && is_integer(in->dtype)) flops = 0;
  facts.cost = cost(flops, traffic(op), basis);
  return facts;
}

}  // namespace

void register_reduction(Registry& registry);
void register_reduction(Registry& registry) {
  registry.add({
      .name = "reduction",
      .formulas =
          {
              {"sum nansum", "E", "0"},
              {"amax amin max min argmax argmin prod any all count_nonzero trace", "E", "-"},
              {"mean nanmean", "E + outputs", "1 for each output"},
              {"norm multi_tensor_l2norm", "2E + outputs", "-"},
              {"aminmax", "2E", "-"},
              {"var var_mean", "4E + outputs", "-", "in + out", "estimated"},
              {"std std_mean logsumexp", "4E + 2 for each output", "-", "in + out", "estimated"},
          },
      .notes = "E: elements of the input. If the output is the smaller side, a backward op is a "
               "reduction and counts like a forward one. PyTorch's texts do not state which "
               "dimensions its own ops reduce: without attrs `dim` and `keepdim` (of an op fact), "
               "the output counts as one element, and its bytes are unknown.",
      .evaluate = evaluate_reduction,
      .complete = complete_reduction,
      .no_product = true,
      .takes_integers = true,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"sum","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[4,5],"dtype":"float16"},
              {"name":"y","role":"out","type":"tensor","shape":[5],"dtype":"float16"}]})",
               "T=(4,5)", std::nullopt, 20, 50},
              {R"({"v":1,"mod":"prof","op":"sum","dir":"bprop","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[32768,1],"dtype":"float16"},
              {"name":"db","role":"out","type":"tensor","shape":[1],"dtype":"float16"}]})",
               "T=(32768,1)", std::nullopt, 32768, 65538},
              {R"({"v":1,"mod":"prof","op":"sum","dir":"bprop","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[],"dtype":"float32"},
              {"name":"dx","role":"out","type":"tensor","shape":[10],"dtype":"float32"}]})",
               "T=()", std::nullopt, 0, 44},
              {R"({"v":1,"mod":"prof","op":"mean","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[4,5],"dtype":"float32"},
              {"name":"y","role":"out","type":"tensor","shape":[],"dtype":"float32"}]})",
               "T=(4,5)", std::nullopt, 21, 84},
              {R"({"v":1,"mod":"prof","op":"mean","dir":"bprop","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[],"dtype":"float32"},
              {"name":"dx","role":"out","type":"tensor","shape":[20],"dtype":"float32"}]})",
               "T=()", std::nullopt, 20, 84},
              {R"({"v":1,"mod":"prof","op":"norm","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[4,5],"dtype":"float32"},
              {"name":"y","role":"out","type":"tensor","shape":[],"dtype":"float32"}]})",
               "T=(4,5)", std::nullopt, 41, 84},
              {"aten::sum, sizes = [[512, 30528], [], [], []]", "T=(512,30528)", std::nullopt,
               15630336, std::nullopt},
              {"aten::linalg_vector_norm, sizes = [[8, 16], [], [], [], []]", "T=(8,16)",
               std::nullopt, 257, std::nullopt, Basis::kEstimated},
              {"aten::var, sizes = [[8, 16], [], [], []]", "T=(8,16)", std::nullopt, 513,
               std::nullopt, Basis::kEstimated},
              {"aten::max, sizes = [[8, 16], [8, 16], []]", "T=[(8,16),(8,16)]", std::nullopt, 128,
               std::nullopt},
              // As op facts state them: of 4x5x6, the middle dimension is reduced.
              {R"({"op":"aten::mean","args":[{"shape":[4,5,6],"dtype":"float32"},{"value":[-2]},
              {"value":false},null]})",
               "T=(4,5,6)", std::nullopt, 120 + 24, 4 * (120 + 24)},
              {R"({"op":"aten::sum","args":[{"shape":[4,5],"dtype":"float16"},{"value":[0,1]},
              {"value":true},{"value":6}]})",
               "T=(4,5)", std::nullopt, 20, 2 * 20 + 4},
              {R"({"op":"aten::sum","args":[{"shape":[4,5],"dtype":"float32"},null]})", "T=(4,5)",
               std::nullopt, 20, 4 * 21},
              {R"({"op":"aten::max","args":[{"shape":[4,5],"dtype":"float32"},{"value":1},
              {"value":false}]})",
               "T=(4,5)", std::nullopt, 20, 4 * 20 + (4 + 8) * 4},
              {R"({"op":"aten::linalg_vector_norm","args":[{"shape":[8,16],"dtype":"float32"},
              {"value":2},null,{"value":false},null]})",
               "T=(8,16)", std::nullopt, 257, 4 * 129},
              {R"({"op":"aten::logsumexp","args":[{"shape":[8,16],"dtype":"float32"},{"value":[1]},
              {"value":false}]})",
               "T=(8,16)", std::nullopt, 4 * 128 + 2 * 8, 4 * (128 + 8), Basis::kEstimated},
          },
  });
}

}  // namespace prof::ops
