// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/kernels/signatures.hpp"

#include "analyzers/kernels/name_words.hpp"

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
#include "analyzers/kernels/signatures.inc"
#undef PROF_TENSOR_CORE
#undef PROF_DTYPE
};

constexpr DTypeRow kDTypeRows[] = {
#define PROF_TENSOR_CORE(text, answer)
#define PROF_DTYPE(text, dtype) {text, DType::dtype},
#include "analyzers/kernels/signatures.inc"
#undef PROF_TENSOR_CORE
#undef PROF_DTYPE
};

}  // namespace

TensorCore tensor_core(std::string_view demangled) {
  for (const TensorCoreRow& row : kTensorCoreRows) {
    if (contains(demangled, row.text)) return row.answer;
  }
  return TensorCore::kUnknown;
}

DType operand_dtype(std::string_view demangled) {
  for (const DTypeRow& row : kDTypeRows) {
    if (contains(demangled, row.text)) return row.dtype;
  }
  return DType::kUnknown;
}

}  // namespace prof::kernels
