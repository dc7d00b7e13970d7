// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Changes the element type.
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {
namespace {

struct TypeName {
  std::string_view name;
  DType dtype;
};
/// Python's types of tensors, as Tensor.type() takes them: torch.HalfTensor.
constexpr TypeName kTypeNames[] = {
    {"Half", DType::kFloat16},   {"BFloat16", DType::kBFloat16}, {"Float", DType::kFloat32},
    {"Double", DType::kFloat64}, {"Long", DType::kInt64},        {"Int", DType::kInt32},
    {"Short", DType::kInt16},    {"Char", DType::kInt8},         {"Byte", DType::kUint8},
    {"Bool", DType::kBool},
};

DType named_type(std::string_view name) {
  for (const std::string_view prefix : {"torch.", "cuda."}) {
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  }
  if (const DType dtype = parse_dtype(name); dtype != DType::kUnknown) return dtype;
  constexpr std::string_view kTensor = "Tensor";
  if (!name.ends_with(kTensor)) return DType::kUnknown;
  name.remove_suffix(kTensor.size());
  for (const TypeName& known : kTypeNames) {
    if (known.name == name) return known.dtype;
  }
  return DType::kUnknown;
}

/// The type is an attribute, or that of another tensor.
void complete_cast(OpDesc& op) {
  const Tensor* x = input(op, std::size_t{0});
  const Tensor* other = input(op, std::size_t{1});
  if (x == nullptr) return;
  const DType dtype = other != nullptr ? other->dtype : named_type(word(op, "dtype"));
  if (dtype != DType::kUnknown) add_output(op, "out", Shape(x->shape), dtype);
}

OpFacts evaluate_cast(const OpDesc& op) {
  OpFacts facts;
  if (op.tensors.empty()) return facts;
  facts.params = main_params(op);
  // Another tensor only gives its type.
  const Tensor* x = input(op, std::size_t{0});
  facts.cost = cost(0, {x == nullptr ? std::nullopt : tensor_bytes(*x), output_bytes(op)});
  return facts;
}

}  // namespace

void register_cast(Registry& registry);
void register_cast(Registry& registry) {
  registry.add({
      .name = "cast",
      .formulas =
          {
              {"to float half bfloat16 double long int short char byte bool cfloat cdouble type "
               "type_as",
               "0", "0", "in + out", "exact"},
          },
      .notes =
          "The result's type is that of the output, or attr `dtype`, or that of a second tensor. "
          "PyTorch's own casts state none of them, so their bytes are unknown.",
      .evaluate = evaluate_cast,
      .complete = complete_cast,
      .no_product = true,
      .examples =
          {
              {R"({"v":1,"mod":"prof","op":"to","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[32768,13],"dtype":"float32"},
              {"name":"y","role":"out","type":"tensor","shape":[32768,13],"dtype":"float16"}]})",
               "T=(32768,13)", std::nullopt, 0, 2555904},
              {R"({"v":1,"mod":"prof","op":"to","dir":"bprop","args":[
              {"name":"dy","role":"in","type":"tensor","shape":[10],"dtype":"float16"},
              {"name":"dx","role":"out","type":"tensor","shape":[10],"dtype":"float32"}]})",
               "T=(10)", std::nullopt, 0, 60},
              {R"({"v":1,"mod":"prof","op":"float","dir":"fprop","args":[
              {"name":"x","role":"in","type":"tensor","shape":[10],"dtype":"float16"}]})",
               "T=(10)", std::nullopt, 0, std::nullopt},
              {"aten::type_as, sizes = [[8, 16], [4]]", "T=(8,16)", std::nullopt, 0, 2.0 * 256,
               Basis::kExact, DType::kFloat16},
          },
  });
}

}  // namespace prof::ops
