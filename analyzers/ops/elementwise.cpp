// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Elementwise arithmetic: one operation per element of the result. Activations with longer formulas
// are in activation.cpp.
#include <algorithm>
#include <cstdint>
#include <variant>

#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/promotion.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

struct ElementwiseCounting {
  std::string_view words;
  bool unary;       ///< Print only the main input, not all.
  double forward;   ///< FLOPs for each element.
  double backward;  ///< For each element of each gradient; negative: no formula.
  Basis backward_basis;
  double of_complex = 0;  ///< Forward, for complex elements; 0: unknown.
};

// clang-format off
constexpr ElementwiseCounting kElementwiseCountings[] = {
    {"relu neg exp log", true, 1, 1, Basis::kExact},
    {"add sub rsub", false, 1, 0, Basis::kExact, 2},
    {"mul", false, 1, 1, Basis::kExact, 6},
    {"div", false, 1, 2, Basis::kEstimated, 11},
    {"addcmul addcdiv", false, 3, -1, Basis::kUnknown},
    {"lerp", false, 3, 2, Basis::kEstimated},
    {"cross", false, 3, -1, Basis::kUnknown},
    {"positive real imag conj_physical view_as_real view_as_complex", true, 0, 0, Basis::kExact, 0},
    {"masked_fill where complex", false, 0, 0, Basis::kExact, 0},
};
// clang-format on

constexpr std::string_view kOtherUnary =
    "abs ceil clamp clamp_min clamp_max cos erf exp2 floor leaky_relu log10 log1p log2 "
    "logical_not reciprocal round rsqrt sign sin sqrt square tan trunc acos asin atan "
    "acosh asinh atanh cosh sinh erfc erfinv expm1 frac fix sgn bitwise_not isnan isinf "
    "isposinf isneginf nan_to_num deg2rad rad2deg lgamma digamma i0 sinc angle "
    "signbit threshold logit special_ndtr special_entr special_ndtri special_log_ndtr "
    "special_erfcx special_i0e special_i1 special_i1e";
/// Their result is a bool.
constexpr std::string_view kTests =
    "eq ge gt le lt ne isclose greater less equal greater_equal less_equal not_equal isnan isinf "
    "isposinf isneginf signbit logical_not logical_and logical_or logical_xor";

ElementwiseCounting elementwise_counting(std::string_view word) {
  for (const ElementwiseCounting& known : kElementwiseCountings) {
    if (has_word(known.words, word)) return known;
  }
  return {word, has_word(kOtherUnary, word), 1, 1, Basis::kEstimated};
}

/// Several operations in one kernel, on tensors of which others are broadcast or reduced.
OpFacts evaluate_pointwise(const OpDesc& op) {
  OpFacts facts;
  double most = 0;
  for (const Tensor& tensor : op.tensors) most = std::max(most, elements(tensor.shape));
  std::optional<double> flops;
  if (const auto steps = number(op, "steps")) flops = *steps * most;
  facts.cost = cost(flops, traffic(op), Basis::kEstimated);
  return facts;
}

OpFacts evaluate_elementwise(const OpDesc& op) {
  OpFacts facts;
  if (op.tensors.empty()) return facts;
  if (model_word(op) == "pointwise") return evaluate_pointwise(op);
  const ElementwiseCounting count = elementwise_counting(model_word(op));
  if (count.unary) facts.params = main_params(op);
  const bool backward = op.direction == Direction::kBprop;
  double each = backward ? count.backward : count.forward;
  if (!backward && is_complex(main_dtype(op)) && each > 0) {
    each = count.of_complex > 0 ? count.of_complex : -1;
  }
  std::optional<double> flops;
  if (each >= 0) flops = each * work_elements(op);
  facts.cost = cost(flops, traffic(op), backward ? count.backward_basis : Basis::kExact);
  return facts;
}

/// A number as the other operand makes floats of integers, and integers of bools.
bool widens(const OpDesc& op, DType dtype) {
  const auto other = op.attrs.find("other");
  if (other == op.attrs.end() || has_word(kTests, model_word(op))) return false;
  const bool whole = std::holds_alternative<std::int64_t>(other->second);
  return std::holds_alternative<double>(other->second) || (whole && dtype == DType::kBool);
}

/// Whether whole numbers in give whole numbers: otherwise a float of the default type.
bool stays_whole(const OpDesc& op, DType dtype) {
  constexpr std::string_view kToFloat =
      "div exp log cos erf exp2 log10 log1p log2 reciprocal rsqrt sin sqrt tan acos asin atan "
      "acosh "
      "asinh atanh cosh sinh erfc erfinv expm1 deg2rad rad2deg lgamma digamma i0 sinc logit "
      "special_ndtr special_entr special_ndtri special_log_ndtr special_erfcx special_i0e "
      "special_i1 special_i1e atan2 float_power copysign ldexp xlogy logaddexp logaddexp2 "
      "special_zeta special_xlog1py polygamma angle complex";
  return !has_word(kToFloat, model_word(op)) && !widens(op, dtype);
}

