// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/libcalls/cublas/gemm.hpp"

namespace prof::collectors {

void state_operations(CallFacts& facts, const GemmCall& call) {
  facts.fact("trans_a", operation_word(call.trans_a));
  facts.fact("trans_b", operation_word(call.trans_b));
  facts.fact("lda", call.lda);
  facts.fact("ldb", call.ldb);
  facts.fact("ldc", call.ldc);
}

void state_compute(CallFacts& facts, int compute, int algorithm) {
  const ComputeType* const known = compute_type(compute);
  if (known != nullptr) {
    facts.fact("compute", known->word);
  } else {
    facts.fact("compute", std::int64_t{compute});
  }
  facts.fact("algorithm", std::int64_t{algorithm});
}

ScaleType scale_of_compute(int compute, DataType result) {
  const ComputeType* const known = compute_type(compute);
  if (known == nullptr) return ScaleType::kUnknown;
  const bool is_complex = result == DataType::kC32F || result == DataType::kC64F;
  if (known->scale == ScaleType::kR32F) return is_complex ? ScaleType::kC32F : ScaleType::kR32F;
  if (known->scale == ScaleType::kR64F) return is_complex ? ScaleType::kC64F : ScaleType::kR64F;
  return known->scale;
}

void write_result(CallFacts& facts, const Matrix& result, Beta beta) {
  if (beta == Beta::kZero) {
    facts.none();
  } else {
    facts.matrix(result);
  }
  facts.matrix(result);
}

void write_gemm(CallFacts& facts, const Types& types, const GemmCall& call, Beta beta) {
  facts.op("cublas::gemm");
  state_operations(facts, call);
  if (beta == Beta::kUnknown) facts.fact("beta", "unknown");
  const std::int64_t batch = call.batch;
  const Matrix result{types.c, false, call.m, call.n, call.ldc, {batch, call.strides.c}};
  facts.matrix(
      {types.a, is_transposed(call.trans_a), call.m, call.k, call.lda, {batch, call.strides.a}});
  facts.matrix(
      {types.b, is_transposed(call.trans_b), call.k, call.n, call.ldb, {batch, call.strides.b}});
  write_result(facts, result, beta);
}

}  // namespace prof::collectors
