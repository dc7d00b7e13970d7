// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls with symmetric, Hermitian or triangular matrices, of which one triangle is in use, and the
// elementwise calls on matrices.
#pragma once

#include "collectors/libcalls/cublas/gemm.hpp"

namespace prof::collectors {

struct RankCall {
  int fill, trans;
  std::int64_t n, k, lda, ldb, ldc;  ///< `ldb` negative: there is no B.
};
struct SideCall {
  int side, fill;
  int trans = -1, diagonal = -1;  ///< Negative: the function has no such argument.
  std::int64_t m = 0, n = 0, lda = 0, ldb = 0, ldc = 0;
  std::int64_t batch = -1;
};

void write_rank(CallFacts& facts, const Types& types, const RankCall& call, Beta beta);
void write_symm(CallFacts& facts, const Types& types, const SideCall& call, Beta beta);
/// Describes trmm and trsm, which read B and write C.
void write_triangle(CallFacts& facts, const char* op, const Types& types, const SideCall& call);
void write_geam(CallFacts& facts, const Types& types, const GemmCall& call, bool has_b);
/// Describes tpttr and trttp: a packed triangle and one in a matrix, in the order of reading and
/// writing.
void write_unpacking(CallFacts& facts, const Types& types, int fill, std::int64_t n,
                     std::int64_t lda);
void write_packing(CallFacts& facts, const Types& types, int fill, std::int64_t n,
                   std::int64_t lda);
void write_dgmm(CallFacts& facts, const Types& types, int side, std::int64_t m, std::int64_t n,
                std::int64_t lda, std::int64_t incx, std::int64_t ldc);

template <typename Int>
struct Symm {
  using Function = int(void*, int, int, Int, Int, const void*, const void*, Int, const void*, Int,
                       const void*, void*, Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* handle, int side, int fill,
                       Int m, Int n, const void* /*alpha*/, const void* /*a*/, Int lda,
                       const void* /*b*/, Int ldb, const void* beta, void* /*c*/, Int ldc) {
    write_symm(facts, types,
               {.side = side, .fill = fill, .m = m, .n = n, .lda = lda, .ldb = ldb, .ldc = ldc},
               Release::beta(handle, beta, types.scale));
  }
};

/// C = alpha op(A) op(A)ᵀ + beta C.
template <typename Int>
struct Syrk {
  using Function = int(void*, int, int, Int, Int, const void*, const void*, Int, const void*, void*,
                       Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* handle, int fill, int trans,
                       Int n, Int k, const void* /*alpha*/, const void* /*a*/, Int lda,
                       const void* beta, void* /*c*/, Int ldc) {
    write_rank(facts, types, {fill, trans, n, k, lda, -1, ldc},
               Release::beta(handle, beta, types.scale));
  }
};

/// As above, with the types of A and C as arguments.
template <typename Int>
struct SyrkEx {
  using Function = int(void*, int, int, Int, Int, const void*, const void*, DataType, Int,
                       const void*, void*, DataType, Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* handle, int fill, int trans,
                       Int n, Int k, const void* /*alpha*/, const void* /*a*/, DataType a_type,
                       Int lda, const void* beta, void* /*c*/, DataType c_type, Int ldc) {
    write_rank(facts, {a_type, a_type, c_type, types.scale, types.op},
               {fill, trans, n, k, lda, -1, ldc}, Release::beta(handle, beta, types.scale));
  }
};

/// syrkx and syr2k.
template <typename Int>
struct Syrkx {
  using Function = int(void*, int, int, Int, Int, const void*, const void*, Int, const void*, Int,
                       const void*, void*, Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* handle, int fill, int trans,
                       Int n, Int k, const void* /*alpha*/, const void* /*a*/, Int lda,
                       const void* /*b*/, Int ldb, const void* beta, void* /*c*/, Int ldc) {
    write_rank(facts, types, {fill, trans, n, k, lda, ldb, ldc},
               Release::beta(handle, beta, types.scale));
  }
};

template <typename Int>
struct Trmm {
  using Function = int(void*, int, int, int, int, Int, Int, const void*, const void*, Int,
                       const void*, Int, void*, Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, int side, int fill,
                       int trans, int diagonal, Int m, Int n, const void* /*alpha*/,
                       const void* /*a*/, Int lda, const void* /*b*/, Int ldb, void* /*c*/,
                       Int ldc) {
    write_triangle(facts, "cublas::trmm", types,
                   {side, fill, trans, diagonal, m, n, lda, ldb, ldc});
  }
};

template <typename Int>
struct Trsm {
  using Function = int(void*, int, int, int, int, Int, Int, const void*, const void*, Int, void*,
                       Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, int side, int fill,
                       int trans, int diagonal, Int m, Int n, const void* /*alpha*/,
                       const void* /*a*/, Int lda, void* /*b*/, Int ldb) {
    write_triangle(facts, "cublas::trsm", types,
                   {side, fill, trans, diagonal, m, n, lda, ldb, ldb});
  }
};

template <typename Int>
struct TrsmBatched {
  using Function = int(void*, int, int, int, int, Int, Int, const void*, const void*, Int, void*,
                       Int, Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, int side, int fill,
                       int trans, int diagonal, Int m, Int n, const void* /*alpha*/,
                       const void* /*a*/, Int lda, void* /*b*/, Int ldb, Int batch) {
    write_triangle(facts, "cublas::trsm", types,
                   {side, fill, trans, diagonal, m, n, lda, ldb, ldb, batch});
  }
};

/// C = alpha op(A) + beta op(B).
template <typename Int>
struct Geam {
  using Function = int(void*, int, int, Int, Int, const void*, const void*, Int, const void*,
                       const void*, Int, void*, Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* handle, int trans_a, int trans_b,
                       Int m, Int n, const void* /*alpha*/, const void* /*a*/, Int lda,
                       const void* beta, const void* /*b*/, Int ldb, void* /*c*/, Int ldc) {
    const Beta known = Release::beta(handle, beta, types.scale);
    if (known == Beta::kUnknown) facts.fact("beta", "unknown");
    write_geam(facts, types, {trans_a, trans_b, m, n, 0, lda, ldb, ldc}, known != Beta::kZero);
  }
};

/// C = A diag(x) or diag(x) A.
template <typename Int>
struct Dgmm {
  using Function = int(void*, int, Int, Int, const void*, Int, const void*, Int, void*, Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, int side, Int m,
                       Int n, const void* /*a*/, Int lda, const void* /*x*/, Int incx, void* /*c*/,
                       Int ldc) {
    write_dgmm(facts, types, side, m, n, lda, incx, ldc);
  }
};

struct Tpttr {
  using Function = int(void*, int, int, const void*, void*, int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, int fill, int n,
                       const void* /*packed*/, void* /*a*/, int lda) {
    write_unpacking(facts, types, fill, n, lda);
  }
};
struct Trttp {
  using Function = int(void*, int, int, const void*, int, void*);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* /*handle*/, int fill, int n,
                       const void* /*a*/, int lda, void* /*packed*/) {
    write_packing(facts, types, fill, n, lda);
  }
};

}  // namespace prof::collectors
