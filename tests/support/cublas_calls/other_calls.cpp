// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Groups, vectors, symmetric and triangular matrices.
#include "asked.hpp"

namespace cublas_calls {

// --- Groups

namespace {
template <typename Int>
struct Groups {
  int first = 3 + g_call % 5;
  cublasOperation_t trans_a[2] = {CUBLAS_OP_N, CUBLAS_OP_T};
  cublasOperation_t trans_b[2] = {CUBLAS_OP_T, CUBLAS_OP_N};
  Int m[2] = {Int{8} + first, 9}, n[2] = {7, Int{6} + first}, k[2] = {11, 13};
  Int lda[2] = {m[0], k[1]}, ldb[2] = {n[0], k[1]}, ldc[2] = {m[0], m[1]};
  Int sizes[2] = {2, 3};
  float one32[2] = {1, 1};
  double one64[2] = {1, 1};

  [[nodiscard]] Asked asked(const char* function, const char* type) const {
    std::string shapes = ",\"groups\":[";
    for (int i = 0; i < 2; ++i) {
      shapes += (i == 0 ? "[" : ",[") + std::to_string(sizes[i]) + "," + std::to_string(m[i]) +
                "," + std::to_string(n[i]) + "," + std::to_string(k[i]) + "]";
    }
    return {function, "grouped_gemm", 0, 0, 0, 0, three(type), shapes + "]", true};
  }
};

}  // namespace

#define GROUPED(symbol, Int, type, one)                                                           \
  if (begins_call()) {                                                                            \
    const Groups<Int> s;                                                                          \
    took(s.asked(#symbol, type),                                                                  \
         FUNCTION(symbol)(g_handle, s.trans_a, s.trans_b, s.m, s.n, s.k, s.one, kPointers, s.lda, \
                          kPointers, s.ldb, s.one, kPointers, s.ldc, 2, s.sizes));                \
  }
#define GROUPED_EX(symbol, Int)                                                                \
  if (begins_call()) {                                                                         \
    const Groups<Int> s;                                                                       \
    took(s.asked(#symbol, "float32"),                                                          \
         FUNCTION(symbol)(g_handle, s.trans_a, s.trans_b, s.m, s.n, s.k, s.one32, kPointers,   \
                          CUDA_R_32F, s.lda, kPointers, CUDA_R_32F, s.ldb, s.one32, kPointers, \
                          CUDA_R_32F, s.ldc, 2, s.sizes, CUBLAS_COMPUTE_32F));                 \
  }

void call_groups() {
  BOTH_EX(GROUPED, cublasSgemmGroupedBatched, "float32", one32)
  BOTH_EX(GROUPED, cublasDgemmGroupedBatched, "float64", one64)
  BOTH_EX(GROUPED_EX, cublasGemmGroupedBatchedEx)
}

// --- Vectors

namespace {
struct Vectors {
  int m = 21 + g_call % 17, n = 19 + g_call % 11, trans = g_call % 2, lda = m + g_call % 3;
  int incx = 1 + g_call % 2, incy = 1 + g_call % 3;
  Scalar alpha{1}, beta{g_call % 2 == 0 ? 0.0 : 1.0};
  [[nodiscard]] cublasOperation_t op() const { return static_cast<cublasOperation_t>(trans); }
  [[nodiscard]] Asked gemv(const char* function, const char* types, std::int64_t batch = 1) const {
    return {function,
            "gemv",
            trans != 0 ? n : m,
            1,
            trans != 0 ? m : n,
            batch,
            types,
            word("trans_a", trans != 0 ? "t" : "n") + number("lda", lda) + number("incx", incx) +
                number("incy", incy),
            beta.real64 != 0};
  }
};

}  // namespace

#define GEMV(symbol, type)                                                                      \
  if (begins_call()) {                                                                          \
    const Vectors s;                                                                            \
    took(s.gemv(#symbol, type " " type " " type),                                               \
         FUNCTION(symbol)(g_handle, s.op(), s.m, s.n, s.alpha, kMatrix, s.lda, kMatrix, s.incx, \
                          s.beta, kMatrix, s.incy));                                            \
  }
#define GEMV_BATCHED(symbol, in, out)                                                       \
  if (begins_call()) {                                                                      \
    const Vectors s;                                                                        \
    took(s.gemv(#symbol, in " " in " " out, 3),                                             \
         FUNCTION(symbol)(g_handle, s.op(), s.m, s.n, s.alpha, kPointers, s.lda, kPointers, \
                          s.incx, s.beta, kPointers, s.incy, 3));                           \
  }
#define GEMV_STRIDED(symbol, in, out)                                                         \
  if (begins_call()) {                                                                        \
    const Vectors s;                                                                          \
    took(s.gemv(#symbol, in " " in " " out, 3),                                               \
         FUNCTION(symbol)(g_handle, s.op(), s.m, s.n, s.alpha, kMatrix, s.lda, 2000, kMatrix, \
                          s.incx, 100, s.beta, kMatrix, s.incy, 200, 3));                     \
  }
#define GER(symbol, type)                                                                         \
  if (begins_call()) {                                                                            \
    const Vectors s;                                                                              \
    took({#symbol, "ger", s.m, s.n, 1, 1, three(type),                                            \
          number("incx", s.incx) + number("incy", s.incy) + number("lda", s.lda), true},          \
         FUNCTION(symbol)(g_handle, s.m, s.n, s.alpha, kMatrix, s.incx, kMatrix, s.incy, kMatrix, \
                          s.lda));                                                                \
  }

void call_vectors() {
  BOTH(GEMV, cublasSgemv_v2, "float32")
  BOTH(GEMV, cublasDgemv_v2, "float64")
  BOTH(GEMV, cublasCgemv_v2, "complex64")
  BOTH(GEMV, cublasZgemv_v2, "complex128")
  BOTH(GEMV_BATCHED, cublasSgemvBatched, "float32", "float32")
  BOTH(GEMV_BATCHED, cublasDgemvBatched, "float64", "float64")
  BOTH(GEMV_BATCHED, cublasCgemvBatched, "complex64", "complex64")
  BOTH(GEMV_BATCHED, cublasZgemvBatched, "complex128", "complex128")
  BOTH(GEMV_BATCHED, cublasHSHgemvBatched, "float16", "float16")
  BOTH(GEMV_BATCHED, cublasHSSgemvBatched, "float16", "float32")
  BOTH(GEMV_BATCHED, cublasTSTgemvBatched, "bfloat16", "bfloat16")
  BOTH(GEMV_BATCHED, cublasTSSgemvBatched, "bfloat16", "float32")
  BOTH(GEMV_STRIDED, cublasSgemvStridedBatched, "float32", "float32")
  BOTH(GEMV_STRIDED, cublasDgemvStridedBatched, "float64", "float64")
  BOTH(GEMV_STRIDED, cublasCgemvStridedBatched, "complex64", "complex64")
  BOTH(GEMV_STRIDED, cublasZgemvStridedBatched, "complex128", "complex128")
  BOTH(GEMV_STRIDED, cublasHSHgemvStridedBatched, "float16", "float16")
  BOTH(GEMV_STRIDED, cublasHSSgemvStridedBatched, "float16", "float32")
  BOTH(GEMV_STRIDED, cublasTSTgemvStridedBatched, "bfloat16", "bfloat16")
  BOTH(GEMV_STRIDED, cublasTSSgemvStridedBatched, "bfloat16", "float32")
  BOTH(GER, cublasSger_v2, "float32")
  BOTH(GER, cublasDger_v2, "float64")
  BOTH(GER, cublasCgeru_v2, "complex64")
  BOTH(GER, cublasCgerc_v2, "complex64")
  BOTH(GER, cublasZgeru_v2, "complex128")
  BOTH(GER, cublasZgerc_v2, "complex128")
}

// --- Symmetric, Hermitian and triangular matrices; elements

namespace {
struct Halves {
  int m = 23 + g_call % 17, n = 19 + g_call % 11, k = 14 + g_call % 9;
  int left = g_call % 2, trans = g_call / 2 % 2, upper = g_call / 3 % 2, batch = 2 + g_call % 3;
  int size = left != 0 ? m : n;
  int ld_of_rank = (trans != 0 ? k : n) + g_call % 3;
  Scalar alpha{1}, beta{g_call % 3 == 0 ? 0.0 : 1.0};

  [[nodiscard]] cublasSideMode_t side() const {
    return left != 0 ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
  }
  [[nodiscard]] cublasFillMode_t fill() const {
    return upper != 0 ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  }
  /// Of a Hermitian or complex matrix only this transposition is allowed.
  [[nodiscard]] cublasOperation_t op(bool is_conjugated = false) const {
    if (trans == 0) return CUBLAS_OP_N;
    return is_conjugated ? CUBLAS_OP_C : CUBLAS_OP_T;
  }
  [[nodiscard]] std::string sides() const {
    return word("side", left != 0 ? "left" : "right") +
           word("fill", upper != 0 ? "upper" : "lower");
  }
  [[nodiscard]] Asked rank(const char* function, const char* op, const char* type,
                           bool is_conjugated) const {
    return {function,
            op,
            n,
            n,
            k,
            1,
            three(type),
            word("fill", upper != 0 ? "upper" : "lower") +
                word("trans_a", trans == 0      ? "n"
                                : is_conjugated ? "c"
                                                : "t") +
                number("lda", ld_of_rank) + number("ldc", n + 1),
            beta.real64 != 0};
  }
};

}  // namespace

#define SYMM(symbol, op_name, type)                                                         \
  if (begins_call()) {                                                                      \
    const Halves s;                                                                         \
    took({#symbol, op_name, s.m, s.n, s.size, 1, three(type),                               \
          s.sides() + number("lda", s.size) + number("ldb", s.m + 1) + number("ldc", s.m),  \
          s.beta.real64 != 0},                                                              \
         FUNCTION(symbol)(g_handle, s.side(), s.fill(), s.m, s.n, s.alpha, kMatrix, s.size, \
                          kMatrix, s.m + 1, s.beta, kMatrix, s.m));                         \
  }
#define RANK(symbol, op_name, type, conjugated)                                             \
  if (begins_call()) {                                                                      \
    const Halves s;                                                                         \
    took(s.rank(#symbol, op_name, type, conjugated),                                        \
         FUNCTION(symbol)(g_handle, s.fill(), s.op(conjugated), s.n, s.k, s.alpha, kMatrix, \
                          s.ld_of_rank, s.beta, kMatrix, s.n + 1));                         \
  }
#define RANK_EX(symbol, op_name, conjugated)                                                \
  if (begins_call()) {                                                                      \
    const Halves s;                                                                         \
    took(s.rank(#symbol, op_name, "complex64", conjugated),                                 \
         FUNCTION(symbol)(g_handle, s.fill(), s.op(conjugated), s.n, s.k, s.alpha, kMatrix, \
                          CUDA_C_32F, s.ld_of_rank, s.beta, kMatrix, CUDA_C_32F, s.n + 1)); \
  }
#define TWO(symbol, op_name, type, conjugated)                                                 \
  if (begins_call()) {                                                                         \
    const Halves s;                                                                            \
    Asked asked = s.rank(#symbol, op_name, type, conjugated);                                  \
    asked.more += number("ldb", s.ld_of_rank + 1);                                             \
    took(asked,                                                                                \
         FUNCTION(symbol)(g_handle, s.fill(), s.op(conjugated), s.n, s.k, s.alpha, kMatrix,    \
                          s.ld_of_rank, kMatrix, s.ld_of_rank + 1, s.beta, kMatrix, s.n + 1)); \
  }
#define TRIANGLE(s, symbol, op_name, type, count, ldb, ldc)                                  \
  Asked {                                                                                    \
#symbol, op_name, s.m, s.n, s.size, count, three(type),                                  \
        s.sides() + word("trans_a", s.trans != 0 ? "t" : "n") + word("diagonal", "stored") + \
            number("lda", s.size) + number("ldb", ldb) + number("ldc", ldc)                  \
  }
#define TRMM(symbol, type)                                                                      \
  if (begins_call()) {                                                                          \
    const Halves s;                                                                             \
    took(TRIANGLE(s, symbol, "trmm", type, 1, s.m + 1, s.m + 2),                                \
         FUNCTION(symbol)(g_handle, s.side(), s.fill(), s.op(), CUBLAS_DIAG_NON_UNIT, s.m, s.n, \
                          s.alpha, kMatrix, s.size, kMatrix, s.m + 1, kMatrix, s.m + 2));       \
  }
#define TRSM(symbol, type)                                                                      \
  if (begins_call()) {                                                                          \
    const Halves s;                                                                             \
    took(TRIANGLE(s, symbol, "trsm", type, 1, s.m + 1, s.m + 1),                                \
         FUNCTION(symbol)(g_handle, s.side(), s.fill(), s.op(), CUBLAS_DIAG_NON_UNIT, s.m, s.n, \
                          s.alpha, kMatrix, s.size, kMatrix, s.m + 1));                         \
  }
#define TRSM_BATCHED(symbol, type)                                                              \
  if (begins_call()) {                                                                          \
    const Halves s;                                                                             \
    took(TRIANGLE(s, symbol, "trsm", type, s.batch, s.m + 1, s.m + 1),                          \
         FUNCTION(symbol)(g_handle, s.side(), s.fill(), s.op(), CUBLAS_DIAG_NON_UNIT, s.m, s.n, \
                          s.alpha, kPointers, s.size, kPointers, s.m + 1, s.batch));            \
  }
#define GEAM(symbol, type)                                                                         \
  if (begins_call()) {                                                                             \
    const Halves s;                                                                                \
    const int lda = (s.trans != 0 ? s.n : s.m) + 1;                                                \
    took({#symbol, "geam", s.m, s.n, s.n, 1, three(type),                                          \
          word("trans_a", s.trans != 0 ? "t" : "n") + word("trans_b", "n") + number("lda", lda) +  \
              number("ldb", s.m) + number("ldc", s.m + 2)},                                        \
         FUNCTION(symbol)(g_handle, s.op(), CUBLAS_OP_N, s.m, s.n, s.alpha, kMatrix, lda, s.alpha, \
                          kMatrix, s.m, kMatrix, s.m + 2));                                        \
  }
#define DGMM(symbol, type)                                                                        \
  if (begins_call()) {                                                                            \
    const Halves s;                                                                               \
    took({#symbol, "dgmm", s.m, s.n, s.n, 1, three(type),                                         \
          word("side", s.left != 0 ? "left" : "right") + number("lda", s.m) + number("incx", 2) + \
              number("ldc", s.m + 1)},                                                            \
         FUNCTION(symbol)(g_handle, s.side(), s.m, s.n, kMatrix, s.m, kMatrix, 2, kMatrix,        \
                          s.m + 1));                                                              \
  }
#define SYMMETRIC_RANK(symbol, op_name, type) RANK(symbol, op_name, type, false)
#define HERMITIAN_RANK(symbol, op_name, type) RANK(symbol, op_name, type, true)
#define SYMMETRIC_TWO(symbol, op_name, type) TWO(symbol, op_name, type, false)
#define HERMITIAN_TWO(symbol, op_name, type) TWO(symbol, op_name, type, true)
void call_halves() {
  REAL_AND_COMPLEX(SYMM, symm_v2, "symm")
  COMPLEX(SYMM, hemm_v2, "hemm")
  REAL_AND_COMPLEX(SYMMETRIC_RANK, syrk_v2, "syrk")
  COMPLEX(HERMITIAN_RANK, herk_v2, "herk")
  BOTH(RANK_EX, cublasCsyrkEx, "syrk", false)
  BOTH(RANK_EX, cublasCsyrk3mEx, "syrk", false)
  BOTH(RANK_EX, cublasCherkEx, "herk", true)
  BOTH(RANK_EX, cublasCherk3mEx, "herk", true)
  REAL_AND_COMPLEX(SYMMETRIC_TWO, syrkx, "syrkx")
  COMPLEX(HERMITIAN_TWO, herkx, "herkx")
  REAL_AND_COMPLEX(SYMMETRIC_TWO, syr2k_v2, "syr2k")
  COMPLEX(HERMITIAN_TWO, her2k_v2, "her2k")
}

void call_triangles() {
  REAL_AND_COMPLEX(TRMM, trmm_v2)
  REAL_AND_COMPLEX(TRSM, trsm_v2)
  REAL_AND_COMPLEX(TRSM_BATCHED, trsmBatched)
  REAL_AND_COMPLEX(GEAM, geam)
  REAL_AND_COMPLEX(DGMM, dgmm)
}

}  // namespace cublas_calls
