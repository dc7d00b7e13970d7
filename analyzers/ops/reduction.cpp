// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reductions, and their gradients, which broadcast a value over what was reduced.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

struct Counting {
  std::string_view words;
  double of_input, of_output;
  bool exact = true;
};

constexpr Counting kCountings[] = {
    {"sum nansum amax amin max min argmax argmin prod any all count_nonzero trace", 1, 0},
    {"mean nanmean", 1, 1},
    {"norm multi_tensor_l2norm", 2, 1},
    {"aminmax", 2, 0},
    {"var var_mean", 4, 1, false},  // mean, deviation, square and add; divide
    {"std std_mean", 4, 2, false},
    {"logsumexp", 4, 2, false},  // max, subtract, exp, add; log, add
};

Counting counting(std::string_view name) {
  Counting found = kCountings[0];
  for (const Counting& known : kCountings) {
    for_each_word(known.words, [&](std::string_view word) {
      if (word == name) found = known;
    });
  }
  return found;
}

OpFacts evaluate(const OpDesc& op) {
  OpFacts facts;
  const Tensor* in = input(op, std::size_t{0});
  if (in == nullptr) return facts;
  const std::string_view name = model_word(op);
  if ((name == "max" || name == "min") && input_count(op) > 1) {  // of two tensors
    facts.cost = cost(work_elements(op), traffic(op));
    return facts;
  }
  const Counting count = counting(name);
  const double from = input_elements(op);
  const bool known = output(op, std::size_t{0}) != nullptr;
  const double to = known ? output_elements(op) : 1;
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
               "reduction and counts like a forward one. PyTorch does not state which dimensions "
               "its own ops reduce: then the output counts as one element, and its bytes are "
               "unknown.",
      .evaluate = evaluate,
      .no_product = true,
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
          },
  });
}

}  // namespace prof::ops
