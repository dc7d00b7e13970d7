// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/libcalls/cublas/vectors.hpp"

#include <cstdlib>

namespace prof::collectors {
namespace {

/// A vector in memory has a stride, which may count backwards.
Matrix column(DataType type, std::int64_t size, std::int64_t increment, Batch batch = {}) {
  return {type, true, size, 1, std::abs(increment), batch};
}

}  // namespace

void write_gemv(CallFacts& facts, const Types& types, const GemvCall& call, Beta beta) {
  facts.op("cublas::gemv");
  facts.fact("trans_a", operation_word(call.trans));
  facts.fact("lda", call.lda);
  facts.fact("incx", call.incx);
  facts.fact("incy", call.incy);
  if (beta == Beta::kUnknown) facts.fact("beta", "unknown");
  const bool is_turned = is_transposed(call.trans);
  const std::int64_t rows = is_turned ? call.n : call.m, columns = is_turned ? call.m : call.n;
  const Matrix result = column(types.c, rows, call.incy, {call.batch, call.strides.c});
  facts.matrix({types.a, is_turned, rows, columns, call.lda, {call.batch, call.strides.a}});
  facts.matrix(column(types.b, columns, call.incx, {call.batch, call.strides.b}));
  if (beta == Beta::kZero) {
    facts.none();
  } else {
    facts.matrix(result);
  }
  facts.matrix(result);
}

void write_ger(CallFacts& facts, const Types& types, std::int64_t m, std::int64_t n,
               std::int64_t incx, std::int64_t incy, std::int64_t lda) {
  facts.op("cublas::ger");
  facts.fact("incx", incx);
  facts.fact("incy", incy);
  facts.fact("lda", lda);
  facts.matrix(column(types.a, m, incx));
  facts.matrix({types.b, false, 1, n, std::abs(incy)});
  const Matrix result{types.c, false, m, n, lda};
  facts.matrix(result);
  facts.matrix(result);
}

}  // namespace prof::collectors
