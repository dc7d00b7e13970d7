// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// libblas_calls.so, for LD_PRELOAD: writes every matrix product that a program requests from cuBLAS
// or cuBLASLt as a line of JSON to the file named by BLAS_CALLS_FILE, and forwards the call. Sizes
// are the call's own arguments, column-major. Products that cuBLAS itself requests from cuBLASLt
// are not the program's and are omitted; so are failed calls. Any thread may call.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

struct Product {
  std::int64_t m, n, k;
  std::int64_t batch = 1;
  bool trans_a = false;
  bool trans_b = false;
  const char* epilogue = "none";
};

int open_calls_file() {
  const char* path = std::getenv("BLAS_CALLS_FILE");
  if (path == nullptr) return -1;
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) std::perror("blas_calls: BLAS_CALLS_FILE");
  return file;
}

void write_line(const char* call, const Product& p) {
  static const int file = open_calls_file();
  if (file < 0) return;
  char line[320];
  const int length = std::snprintf(
      line, sizeof line,
      R"({"call":"%s","m":%lld,"n":%lld,"k":%lld,"batch":%lld,"trans_a":%s,"trans_b":%s,"epilogue":"%s"})"
      "\n",
      call, static_cast<long long>(p.m), static_cast<long long>(p.n), static_cast<long long>(p.k),
      static_cast<long long>(p.batch), p.trans_a ? "true" : "false", p.trans_b ? "true" : "false",
      p.epilogue);
  // One write per line, so that threads do not interleave. The comparison finds missing lines; the
  // program must continue.
  if (write(file, line, static_cast<std::size_t>(length)) != length) {
    std::perror("blas_calls: BLAS_CALLS_FILE");
  }
}

template <typename Function>
Function* next(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    std::fprintf(stderr, "blas_calls: %s is called but not in any library\n", name);
    std::abort();
  }
  return reinterpret_cast<Function*>(found);
}

thread_local int depth = 0;  // of wrapped calls on this thread

/// Calls the library's own function; describes the product only if the program itself called.
template <typename Describe, typename... Arguments>
cublasStatus_t pass_on(const char* name, const Describe& describe, Arguments... arguments) {
  auto* const real = next<cublasStatus_t(Arguments...)>(name);
  ++depth;
  const cublasStatus_t status = real(arguments...);
  --depth;
  if (depth == 0 && status == CUBLAS_STATUS_SUCCESS) write_line(name, describe());
  return status;
}

bool transposes(std::int64_t operation) { return operation != CUBLAS_OP_N; }

auto plain(cublasOperation_t a, cublasOperation_t b, std::int64_t m, std::int64_t n, std::int64_t k,
           std::int64_t batch = 1) {
  return [=] { return Product{m, n, k, batch, transposes(a), transposes(b)}; };
}

// ---- cublasLt says its sizes in descriptors. Its own functions read them; they are looked up, so
// that a program without cublasLt can be run too.

template <typename T>
T read(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t what) {
  static auto* const get =
      next<decltype(cublasLtMatrixLayoutGetAttribute)>("cublasLtMatrixLayoutGetAttribute");
  T value{};
  std::size_t written = 0;
  if (get(layout, what, &value, sizeof value, &written) != CUBLAS_STATUS_SUCCESS) return T{-1};
  return value;
}

template <typename T>
T read(cublasLtMatmulDesc_t matmul, cublasLtMatmulDescAttributes_t what) {
  static auto* const get =
      next<decltype(cublasLtMatmulDescGetAttribute)>("cublasLtMatmulDescGetAttribute");
  T value{};
  std::size_t written = 0;
  if (get(matmul, what, &value, sizeof value, &written) != CUBLAS_STATUS_SUCCESS) return T{-1};
  return value;
}

const char* epilogue_name(std::int32_t epilogue) {
  switch (epilogue) {
    case CUBLASLT_EPILOGUE_DEFAULT:
      return "none";
    case CUBLASLT_EPILOGUE_RELU:
      return "relu";
    case CUBLASLT_EPILOGUE_BIAS:
      return "bias";
    case CUBLASLT_EPILOGUE_RELU_BIAS:
      return "relu_bias";
    case CUBLASLT_EPILOGUE_GELU:
      return "gelu";
    case CUBLASLT_EPILOGUE_GELU_BIAS:
      return "gelu_bias";
    case CUBLASLT_EPILOGUE_GELU_AUX:
      return "gelu_aux";
    case CUBLASLT_EPILOGUE_GELU_AUX_BIAS:
      return "gelu_aux_bias";
    case CUBLASLT_EPILOGUE_DGELU:
      return "dgelu";
    case CUBLASLT_EPILOGUE_DGELU_BGRAD:
      return "dgelu_bgrad";
    case CUBLASLT_EPILOGUE_BGRADA:
      return "bgrad_a";
    case CUBLASLT_EPILOGUE_BGRADB:
      return "bgrad_b";
    default:
      return "other";
  }
}

