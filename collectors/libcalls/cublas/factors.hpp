// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Batches of factorizations, of solutions by them, and of inverses. Matrices may be anywhere in
// memory: the functions take arrays of pointers.
#pragma once

#include "collectors/libcalls/cublas/gemm.hpp"

namespace prof::collectors {

struct FactorCall {
  int m, n, lda, batch;
};
/// Right-hand sides, or a result.
struct FactorResult {
  int rows, columns, ld;
};
void write_factors(CallFacts& facts, const char* op, const Types& types, const FactorCall& call);
void write_factors(CallFacts& facts, const char* op, const Types& types, const FactorCall& call,
                   const FactorResult& other);

struct GetrfBatched {
  using Function = int(void*, int, const void*, int, void*, void*, int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, int n,
                       const void* /*a*/, int lda, void* /*pivots*/, void* /*info*/, int batch) {
    write_factors(facts, "cublas::getrf", types, {n, n, lda, batch});
  }
};
struct GetrsBatched {
  using Function = int(void*, int, int, int, const void*, int, const void*, const void*, int, void*,
                       int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, int trans, int n,
                       int nrhs, const void* /*a*/, int lda, const void* /*pivots*/,
                       const void* /*b*/, int ldb, void* /*info*/, int batch) {
    facts.fact("trans_a", operation_word(trans));
    write_factors(facts, "cublas::getrs", types, {n, n, lda, batch}, {n, nrhs, ldb});
  }
};
/// Inverses from the factors that getrf makes.
struct GetriBatched {
  using Function = int(void*, int, const void*, int, const void*, const void*, int, void*, int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, int n,
                       const void* /*a*/, int lda, const void* /*pivots*/, const void* /*c*/,
                       int ldc, void* /*info*/, int batch) {
    write_factors(facts, "cublas::getri", types, {n, n, lda, batch}, {n, n, ldc});
  }
};
struct MatinvBatched {
  using Function = int(void*, int, const void*, int, const void*, int, void*, int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, int n,
                       const void* /*a*/, int lda, const void* /*inverses*/, int ldc,
                       void* /*info*/, int batch) {
    write_factors(facts, "cublas::matinv", types, {n, n, lda, batch}, {n, n, ldc});
  }
};
struct GeqrfBatched {
  using Function = int(void*, int, int, const void*, int, const void*, void*, int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, int m, int n,
                       const void* /*a*/, int lda, const void* /*tau*/, void* /*info*/, int batch) {
    write_factors(facts, "cublas::geqrf", types, {m, n, lda, batch});
  }
};
/// Least squares.
struct GelsBatched {
  using Function = int(void*, int, int, int, int, const void*, int, const void*, int, void*, void*,
                       int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, int trans, int m,
                       int n, int nrhs, const void* /*a*/, int lda, const void* /*c*/, int ldc,
                       void* /*info*/, void* /*infos*/, int batch) {
    facts.fact("trans_a", operation_word(trans));
    write_factors(facts, "cublas::gels", types, {m, n, lda, batch}, {m, nrhs, ldc});
  }
};

}  // namespace prof::collectors
