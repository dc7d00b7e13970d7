// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Elementwise arithmetic: one operation for each element of the result. Activations with a longer
// formula are in activation.cpp.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

struct Counting {
  std::string_view word;
  std::size_t operands;  ///< 1: the main input is printed, else all.
  double forward;        ///< FLOPs for each element.
  double backward;       ///< For each element of each gradient; negative: no formula.
  Basis backward_basis;
};

constexpr Counting kCountings[] = {
    {"relu", 1, 1, 1, Basis::kExact},       {"neg", 1, 1, 1, Basis::kExact},
    {"exp", 1, 1, 1, Basis::kExact},        {"log", 1, 1, 1, Basis::kExact},
    {"add", 2, 1, 0, Basis::kExact},        {"sub", 2, 1, 0, Basis::kExact},
    {"rsub", 2, 1, 0, Basis::kExact},       {"mul", 2, 1, 1, Basis::kExact},
    {"div", 2, 1, 2, Basis::kEstimated},    {"addcmul", 3, 3, -1, Basis::kUnknown},
    {"addcdiv", 3, 3, -1, Basis::kUnknown},
};

constexpr std::string_view kOtherUnary[] = {
    "abs",        "ceil",  "clamp", "cos",  "erf",         "exp2",       "floor",
    "leaky_relu", "log10", "log1p", "log2", "logical_not", "reciprocal", "round",
    "rsqrt",      "sign",  "sin",   "sqrt", "square",      "tan",        "trunc"};

Counting counting(std::string_view word) {
  for (const Counting& known : kCountings) {
    if (known.word == word) return known;
  }
  for (const std::string_view unary : kOtherUnary) {
    if (unary == word) return {unary, 1, 1, 1, Basis::kEstimated};
  }
  return {word, 2, 1, 1, Basis::kEstimated};
}

OpFacts evaluate(const OpDesc& op) {
  OpFacts facts;
  if (op.tensors.empty()) return facts;
  const Counting count = counting(canonical_word(op.op));
  if (count.operands == 1) facts.params = main_params(op);
  facts.cost.bytes = moved_bytes(op);
  facts.cost.basis = Basis::kExact;
  const double each = op.direction == Direction::kBprop ? count.backward : count.forward;
  if (each >= 0) facts.cost.flops = each * work_elements(op);
  if (op.direction == Direction::kBprop) facts.cost.basis = count.backward_basis;
  return facts;
}

}  // namespace

void register_elementwise(Registry& registry);
void register_elementwise(Registry& registry) {
  registry.add({
      .name = "elementwise",
      .words = {"relu",       "neg",   "exp",     "log",         "add",         "sub",
                "rsub",       "mul",   "div",     "addcmul",     "addcdiv",     "abs",
                "ceil",       "clamp", "cos",     "erf",         "exp2",        "floor",
                "leaky_relu", "log10", "log1p",   "log2",        "logical_not", "reciprocal",
                "round",      "rsqrt", "sign",    "sin",         "sqrt",        "square",
                "tan",        "trunc", "atan2",   "bitwise_and", "bitwise_or",  "bitwise_xor",
                "eq",         "fmod",  "ge",      "gt",          "le",          "logical_and",
                "logical_or", "lt",    "maximum", "minimum",     "ne",          "pow",
                "remainder"},
      .evaluate = evaluate,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"relu","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[32768,512],"dtype":"float16"},
              {"name":"y","role":"out","type":"tensor","shape":[32768,512],"dtype":"float16"}]})",
               "T=(32768,512)", std::nullopt, 16777216, 67108864},
              {R"({"v":1,"mod":"prof","op":"relu","dir":"bprop","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[32768,256],"dtype":"float16"},
              {"name":"y","role":"in","type":"tensor","shape":[32768,256],"dtype":"float16"},
              {"name":"dx","role":"out","type":"tensor","shape":[32768,256],"dtype":"float16"}]})",
               "T=(32768,256)", std::nullopt, 8388608, 50331648},
              {R"({"v":1,"mod":"prof","op":"aten::sqrt","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[7],"dtype":"float32"},
              {"name":"y","role":"out","type":"tensor","shape":[7],"dtype":"float32"}]})",
               "T=(7)", std::nullopt, 7, 56},
              {R"({"v":1,"mod":"prof","op":"add_","dir":"update","args":[
              {"name":"x","role":"in","type":"tensor","shape":[100000,128],"dtype":"float32"},
              {"name":"other","role":"in","type":"tensor","shape":[100000,128],"dtype":"float32"},
              {"name":"x","role":"out","type":"tensor","shape":[100000,128],"dtype":"float32"}]})",
               "T=[(100000,128),(100000,128)]", std::nullopt, 12800000, 153600000},
              {R"({"v":1,"mod":"prof","op":"add","dir":"bprop","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[8,4],"dtype":"float32"},
              {"name":"da","role":"out","type":"tensor","shape":[8,4],"dtype":"float32"}]})",
               "T=(8,4)", std::nullopt, 0, 256},
              {R"({"v":1,"mod":"prof","op":"mul","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[8,4],"dtype":"float32"},
              {"name":"scale","role":"in","type":"tensor","shape":[],"dtype":"float32"},
              {"name":"y","role":"out","type":"tensor","shape":[8,4],"dtype":"float32"}]})",
               "T=[(8,4),()]", std::nullopt, 32, 260},
              {R"({"v":1,"mod":"prof","op":"mul","dir":"bprop","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[8],"dtype":"float32"},
              {"name":"a","role":"in","type":"tensor","shape":[8],"dtype":"float32"},
              {"name":"b","role":"in","type":"tensor","shape":[8],"dtype":"float32"},
              {"name":"da","role":"out","type":"tensor","shape":[8],"dtype":"float32"},
              {"name":"db","role":"out","type":"tensor","shape":[8],"dtype":"float32"}]})",
               "T=[(8),(8),(8)]", std::nullopt, 16, 160},
              {R"({"v":1,"mod":"prof","op":"addcmul","dir":"bprop","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[8],"dtype":"float32"},
              {"name":"da","role":"out","type":"tensor","shape":[8],"dtype":"float32"}]})",
               "T=(8)", std::nullopt, std::nullopt, 64, Basis::kUnknown},
              {R"({"v":1,"mod":"prof","op":"maximum","dir":"fprop","args":[
              {"name":"a","role":"in","type":"tensor","shape":[3],"dtype":"quint4"},
              {"name":"b","role":"in","type":"tensor","shape":[3],"dtype":"quint4"},
              {"name":"y","role":"out","type":"tensor","shape":[3],"dtype":"quint4"}]})",
               "T=[(3),(3)]", std::nullopt, 3, std::nullopt},
          },
  });
}

}  // namespace prof::ops
