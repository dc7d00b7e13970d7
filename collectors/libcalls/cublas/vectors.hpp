// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Products with vectors: y = alpha op(A) x + beta y, one and in batches, and A = alpha x yᵀ + A. A
// vector is a matrix of one column.
#pragma once

#include "collectors/libcalls/cublas/gemm.hpp"

namespace prof::collectors {

/// `m` and `n` are those of A as stored; `strides`: of A, x and y.
struct GemvCall {
  int trans;
  std::int64_t m, n, lda, incx, incy;
  std::int64_t batch = -1;
  BatchStrides strides = {};
};
void write_gemv(CallFacts& facts, const Types& types, const GemvCall& call, Beta beta);
void write_ger(CallFacts& facts, const Types& types, std::int64_t m, std::int64_t n,
               std::int64_t incx, std::int64_t incy, std::int64_t lda);

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

}  // namespace prof::collectors
