// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of general matrices, by the forms of their calls: C = alpha op(A) op(B) + beta C. An op
// has the arguments op(A), op(B), C if it is read, and the result.
#pragma once

#include <cstdint>

#include "collectors/libcalls/cublas/release.hpp"

namespace prof::collectors {

/// Types of the operands of one function. `scale` is that of alpha and beta; `op` is set where the
/// family has several ops.
struct Types {
  DataType a, b, c;
  ScaleType scale;
  const char* op = "";
};
constexpr Types all_of(DataType type, const char* op = "") {
  return {type, type, type, scale_of(type), op};
}
constexpr Types mixed(DataType in, DataType out, ScaleType scale, const char* op = "") {
  return {in, in, out, scale, op};
}

/// Argument: a cublasOperation_t.
constexpr bool is_transposed(int operation) { return operation == 1 || operation == 2; }

/// Location of the matrices of a batch: one behind the other, or anywhere.
struct BatchStrides {
  std::int64_t a = Batch::kUnknown, b = Batch::kUnknown, c = Batch::kUnknown;
};

struct GemmCall {
  int trans_a, trans_b;
  std::int64_t m, n, k, lda, ldb, ldc;
  std::int64_t batch = -1;  ///< Negative: the function has no such argument.
  BatchStrides strides = {};
};

/// cublasFillMode_t.
constexpr const char* fill_word(int fill) {
  constexpr const char* kWords[] = {"lower", "upper", "full"};
  return fill >= 0 && fill < 3 ? kWords[fill] : "unknown";
}
/// Elements of the triangle of an n x n matrix; negative: n is no size.
constexpr std::int64_t packed_size(std::int64_t n) {
  constexpr std::int64_t kMax = std::int64_t{1} << 31;
  return n >= 0 && n <= kMax ? n * (n + 1) / 2 : -1;
}

void state_operations(CallFacts& facts, const GemmCall& call);
void state_compute(CallFacts& facts, int compute, int algorithm);
/// Writes C if it is read, and the result that is written in its place.
void write_result(CallFacts& facts, const Matrix& result, Beta beta);
/// Writes a product. The caller's own facts, if any, come before.
void write_gemm(CallFacts& facts, const Types& types, const GemmCall& call, Beta beta);
/// The type that alpha and beta have when computing in that way.
ScaleType scale_of_compute(int compute, DataType result);

template <typename Int>
struct Gemm {
  using Function = int(void*, int, int, Int, Int, Int, const void*, const void*, Int, const void*,
                       Int, const void*, void*, Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* handle, int trans_a, int trans_b,
                       Int m, Int n, Int k, const void* /*alpha*/, const void* /*a*/, Int lda,
                       const void* /*b*/, Int ldb, const void* beta, void* /*c*/, Int ldc) {
    write_gemm(facts, types, {trans_a, trans_b, m, n, k, lda, ldb, ldc},
               Release::beta(handle, beta, types.scale));
  }
};

/// The types of A, B and C are arguments; alpha and beta have that of the function.
template <typename Int>
struct TypedGemm {
  using Function = int(void*, int, int, Int, Int, Int, const void*, const void*, DataType, Int,
                       const void*, DataType, Int, const void*, void*, DataType, Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* handle, int trans_a, int trans_b,
                       Int m, Int n, Int k, const void* /*alpha*/, const void* /*a*/,
                       DataType a_type, Int lda, const void* /*b*/, DataType b_type, Int ldb,
                       const void* beta, void* /*c*/, DataType c_type, Int ldc) {
    write_gemm(facts, {a_type, b_type, c_type, types.scale},
               {trans_a, trans_b, m, n, k, lda, ldb, ldc},
               Release::beta(handle, beta, types.scale));
  }
};

template <typename Int>
struct GemmEx {
  using Function = int(void*, int, int, Int, Int, Int, const void*, const void*, DataType, Int,
                       const void*, DataType, Int, const void*, void*, DataType, Int, int, int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& /*types*/, void* handle, int trans_a,
                       int trans_b, Int m, Int n, Int k, const void* /*alpha*/, const void* /*a*/,
                       DataType a_type, Int lda, const void* /*b*/, DataType b_type, Int ldb,
                       const void* beta, void* /*c*/, DataType c_type, Int ldc, int compute,
                       int algorithm) {
    const ScaleType scale = scale_of_compute(compute, c_type);
    state_compute(facts, compute, algorithm);
    write_gemm(facts, {a_type, b_type, c_type, scale}, {trans_a, trans_b, m, n, k, lda, ldb, ldc},
               Release::beta(handle, beta, scale));
  }
};

/// A, B and C are arrays of pointers.
template <typename Int>
struct GemmBatched {
  using Function = int(void*, int, int, Int, Int, Int, const void*, const void*, Int, const void*,
                       Int, const void*, void*, Int, Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* handle, int trans_a, int trans_b,
                       Int m, Int n, Int k, const void* /*alpha*/, const void* /*a*/, Int lda,
                       const void* /*b*/, Int ldb, const void* beta, void* /*c*/, Int ldc,
                       Int batch) {
    write_gemm(facts, types, {trans_a, trans_b, m, n, k, lda, ldb, ldc, batch},
               Release::beta(handle, beta, types.scale));
  }
};

template <typename Int>
struct GemmBatchedEx {
  using Function = int(void*, int, int, Int, Int, Int, const void*, const void*, DataType, Int,
                       const void*, DataType, Int, const void*, void*, DataType, Int, Int, int,
                       int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& /*types*/, void* handle, int trans_a,
                       int trans_b, Int m, Int n, Int k, const void* /*alpha*/, const void* /*a*/,
                       DataType a_type, Int lda, const void* /*b*/, DataType b_type, Int ldb,
                       const void* beta, void* /*c*/, DataType c_type, Int ldc, Int batch,
                       int compute, int algorithm) {
    const ScaleType scale = scale_of_compute(compute, c_type);
    state_compute(facts, compute, algorithm);
    write_gemm(facts, {a_type, b_type, c_type, scale},
               {trans_a, trans_b, m, n, k, lda, ldb, ldc, batch},
               Release::beta(handle, beta, scale));
  }
};

template <typename Int>
struct GemmStrided {
  using Function = int(void*, int, int, Int, Int, Int, const void*, const void*, Int, long long,
                       const void*, Int, long long, const void*, void*, Int, long long, Int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* handle, int trans_a, int trans_b,
                       Int m, Int n, Int k, const void* /*alpha*/, const void* /*a*/, Int lda,
                       long long stride_a, const void* /*b*/, Int ldb, long long stride_b,
                       const void* beta, void* /*c*/, Int ldc, long long stride_c, Int batch) {
    write_gemm(facts, types,
               {trans_a, trans_b, m, n, k, lda, ldb, ldc, batch, {stride_a, stride_b, stride_c}},
               Release::beta(handle, beta, types.scale));
  }
};

template <typename Int>
struct GemmStridedEx {
  using Function = int(void*, int, int, Int, Int, Int, const void*, const void*, DataType, Int,
                       long long, const void*, DataType, Int, long long, const void*, void*,
                       DataType, Int, long long, Int, int, int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& /*types*/, void* handle, int trans_a,
                       int trans_b, Int m, Int n, Int k, const void* /*alpha*/, const void* /*a*/,
                       DataType a_type, Int lda, long long stride_a, const void* /*b*/,
                       DataType b_type, Int ldb, long long stride_b, const void* beta, void* /*c*/,
                       DataType c_type, Int ldc, long long stride_c, Int batch, int compute,
                       int algorithm) {
    const ScaleType scale = scale_of_compute(compute, c_type);
    state_compute(facts, compute, algorithm);
    write_gemm(facts, {a_type, b_type, c_type, scale},
               {trans_a, trans_b, m, n, k, lda, ldb, ldc, batch, {stride_a, stride_b, stride_c}},
               Release::beta(handle, beta, scale));
  }
};

}  // namespace prof::collectors
