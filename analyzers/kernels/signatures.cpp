// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/kernels/signatures.hpp"

#include "analyzers/kernels/kernel_name.hpp"

namespace prof::kernels {
namespace {

struct TensorCoreRow {
  std::string_view text;
  TensorCore answer;
};

struct DTypeRow {
  std::string_view text;
  DType dtype;
};

constexpr TensorCoreRow kTensorCoreRows[] = {
#define PROF_TENSOR_CORE(text, answer) {text, TensorCore::answer},
#define PROF_DTYPE(text, dtype)
#define PROF_HELPER(text)
#include "analyzers/kernels/signatures.inc"
#undef PROF_TENSOR_CORE
#undef PROF_DTYPE
#undef PROF_HELPER
};

constexpr DTypeRow kDTypeRows[] = {
#define PROF_TENSOR_CORE(text, answer)
#define PROF_DTYPE(text, dtype) {text, DType::dtype},
#define PROF_HELPER(text)
#include "analyzers/kernels/signatures.inc"
#undef PROF_TENSOR_CORE
#undef PROF_DTYPE
#undef PROF_HELPER
};

constexpr std::string_view kHelpers[] = {
#define PROF_TENSOR_CORE(text, answer)
#define PROF_DTYPE(text, dtype)
#define PROF_HELPER(text) text,
#include "analyzers/kernels/signatures.inc"
#undef PROF_TENSOR_CORE
#undef PROF_DTYPE
#undef PROF_HELPER
};

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// cuBLAS writes operand, accumulator and result types of its nvjet kernels as letters:
/// nvjet_hsh_..., nvjet_sm90_tst_.... FP8 has longer groups, of which nothing is said here.
DType nvjet_dtype(std::string_view name) {
  const std::size_t start = name.find("nvjet_");
  if (start == std::string_view::npos) return DType::kUnknown;
  std::string_view rest = name.substr(start + 6);
  if (rest.starts_with("sm")) {
    const std::size_t underscore = rest.find('_');
    if (underscore == std::string_view::npos) return DType::kUnknown;
    rest.remove_prefix(underscore + 1);
  }
  const std::string_view letters = rest.substr(0, rest.find('_'));
  if (letters.size() != 3) return DType::kUnknown;
  switch (letters[0]) {
    case 'h':
      return DType::kFloat16;
    case 't':
      return DType::kBFloat16;
    case 's':
      return DType::kTFloat32;
    case 'd':
      return DType::kFloat64;
    default:
      return DType::kUnknown;
  }
}

}  // namespace

TensorCore tensor_core(std::string_view demangled) {
  for (const TensorCoreRow& row : kTensorCoreRows) {
    if (contains(demangled, row.text)) return row.answer;
  }
  return TensorCore::kUnknown;
}

DType operand_dtype(std::string_view demangled) {
  if (const DType dtype = nvjet_dtype(demangled); dtype != DType::kUnknown) return dtype;
  if (contains(demangled, "nvjet_")) return DType::kUnknown;
  for (const DTypeRow& row : kDTypeRows) {
    if (contains(demangled, row.text)) return row.dtype;
  }
  return DType::kUnknown;
}

bool is_helper(std::string_view short_name) {
  for (const std::string_view helper : kHelpers) {
    if (contains(short_name, helper)) return true;
  }
  return false;
}

KernelFacts facts(std::string_view name) {
  KernelFacts result;
  result.demangled = demangle(name);
  result.short_name = short_name(result.demangled);
  result.tensor_core = tensor_core(result.demangled);
  result.is_helper = is_helper(result.short_name);
  return result;
}

}  // namespace prof::kernels
