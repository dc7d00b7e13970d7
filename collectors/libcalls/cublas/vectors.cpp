// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/libcalls/cublas/vectors.hpp"

#include <algorithm>
#include <cstdlib>

namespace prof::collectors {
namespace {

/// A vector in memory has a stride, which may count backwards.
Matrix column(DataType type, std::int64_t size, std::int64_t increment, Batch batch = {}) {
  return {type, true, size, 1, std::abs(increment), batch};
}

/// Number of rows of a band in memory: one for each diagonal.
std::int64_t band_rows(std::int64_t below, std::int64_t above) {
  constexpr std::int64_t kMax = std::int64_t{1} << 60;
  const bool is_size = below >= 0 && above >= 0 && below < kMax && above < kMax;
  return is_size ? below + above + 1 : -1;
}

void state_increments(CallFacts& facts, std::int64_t incx, std::int64_t incy) {
  facts.fact("incx", incx);
  facts.fact("incy", incy);
}

/// States how the n x n matrix is stored. `below`, `above`: the diagonals of a band that are not 0.
void state_half(CallFacts& facts, const HalfMatrix& matrix, std::int64_t below,
                std::int64_t above) {
  facts.fact("fill", fill_word(matrix.fill));
  if (matrix.storage == HalfMatrix::kWhole) facts.fact("half", "a");
  if (matrix.storage == HalfMatrix::kBand) {
    facts.fact("kl", below);
    facts.fact("ku", above);
  }
  if (matrix.storage != HalfMatrix::kPacked) facts.fact("lda", matrix.lda);
}

void write_half(CallFacts& facts, DataType type, const HalfMatrix& matrix, bool is_turned) {
  const std::int64_t n = matrix.n;
  switch (matrix.storage) {
    case HalfMatrix::kWhole:
      return facts.matrix({type, is_turned, n, n, matrix.lda});
    case HalfMatrix::kBand:
      return facts.matrix({type, false, band_rows(matrix.k, 0), n, matrix.lda});
    case HalfMatrix::kPacked:
      return facts.vector(type, packed_size(n), 1);
  }
}

}  // namespace

void write_gemv(CallFacts& facts, const Types& types, const GemvCall& call, Beta beta) {
  const bool is_band = call.kl != GemvCall::kNone;
  facts.op(is_band ? "cublas::gbmv" : "cublas::gemv");
  facts.fact("trans_a", operation_word(call.trans));
  if (is_band) {
    facts.fact("kl", call.kl);
    facts.fact("ku", call.ku);
  }
  facts.fact("lda", call.lda);
  state_increments(facts, call.incx, call.incy);
  if (beta == Beta::kUnknown) facts.fact("beta", "unknown");
  const bool is_turned = is_transposed(call.trans);
  const std::int64_t rows = is_turned ? call.n : call.m, columns = is_turned ? call.m : call.n;
  if (is_band) {
    facts.matrix({types.a, false, band_rows(call.kl, call.ku), call.n, call.lda});
  } else {
    facts.matrix({types.a, is_turned, rows, columns, call.lda, {call.batch, call.strides.a}});
  }
  facts.matrix(column(types.b, columns, call.incx, {call.batch, call.strides.b}));
  write_result(facts, column(types.c, rows, call.incy, {call.batch, call.strides.c}), beta);
}

void write_ger(CallFacts& facts, const Types& types, std::int64_t m, std::int64_t n,
               std::int64_t incx, std::int64_t incy, std::int64_t lda) {
  facts.op("cublas::ger");
  state_increments(facts, incx, incy);
  facts.fact("lda", lda);
  facts.matrix(column(types.a, m, incx));
  facts.matrix({types.b, false, 1, n, std::abs(incy)});
  write_result(facts, {types.c, false, m, n, lda}, Beta::kNotZero);
}

void write_symmetric(CallFacts& facts, const Types& types, const HalfMatrix& a, std::int64_t incx,
                     std::int64_t incy, Beta beta) {
  facts.op(types.op);
  state_half(facts, a, a.k, a.k);
  state_increments(facts, incx, incy);
  if (beta == Beta::kUnknown) facts.fact("beta", "unknown");
  write_half(facts, types.a, a, false);
  facts.matrix(column(types.b, a.n, incx));
  write_result(facts, column(types.c, a.n, incy), beta);
}

void write_triangular(CallFacts& facts, const Types& types, const HalfMatrix& a, int trans,
                      int diagonal, std::int64_t incx) {
  const bool is_lower = a.fill == 0;
  facts.op(types.op);
  state_half(facts, a, is_lower ? a.k : 0, is_lower ? 0 : a.k);
  facts.fact("trans_a", operation_word(trans));
  facts.fact("diagonal", diagonal == 0 ? "stored" : "unit");
  facts.fact("incx", incx);
  write_half(facts, types.a, a, is_transposed(trans));
  facts.matrix(column(types.b, a.n, incx));
  facts.matrix(column(types.c, a.n, incx));
}

void write_rank_one(CallFacts& facts, const Types& types, const HalfMatrix& a, std::int64_t incx,
                    std::int64_t incy) {
  facts.op(types.op);
  facts.fact("fill", fill_word(a.fill));
  facts.fact("incx", incx);
  if (incy != 0) facts.fact("incy", incy);
  if (a.storage != HalfMatrix::kPacked) facts.fact("lda", a.lda);
  facts.matrix(column(types.a, a.n, incx));
  if (incy != 0) {
    facts.matrix({types.b, false, 1, a.n, std::abs(incy)});
  } else {
    facts.none();
  }
  write_half(facts, types.c, a, false);
  write_half(facts, types.c, a, false);
}

}  // namespace prof::collectors
