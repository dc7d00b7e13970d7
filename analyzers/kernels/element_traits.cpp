// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/kernels/element_traits.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "analyzers/kernels/name_words.hpp"

namespace prof::kernels {
namespace {

constexpr auto kNowhere = std::string_view::npos;

struct CppType {
  std::string_view text;
  DType dtype;
};
// For the 8-bit floats with other exponents, only the size is meant.
constexpr CppType kCppTypes[] = {
    {"float", DType::kFloat32},
    {"double", DType::kFloat64},
    {"c10::Half", DType::kFloat16},
    {"c10::BFloat16", DType::kBFloat16},
    {"c10::Float8_e4m3fn", DType::kFloat8E4M3},
    {"c10::Float8_e4m3fnuz", DType::kFloat8E4M3Fnuz},
    {"c10::Float8_e5m2", DType::kFloat8E5M2},
    {"c10::Float8_e5m2fnuz", DType::kFloat8E5M2Fnuz},
    {"c10::Float8_e8m0fnu", DType::kFloat8E8M0},
    {"c10::complex<float>", DType::kComplex64},
    {"c10::complex<double>", DType::kComplex128},
    {"bool", DType::kBool},
    {"unsigned char", DType::kUint8},
    {"signed char", DType::kInt8},
    {"short", DType::kInt16},
    {"int", DType::kInt32},
    {"long", DType::kInt64},
};

/// The parameter of the first element function in `text`: "{lambda()#3}::operator()() const::
/// {lambda(float)#1}" gives float.
DType lambda_type(std::string_view text) {
  constexpr std::string_view kLambda = "{lambda(";
  for (std::size_t at = text.find(kLambda); at != kNowhere; at = text.find(kLambda)) {
    text.remove_prefix(at + kLambda.size());
    const std::string_view parameter = text.substr(0, text.find(')'));
    if (parameter.empty()) continue;
    const auto* const known = std::ranges::find(kCppTypes, parameter, &CppType::text);
    return known == std::end(kCppTypes) ? DType::kUnknown : known->dtype;
  }
  return DType::kUnknown;
}

/// PyTorch's copies name the type of the result, or of what is cast to a smaller float.
void read_copy(std::string_view name, ElementTraits& traits) {
  struct Copy {
    std::string_view function;
    DType to;
  };
  constexpr Copy kCasts[] = {
      {"bfloat16_copy_kernel_cuda(", DType::kBFloat16},  // before the end of its name
      {"float16_copy_kernel_cuda(", DType::kFloat16},
      {"float8_copy_kernel_cuda(", DType::kFloat8E4M3},  // or another type of that size
      {"direct_copy_kernel_cuda(", DType::kUnknown},
  };
  for (const Copy& copy : kCasts) {
    const std::size_t at = name.find(copy.function);
    if (at == kNowhere) continue;
    const DType type = lambda_type(name.substr(at));
    if (type == DType::kUnknown) return;
    const bool is_cast = copy.to != DType::kUnknown && size_bytes(type) != size_bytes(copy.to);
    traits.copies = true;
    traits.copied_from = type;
    traits.copied_to = is_cast ? copy.to : type;
    return;
  }
}

/// Kernels that move elements of any type know their size.
std::uint8_t opaque_size(std::string_view name) {
  for (const std::string_view type : {"native::OpaqueType<", "namespace)::OpaqueType<"}) {
    const std::size_t at = name.find(type);
    if (at == kNowhere) continue;
    const std::string_view rest = name.substr(at + type.size());
    std::uint8_t size = 0;
    std::from_chars(rest.data(), rest.data() + rest.size(), size);
    return size;
  }
  // cuDNN's attention says f16 for both 16-bit floats.
  const bool is_attention = name.starts_with("cudnn_generated_") && contains(name, "_sdpa_");
  return is_attention && contains(name, "f16_") ? 2 : 0;
}

/// Element functions that hold an operand of the op: a Python number, or a tensor on the CPU.
constexpr std::string_view kWithNumber[] = {"AUnaryFunctor<",          "BUnaryFunctor<",
                                            "CUDAFunctorOnSelf_add<",  "compare_scalar_kernel",
                                            "CUDAFunctorOnOther_add<", "pow_tensor_scalar_kernel",
                                            "masked_fill_kernel("};

}  // namespace

bool converts_operands(std::string_view demangled) {
  // Elementwise kernels that load or store through a conversion. The third are those of strided
  // tensors, which are called gpu_kernel_impl_nocast otherwise.
  constexpr std::string_view kConverting[] = {
      "WithCast<", "vectorized_templated_elementwise_kernel<", "gpu_kernel_impl<"};
  return std::ranges::any_of(kConverting,
                             [&](std::string_view part) { return contains(demangled, part); });
}

ElementTraits element_traits(std::string_view demangled) {
  ElementTraits traits;
  read_copy(demangled, traits);
  traits.size = opaque_size(demangled);
  traits.has_number = std::ranges::any_of(
      kWithNumber, [&](std::string_view part) { return contains(demangled, part); });
  traits.accumulates =
      contains(demangled, "indexing_backward_kernel") && !contains(demangled, "kernel_quantized");
  return traits;
}

}  // namespace prof::kernels
