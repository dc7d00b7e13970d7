// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Products with vectors: y = alpha op(A) x + beta y, one and in batches, solutions of triangular
// systems of equations, and A = alpha x yᵀ + A. A vector is a matrix of one column. A band is
// described as stored, with a row for each diagonal, and a packed triangle as one dimension.
#pragma once

#include "collectors/libcalls/cublas/gemm.hpp"

namespace prof::collectors {

/// `m` and `n` are those of A as stored; `strides` are those of A, x and y.
struct GemvCall {
  static constexpr std::int64_t kNone = INT64_MIN;
  int trans;
  std::int64_t m, n, lda, incx, incy;
  std::int64_t batch = -1;
  BatchStrides strides = {};
  /// For a band matrix: diagonals below and above the main one.
  std::int64_t kl = kNone, ku = kNone;
};
/// A symmetric or triangular matrix, of which one triangle is in memory.
struct HalfMatrix {
  enum Storage : std::uint8_t { kWhole, kBand, kPacked };
  Storage storage;
  int fill;
  std::int64_t n;
  std::int64_t lda = 0;
  std::int64_t k = 0;  ///< For a band matrix: diagonals beside the main one.
};
void write_gemv(CallFacts& facts, const Types& types, const GemvCall& call, Beta beta);
void write_ger(CallFacts& facts, const Types& types, std::int64_t m, std::int64_t n,
               std::int64_t incx, std::int64_t incy, std::int64_t lda);
/// Describes symv, sbmv, spmv.
void write_symmetric(CallFacts& facts, const Types& types, const HalfMatrix& a, std::int64_t incx,
                     std::int64_t incy, Beta beta);
/// Describes trmv, trsv and the like: y is in place of x.
void write_triangular(CallFacts& facts, const Types& types, const HalfMatrix& a, int trans,
                      int diagonal, std::int64_t incx);
/// Describes syr and syr2, of x and y; `incy` 0: there is no y.
void write_rank_one(CallFacts& facts, const Types& types, const HalfMatrix& a, std::int64_t incx,
                    std::int64_t incy);

template <typename Int>
struct Gemv {
  using Function = int(void*, int, Int, Int, const void*, const void*, Int, const void*, Int,
                       const void*, void*, Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* handle, int trans, Int m, Int n,
                       const void* /*alpha*/, const void* /*a*/, Int lda, const void* /*x*/,
                       Int incx, const void* beta, void* /*y*/, Int incy) {
    write_gemv(facts, types, {trans, m, n, lda, incx, incy},
               Release::beta(handle, beta, types.scale));
  }
};

template <typename Int>
struct GemvBatched {
  using Function = int(void*, int, Int, Int, const void*, const void*, Int, const void*, Int,
                       const void*, void*, Int, Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* handle, int trans, Int m, Int n,
                       const void* /*alpha*/, const void* /*a*/, Int lda, const void* /*x*/,
                       Int incx, const void* beta, void* /*y*/, Int incy, Int batch) {
    write_gemv(facts, types, {trans, m, n, lda, incx, incy, batch},
               Release::beta(handle, beta, types.scale));
  }
};

template <typename Int>
struct GemvStrided {
  using Function = int(void*, int, Int, Int, const void*, const void*, Int, long long, const void*,
                       Int, long long, const void*, void*, Int, long long, Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* handle, int trans, Int m, Int n,
                       const void* /*alpha*/, const void* /*a*/, Int lda, long long stride_a,
                       const void* /*x*/, Int incx, long long stride_x, const void* beta,
                       void* /*y*/, Int incy, long long stride_y, Int batch) {
    write_gemv(facts, types, {trans, m, n, lda, incx, incy, batch, {stride_a, stride_x, stride_y}},
               Release::beta(handle, beta, types.scale));
  }
};

template <typename Int>
struct Ger {
  using Function = int(void*, Int, Int, const void*, const void*, Int, const void*, Int, void*,
                       Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, Int m, Int n,
                       const void* /*alpha*/, const void* /*x*/, Int incx, const void* /*y*/,
                       Int incy, void* /*a*/, Int lda) {
    write_ger(facts, types, m, n, incx, incy, lda);
  }
};

template <typename Int>
struct Gbmv {
  using Function = int(void*, int, Int, Int, Int, Int, const void*, const void*, Int, const void*,
                       Int, const void*, void*, Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* handle, int trans, Int m, Int n,
                       Int kl, Int ku, const void* /*alpha*/, const void* /*a*/, Int lda,
                       const void* /*x*/, Int incx, const void* beta, void* /*y*/, Int incy) {
    write_gemv(facts, types,
               {.trans = trans,
                .m = m,
                .n = n,
                .lda = lda,
                .incx = incx,
                .incy = incy,
                .kl = kl,
                .ku = ku},
               Release::beta(handle, beta, types.scale));
  }
};

// --- Of one triangle: whole, a band of it, packed.

template <typename Int>
struct Symv {
  using Function = int(void*, int, Int, const void*, const void*, Int, const void*, Int,
                       const void*, void*, Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* handle, int fill, Int n,
                       const void* /*alpha*/, const void* /*a*/, Int lda, const void* /*x*/,
                       Int incx, const void* beta, void* /*y*/, Int incy) {
    write_symmetric(facts, types, {HalfMatrix::kWhole, fill, n, lda}, incx, incy,
                    Release::beta(handle, beta, types.scale));
  }
};
template <typename Int>
struct BandSymv {
  using Function = int(void*, int, Int, Int, const void*, const void*, Int, const void*, Int,
                       const void*, void*, Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* handle, int fill, Int n, Int k,
                       const void* /*alpha*/, const void* /*a*/, Int lda, const void* /*x*/,
                       Int incx, const void* beta, void* /*y*/, Int incy) {
    write_symmetric(facts, types, {HalfMatrix::kBand, fill, n, lda, k}, incx, incy,
                    Release::beta(handle, beta, types.scale));
  }
};
template <typename Int>
struct PackedSymv {
  using Function = int(void*, int, Int, const void*, const void*, const void*, Int, const void*,
                       void*, Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* handle, int fill, Int n,
                       const void* /*alpha*/, const void* /*a*/, const void* /*x*/, Int incx,
                       const void* beta, void* /*y*/, Int incy) {
    write_symmetric(facts, types, {HalfMatrix::kPacked, fill, n}, incx, incy,
                    Release::beta(handle, beta, types.scale));
  }
};

template <typename Int>
struct Trmv {
  using Function = int(void*, int, int, int, Int, const void*, Int, void*, Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, int fill, int trans,
                       int diagonal, Int n, const void* /*a*/, Int lda, void* /*x*/, Int incx) {
    write_triangular(facts, types, {HalfMatrix::kWhole, fill, n, lda}, trans, diagonal, incx);
  }
};
template <typename Int>
struct BandTrmv {
  using Function = int(void*, int, int, int, Int, Int, const void*, Int, void*, Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, int fill, int trans,
                       int diagonal, Int n, Int k, const void* /*a*/, Int lda, void* /*x*/,
                       Int incx) {
    write_triangular(facts, types, {HalfMatrix::kBand, fill, n, lda, k}, trans, diagonal, incx);
  }
};
template <typename Int>
struct PackedTrmv {
  using Function = int(void*, int, int, int, Int, const void*, void*, Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, int fill, int trans,
                       int diagonal, Int n, const void* /*a*/, void* /*x*/, Int incx) {
    write_triangular(facts, types, {HalfMatrix::kPacked, fill, n}, trans, diagonal, incx);
  }
};

template <typename Int>
struct Syr {
  using Function = int(void*, int, Int, const void*, const void*, Int, void*, Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, int fill, Int n,
                       const void* /*alpha*/, const void* /*x*/, Int incx, void* /*a*/, Int lda) {
    write_rank_one(facts, types, {HalfMatrix::kWhole, fill, n, lda}, incx, 0);
  }
};
template <typename Int>
struct PackedSyr {
  using Function = int(void*, int, Int, const void*, const void*, Int, void*);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, int fill, Int n,
                       const void* /*alpha*/, const void* /*x*/, Int incx, void* /*a*/) {
    write_rank_one(facts, types, {HalfMatrix::kPacked, fill, n}, incx, 0);
  }
};
template <typename Int>
struct Syr2 {
  using Function = int(void*, int, Int, const void*, const void*, Int, const void*, Int, void*,
                       Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, int fill, Int n,
                       const void* /*alpha*/, const void* /*x*/, Int incx, const void* /*y*/,
                       Int incy, void* /*a*/, Int lda) {
    write_rank_one(facts, types, {HalfMatrix::kWhole, fill, n, lda}, incx, incy);
  }
};
template <typename Int>
struct PackedSyr2 {
  using Function = int(void*, int, Int, const void*, const void*, Int, const void*, Int, void*);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, int fill, Int n,
                       const void* /*alpha*/, const void* /*x*/, Int incx, const void* /*y*/,
                       Int incy, void* /*a*/) {
    write_rank_one(facts, types, {HalfMatrix::kPacked, fill, n}, incx, incy);
  }
};

}  // namespace prof::collectors