/// The result's type, from that of the operands.
DType type_of_values(const OpDesc& op, DType operands) {
  const std::string_view word = model_word(op);
  if (has_word(kTests, word)) return DType::kBool;
  if (is_integer(operands)) return stays_whole(op, operands) ? operands : DType::kUnknown;
  const bool is_double = operands == DType::kFloat64 || operands == DType::kComplex128;
  if (word == "complex") {
    const bool is_known = is_double || operands == DType::kFloat32;
    return !is_known ? DType::kUnknown : is_double ? DType::kComplex128 : DType::kComplex64;
  }
  if (is_complex(operands) && has_word("abs angle real imag", word)) {
    return is_double ? DType::kFloat64 : DType::kFloat32;
  }
  return operands;
}

/// One result of the broadcast shape; a comparison's result is bool.
void complete_elementwise(OpDesc& op) {
  if (op.direction == Direction::kBprop) {
    complete_like_first(op);
    return;
  }
  complete_broadcast(op);
  if (op.tensors.empty() || !is_output(op.tensors.back())) return;
  DType& made = op.tensors.back().dtype;
  made = type_of_values(op, made);
}

}  // namespace

void register_elementwise(Registry& registry);
void register_elementwise(Registry& registry) {
  registry.add({
      .name = "elementwise",
      .formulas =
          {
              {"relu neg exp log", "E", "E"},
              {"abs ceil clamp clamp_min clamp_max cos erf exp2 floor leaky_relu log10 log1p log2 "
               "logical_not reciprocal round rsqrt sign sin sqrt square tan trunc acos asin atan "
               "acosh asinh atanh cosh sinh erfc erfinv expm1 frac fix sgn bitwise_not isnan isinf "
               "isposinf isneginf nan_to_num deg2rad rad2deg lgamma digamma i0 sinc angle "
               "signbit threshold logit special_ndtr special_entr special_ndtri special_log_ndtr "
               "special_erfcx special_i0e special_i1 special_i1e",
               "E", "E", "in + out", "exact; backward estimated"},
              {"add sub rsub", "E; complex 2E", "0", "in + out", "exact"},
              {"mul", "E; complex 6E", "E for each gradient", "in + out", "exact"},
              {"div", "E; complex 11E", "2E for each gradient", "in + out",
               "exact; backward estimated"},
              {"atan2 bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift "
               "fmod logical_and logical_or logical_xor maximum minimum fmax fmin pow float_power "
               "remainder floor_divide hypot copysign ldexp xlogy logaddexp heaviside nextafter "
               "gcd lcm logaddexp2 special_zeta special_xlog1py igamma igammac polygamma eq ge gt "
               "le lt ne isclose greater less equal greater_equal less_equal "
               "not_equal",
               "E", "E for each gradient", "in + out", "exact; backward estimated"},
              {"cross", "3E: two products, one difference", "-", "in + out", "exact"},
              {"addcmul addcdiv", "3E", "-", "in + out", "exact"},
              {"pointwise", "`steps`·E, E of the largest tensor", "likewise", "in + out",
               "estimated"},
              {"lerp", "3E", "2E for each gradient", "in + out", "exact; backward estimated"},
              {"positive real imag conj_physical masked_fill where view_as_real view_as_complex "
               "complex",
               "0: selecting is not arithmetic", "0", "in + out", "exact"},
          },
      .notes =
          "E counts all outputs: an op over a list of tensors is one op. Backward ops count "
          "what their tensors state: `relu` reads dy and y (or x) and writes dx, 3·E·s "
          "bytes. Other functions of complex numbers have no formula. Of integers all FLOPs are 0.",
      .evaluate = evaluate_elementwise,
      .complete = complete_elementwise,
      .no_product = true,
      .takes_integers = true,
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
              {"aten::add, sizes = [[4, 128, 1024], [1, 128, 1024], []]",
               "T=[(4,128,1024),(1,128,1024)]", std::nullopt, 524288, std::nullopt},
              {"aten::mul, sizes = [[8, 4], [8, 4]]", "T=[(8,4),(8,4)]", std::nullopt, 192,
               3 * 32 * 8, Basis::kExact, DType::kComplex64},
              {"aten::threshold_backward, sizes = [[32768, 256], [32768, 256], []]",
               "T=(32768,256)", std::nullopt, 8388608, 50331648, Basis::kExact, DType::kFloat16},
              {R"({"op":"cudnn::pointwise","args":[{"shape":[2,8,4,4],"dtype":"float16"},
              {"shape":[1,8,1,1],"dtype":"float16"},null,null,null,null,
              {"shape":[2,8,4,4],"dtype":"float16"},null,null],"facts":{"steps":2}})",
               "T=[(2,8,4,4),(1,8,1,1)]", std::nullopt, 512, 2 * (256 + 8 + 256),
               Basis::kEstimated},
              {"aten::lt, sizes = [[8, 16], [8, 16]]", "T=[(8,16),(8,16)]", std::nullopt, 128,
               128 * 9, Basis::kExact, DType::kFloat32},
          },
  });
}

}  // namespace prof::ops
