// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of general matrices, and those of cuBLASLt.
#include "asked.hpp"

namespace cublas_calls {
namespace {

/// Sizes that no other call has, odd ones among them.
struct Sizes {
  int m = 24 + g_call % 23, n = 17 + g_call % 19, k = 20 + g_call % 13;
  int trans_a = g_call % 2, trans_b = g_call / 2 % 2;
  int lda = (trans_a != 0 ? k : m) + g_call % 3, ldb = (trans_b != 0 ? n : k) + g_call % 5,
      ldc = m + g_call % 4;
  Scalar alpha{1}, beta{g_call % 3 == 0 ? 0.0 : 1.0};

  [[nodiscard]] cublasOperation_t op_a() const { return static_cast<cublasOperation_t>(trans_a); }
  [[nodiscard]] cublasOperation_t op_b() const { return static_cast<cublasOperation_t>(trans_b); }
  [[nodiscard]] Asked gemm(const char* function, const std::string& types,
                           std::int64_t batch = 1) const {
    return {function,
            "gemm",
            m,
            n,
            k,
            batch,
            types,
            word("trans_a", trans_a != 0 ? "t" : "n") + word("trans_b", trans_b != 0 ? "t" : "n") +
                number("lda", lda) + number("ldb", ldb) + number("ldc", ldc),
            beta.real64 != 0};
  }
};

#define GEMM(symbol, type)                                                                      \
  if (begins_call()) {                                                                          \
    const Sizes s;                                                                              \
    took(s.gemm(#symbol, three(type)),                                                          \
         FUNCTION(symbol)(g_handle, s.op_a(), s.op_b(), s.m, s.n, s.k, s.alpha, kMatrix, s.lda, \
                          kMatrix, s.ldb, s.beta, kMatrix, s.ldc));                             \
  }
#define GEMM_TYPED(symbol, type, TYPE)                                                         \
  if (begins_call()) {                                                                         \
    const Sizes s;                                                                             \
    took(s.gemm(#symbol, three(type)),                                                         \
         FUNCTION(symbol)(g_handle, s.op_a(), s.op_b(), s.m, s.n, s.k, s.alpha, kMatrix, TYPE, \
                          s.lda, kMatrix, TYPE, s.ldb, s.beta, kMatrix, TYPE, s.ldc));         \
  }
#define GEMM_EX(symbol, Int, in, IN, out, OUT, COMPUTE, compute_word)                              \
  if (begins_call()) {                                                                             \
    const Sizes s;                                                                                 \
    Asked asked = s.gemm(#symbol, std::string(in) + " " + in + " " + out);                         \
    asked.more += word("compute", compute_word) + number("algorithm", -1);                         \
    took(asked,                                                                                    \
         OVERLOADED(symbol, Ex<Int>)(g_handle, s.op_a(), s.op_b(), s.m, s.n, s.k, &s.alpha.real32, \
                                     kMatrix, IN, s.lda, kMatrix, IN, s.ldb, &s.beta.real32,       \
                                     kMatrix, OUT, s.ldc, COMPUTE, CUBLAS_GEMM_DEFAULT));          \
  }
#define GEMM_BATCHED(symbol, type)                                                                \
  if (begins_call()) {                                                                            \
    const Sizes s;                                                                                \
    const int batch = 2 + g_call % 4;                                                             \
    took(s.gemm(#symbol, three(type), batch),                                                     \
         FUNCTION(symbol)(g_handle, s.op_a(), s.op_b(), s.m, s.n, s.k, s.alpha, kPointers, s.lda, \
                          kPointers, s.ldb, s.beta, kPointers, s.ldc, batch));                    \
  }
#define GEMM_STRIDED(symbol, type)                                                              \
  if (begins_call()) {                                                                          \
    const Sizes s;                                                                              \
    const int batch = 2 + g_call % 4;                                                           \
    Asked asked = s.gemm(#symbol, three(type), batch);                                          \
    asked.more += number("stride_a", 2000) + number("stride_b", 0) + number("stride_c", 2500);  \
    took(asked,                                                                                 \
         FUNCTION(symbol)(g_handle, s.op_a(), s.op_b(), s.m, s.n, s.k, s.alpha, kMatrix, s.lda, \
                          2000, kMatrix, s.ldb, 0, s.beta, kMatrix, s.ldc, 2500, batch));       \
  }
void products() {
  BOTH(GEMM, cublasSgemm_v2, "float32")
  BOTH(GEMM, cublasDgemm_v2, "float64")
  BOTH(GEMM, cublasCgemm_v2, "complex64")
  BOTH(GEMM, cublasZgemm_v2, "complex128")
  BOTH(GEMM, cublasHgemm, "float16")
  BOTH(GEMM, cublasCgemm3m, "complex64")
  BOTH(GEMM, cublasZgemm3m, "complex128")
  BOTH(GEMM_TYPED, cublasSgemmEx, "float16", CUDA_R_16F)
  BOTH(GEMM_TYPED, cublasCgemmEx, "complex64", CUDA_C_32F)
  BOTH(GEMM_TYPED, cublasCgemm3mEx, "complex64", CUDA_C_32F)
  BOTH_EX(GEMM_EX, cublasGemmEx, "bfloat16", CUDA_R_16BF, "float32", CUDA_R_32F, CUBLAS_COMPUTE_32F,
          "32f")
  BOTH_EX(GEMM_EX, cublasGemmEx, "float32", CUDA_R_32F, "float32", CUDA_R_32F,
          CUBLAS_COMPUTE_32F_FAST_TF32, "32f_fast_tf32")
}

void batches() {
  BOTH(GEMM_BATCHED, cublasSgemmBatched, "float32")
  BOTH(GEMM_BATCHED, cublasDgemmBatched, "float64")
  BOTH(GEMM_BATCHED, cublasCgemmBatched, "complex64")
  BOTH(GEMM_BATCHED, cublasZgemmBatched, "complex128")
  BOTH(GEMM_BATCHED, cublasHgemmBatched, "float16")
  BOTH(GEMM_BATCHED, cublasCgemm3mBatched, "complex64")
  BOTH(GEMM_STRIDED, cublasSgemmStridedBatched, "float32")
  BOTH(GEMM_STRIDED, cublasDgemmStridedBatched, "float64")
  BOTH(GEMM_STRIDED, cublasCgemmStridedBatched, "complex64")
  BOTH(GEMM_STRIDED, cublasZgemmStridedBatched, "complex128")
  BOTH(GEMM_STRIDED, cublasHgemmStridedBatched, "float16")
  BOTH(GEMM_STRIDED, cublasCgemm3mStridedBatched, "complex64")
}

#define BATCHED_EX(symbol, Int)                                                                 \
  if (begins_call()) {                                                                          \
    const Sizes s;                                                                              \
    Asked asked = s.gemm(#symbol, "float16 float16 float16", 3);                                \
    asked.more += word("compute", "32f") + number("algorithm", -1);                             \
    took(asked, OVERLOADED(symbol, BatchedEx<Int>)(                                             \
                    g_handle, s.op_a(), s.op_b(), s.m, s.n, s.k, &s.alpha.real32, kPointers,    \
                    CUDA_R_16F, s.lda, kPointers, CUDA_R_16F, s.ldb, &s.beta.real32, kPointers, \
                    CUDA_R_16F, s.ldc, 3, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));            \
  }
#define STRIDED_EX(symbol, Int)                                                                    \
  if (begins_call()) {                                                                             \
    const Sizes s;                                                                                 \
    Asked asked = s.gemm(#symbol, "bfloat16 bfloat16 bfloat16", 4);                                \
    asked.more += word("compute", "32f") + number("algorithm", -1) + number("stride_a", 2000) +    \
                  number("stride_b", 2100) + number("stride_c", 2500);                             \
    took(asked,                                                                                    \
         OVERLOADED(symbol, StridedEx<Int>)(                                                       \
             g_handle, s.op_a(), s.op_b(), s.m, s.n, s.k, &s.alpha.real32, kMatrix, CUDA_R_16BF,   \
             s.lda, 2000, kMatrix, CUDA_R_16BF, s.ldb, 2100, &s.beta.real32, kMatrix, CUDA_R_16BF, \
             s.ldc, 2500, 4, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));                            \
  }

void batches_by_type() {
  BOTH_EX(BATCHED_EX, cublasGemmBatchedEx)
  BOTH_EX(STRIDED_EX, cublasGemmStridedBatchedEx)
}

// --- cuBLASLt

struct Layout {
  Layout(cudaDataType type, std::int64_t rows, std::int64_t columns, std::int64_t ld, int batch = 1,
         std::int64_t stride = 0) {
    FUNCTION(cublasLtMatrixLayoutCreate)
    (&made, type, static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns), ld);
    set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, batch);
    set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, stride);
  }
  ~Layout() { FUNCTION(cublasLtMatrixLayoutDestroy)(made); }
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;
  template <typename Value>
  void set(cublasLtMatrixLayoutAttribute_t attribute, Value value) {
    FUNCTION(cublasLtMatrixLayoutSetAttribute)(made, attribute, &value, sizeof value);
  }
  cublasLtMatrixLayout_t made = nullptr;
};

struct LtForm {
  const char* type;
  cudaDataType number;
  int batch;
  cublasLtEpilogue_t epilogue;
  bool has_bias;
};

void lt_matmul(cublasLtHandle_t lt, const LtForm& form) {
  begins_call();
  Sizes s;
  // What products of 16-bit types with an epilogue need is aligned.
  s.m = s.m / 8 * 8, s.n = s.n / 8 * 8, s.k = s.k / 8 * 8;
  s.lda = s.trans_a != 0 ? s.k : s.m, s.ldb = s.trans_b != 0 ? s.n : s.k, s.ldc = s.m;
  cublasLtMatmulDesc_t matmul = nullptr;
  FUNCTION(cublasLtMatmulDescCreate)(&matmul, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  const auto set = [&](cublasLtMatmulDescAttributes_t attribute, auto value) {
    FUNCTION(cublasLtMatmulDescSetAttribute)(matmul, attribute, &value, sizeof value);
  };
  set(CUBLASLT_MATMUL_DESC_TRANSA, s.trans_a);
  set(CUBLASLT_MATMUL_DESC_TRANSB, s.trans_b);
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, form.epilogue);
  if (form.has_bias) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, g_machine->matrices);
  const Layout a(form.number, s.trans_a != 0 ? s.k : s.m, s.trans_a != 0 ? s.m : s.k, s.lda,
                 form.batch, 2400);
  const Layout b(form.number, s.trans_b != 0 ? s.n : s.k, s.trans_b != 0 ? s.k : s.n, s.ldb,
                 form.batch, 0);
  const Layout c(form.number, s.m, s.n, s.ldc, form.batch, 2400);
  Asked asked = s.gemm("cublasLtMatmul", three(form.type), form.batch);
  asked.more += word("compute", "32f");
  if (form.epilogue != CUBLASLT_EPILOGUE_DEFAULT) {
    asked.more += number("epilogue", form.epilogue) +
                  word("activation", (form.epilogue & 2) != 0    ? "relu"
                                     : (form.epilogue & 32) != 0 ? "gelu"
                                                                 : "none");
  }
  asked.more += std::string(",\"has_bias\":") + (form.has_bias ? "true" : "false");
  took(asked,
       FUNCTION(cublasLtMatmul)(lt, matmul, &s.alpha.real32, kMatrix, a.made, kMatrix, b.made,
                                &s.beta.real32, kMatrix, c.made, kMatrix, c.made, nullptr, nullptr,
                                0, static_cast<cudaStream_t>(g_machine->stream)));
  FUNCTION(cublasLtMatmulDescDestroy)(matmul);
}

/// C = alpha op(A) + beta B.
void lt_transform(cublasLtHandle_t lt) {
  begins_call();
  const Sizes s;
  cublasLtMatrixTransformDesc_t transform = nullptr;
  FUNCTION(cublasLtMatrixTransformDescCreate)(&transform, CUDA_R_32F);
  FUNCTION(cublasLtMatrixTransformDescSetAttribute)
  (transform, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, &s.trans_a, sizeof s.trans_a);
  const Layout a(CUDA_R_32F, s.trans_a != 0 ? s.n : s.m, s.trans_a != 0 ? s.m : s.n,
                 s.trans_a != 0 ? s.n : s.m);
  const Layout c(CUDA_R_32F, s.m, s.n, s.m);
  const bool reads = s.beta.real64 != 0;
  const std::string matrix = operand("float32", {s.m, s.n});
  took({"cublasLtMatrixTransform", "transform", 0, 0, 0, 1, "",
        word("trans_a", s.trans_a != 0 ? "t" : "n") + word("trans_b", "n") +
            word("operands", matrix + " " + (reads ? matrix : "-") + " " + matrix)},
       FUNCTION(cublasLtMatrixTransform)(lt, transform, &s.alpha.real32, kMatrix, a.made,
                                         &s.beta.real32, kMatrix, c.made, kMatrix, c.made,
                                         static_cast<cudaStream_t>(g_machine->stream)));
  FUNCTION(cublasLtMatrixTransformDescDestroy)(transform);
}

void lt_products() {
  cublasLtHandle_t lt = nullptr;
  FUNCTION(cublasLtCreate)(&lt);
  const LtForm forms[] = {
      {"float32", CUDA_R_32F, 1, CUBLASLT_EPILOGUE_DEFAULT, false},
      {"float16", CUDA_R_16F, 1, CUBLASLT_EPILOGUE_DEFAULT, false},
      {"bfloat16", CUDA_R_16BF, 3, CUBLASLT_EPILOGUE_DEFAULT, false},
      {"float16", CUDA_R_16F, 1, CUBLASLT_EPILOGUE_BIAS, true},
      {"float16", CUDA_R_16F, 1, CUBLASLT_EPILOGUE_GELU_BIAS, true},
      {"bfloat16", CUDA_R_16BF, 1, CUBLASLT_EPILOGUE_RELU, false},
  };
  for (const LtForm& form : forms) lt_matmul(lt, form);
  for (int i = 0; i < 3; ++i) lt_transform(lt);
  FUNCTION(cublasLtDestroy)(lt);
}

}  // namespace
}  // namespace cublas_calls

int make_blas_calls(const BlasMachine* machine) {
  using namespace cublas_calls;
  g_machine = machine;
  g_call = g_refused = 0;
  FUNCTION(cublasCreate_v2)(&g_handle);
  FUNCTION(cublasSetStream_v2)(g_handle, static_cast<cudaStream_t>(machine->stream));
  products();
  batches();
  batches_by_type();
  call_groups();
  call_vectors();
  call_halves();
  call_triangles();
  call_half_vectors();
  call_elements();
  call_factors();
  lt_products();
  FUNCTION(cublasDestroy_v2)(g_handle);
  return g_refused;
}

void make_one_product(int m) {
  using namespace cublas_calls;
  cublasHandle_t handle = nullptr;
  FUNCTION(cublasCreate_v2)(&handle);
  const Scalar one(1), zero(0);
  FUNCTION(cublasSgemm_v2)
  (handle, CUBLAS_OP_N, CUBLAS_OP_N, m, 2, 3, one, static_cast<float*>(nullptr), m,
   static_cast<float*>(nullptr), 3, zero, static_cast<float*>(nullptr), m);
  FUNCTION(cublasDestroy_v2)(handle);
}