Product describe_matmul(cublasLtMatmulDesc_t matmul, cublasLtMatrixLayout_t a,
                        cublasLtMatrixLayout_t d) {
  Product p{};
  p.trans_a = transposes(read<std::int32_t>(matmul, CUBLASLT_MATMUL_DESC_TRANSA));
  p.trans_b = transposes(read<std::int32_t>(matmul, CUBLASLT_MATMUL_DESC_TRANSB));
  p.m = read<std::int64_t>(d, CUBLASLT_MATRIX_LAYOUT_ROWS);
  p.n = read<std::int64_t>(d, CUBLASLT_MATRIX_LAYOUT_COLS);
  p.k =
      read<std::int64_t>(a, p.trans_a ? CUBLASLT_MATRIX_LAYOUT_ROWS : CUBLASLT_MATRIX_LAYOUT_COLS);
  p.batch = read<std::int32_t>(d, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
  p.epilogue = epilogue_name(read<std::int32_t>(matmul, CUBLASLT_MATMUL_DESC_EPILOGUE));
  return p;
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default"))) cublasStatus_t CUBLASWINAPI

EXPORT cublasGemmEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                    int k, const void* alpha, const void* a, cudaDataType a_type, int lda,
                    const void* b, cudaDataType b_type, int ldb, const void* beta, void* c,
                    cudaDataType c_type, int ldc, cublasComputeType_t compute,
                    cublasGemmAlgo_t algo) {
  return pass_on("cublasGemmEx", plain(ta, tb, m, n, k), handle, ta, tb, m, n, k, alpha, a, a_type,
                 lda, b, b_type, ldb, beta, c, c_type, ldc, compute, algo);
}

EXPORT cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb,
                                  int m, int n, int k, const void* alpha, const void* a,
                                  cudaDataType a_type, int lda, long long a_stride, const void* b,
                                  cudaDataType b_type, int ldb, long long b_stride,
                                  const void* beta, void* c, cudaDataType c_type, int ldc,
                                  long long c_stride, int batch, cublasComputeType_t compute,
                                  cublasGemmAlgo_t algo) {
  return pass_on("cublasGemmStridedBatchedEx", plain(ta, tb, m, n, k, batch), handle, ta, tb, m, n,
                 k, alpha, a, a_type, lda, a_stride, b, b_type, ldb, b_stride, beta, c, c_type, ldc,
                 c_stride, batch, compute, algo);
}

EXPORT cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m,
                           int n, int k, const void* alpha, const void* const a[],
                           cudaDataType a_type, int lda, const void* const b[], cudaDataType b_type,
                           int ldb, const void* beta, void* const c[], cudaDataType c_type, int ldc,
                           int batch, cublasComputeType_t compute, cublasGemmAlgo_t algo) {
  return pass_on("cublasGemmBatchedEx", plain(ta, tb, m, n, k, batch), handle, ta, tb, m, n, k,
                 alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc, batch, compute, algo);
}

EXPORT cublasSgemm_v2(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m,
                      int n, int k, const float* alpha, const float* a, int lda, const float* b,
                      int ldb, const float* beta, float* c, int ldc) {
  return pass_on("cublasSgemm_v2", plain(ta, tb, m, n, k), handle, ta, tb, m, n, k, alpha, a, lda,
                 b, ldb, beta, c, ldc);
}

EXPORT cublasSgemmEx(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m,
                     int n, int k, const float* alpha, const void* a, cudaDataType a_type, int lda,
                     const void* b, cudaDataType b_type, int ldb, const float* beta, void* c,
                     cudaDataType c_type, int ldc) {
  return pass_on("cublasSgemmEx", plain(ta, tb, m, n, k), handle, ta, tb, m, n, k, alpha, a, a_type,
                 lda, b, b_type, ldb, beta, c, c_type, ldc);
}

EXPORT cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb,
                                 int m, int n, int k, const float* alpha, const float* a, int lda,
                                 long long a_stride, const float* b, int ldb, long long b_stride,
                                 const float* beta, float* c, int ldc, long long c_stride,
                                 int batch) {
  return pass_on("cublasSgemmStridedBatched", plain(ta, tb, m, n, k, batch), handle, ta, tb, m, n,
                 k, alpha, a, lda, a_stride, b, ldb, b_stride, beta, c, ldc, c_stride, batch);
}

EXPORT cublasHgemm(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                   int k, const __half* alpha, const __half* a, int lda, const __half* b, int ldb,
                   const __half* beta, __half* c, int ldc) {
  return pass_on("cublasHgemm", plain(ta, tb, m, n, k), handle, ta, tb, m, n, k, alpha, a, lda, b,
                 ldb, beta, c, ldc);
}

EXPORT cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb,
                                 int m, int n, int k, const __half* alpha, const __half* a, int lda,
                                 long long a_stride, const __half* b, int ldb, long long b_stride,
                                 const __half* beta, __half* c, int ldc, long long c_stride,
                                 int batch) {
  return pass_on("cublasHgemmStridedBatched", plain(ta, tb, m, n, k, batch), handle, ta, tb, m, n,
                 k, alpha, a, lda, a_stride, b, ldb, b_stride, beta, c, ldc, c_stride, batch);
}

EXPORT cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t matmul, const void* alpha,
                      const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
                      cublasLtMatrixLayout_t b_layout, const void* beta, const void* c,
                      cublasLtMatrixLayout_t c_layout, void* d, cublasLtMatrixLayout_t d_layout,
                      const cublasLtMatmulAlgo_t* algo, void* workspace,
                      std::size_t workspace_bytes, cudaStream_t stream) {
  return pass_on(
      "cublasLtMatmul", [=] { return describe_matmul(matmul, a_layout, d_layout); }, handle, matmul,
      alpha, a, a_layout, b, b_layout, beta, c, c_layout, d, d_layout, algo, workspace,
      workspace_bytes, stream);
}
