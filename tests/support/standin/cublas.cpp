// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The stand-in cuBLAS, of the release that is the version of its symbols: handles, and the products
// that do more than those of cublas_plain.cpp. One with many arguments says on stderr what it got.
// As cuBLAS does, one calls cuBLASLt inside.
#include <cublasLt.h>
#include <cublas_v2.h>

#include <cstdio>

#include "cublas_launch.hpp"

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  *handle = reinterpret_cast<cublasHandle_t>(new cublasPointerMode_t(CUBLAS_POINTER_MODE_HOST));
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  delete reinterpret_cast<cublasPointerMode_t*>(handle);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream_v2(cublasHandle_t, cudaStream_t) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode) {
  *mode = *reinterpret_cast<cublasPointerMode_t*>(handle);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
  *reinterpret_cast<cublasPointerMode_t*>(handle) = mode;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t, cublasOperation_t trans_a, cublasOperation_t trans_b, int m, int n, int k,
    const void*, const void* a, cudaDataType a_type, int lda, long long stride_a, const void*,
    cudaDataType b_type, int ldb, long long stride_b, const void*, void*, cudaDataType c_type,
    int ldc, long long stride_c, int batch, cublasComputeType_t compute, cublasGemmAlgo_t algo) {
  std::fprintf(stderr, "got %d %d %d %d %d %p %d %d %lld %d %d %lld %d %d %lld %d %d %d\n", trans_a,
               trans_b, m, n, k, a, a_type, lda, stride_a, b_type, ldb, stride_b, c_type, ldc,
               stride_c, batch, compute, algo);
  return standin_product("cublasGemmStridedBatchedEx");
}

/// As a library built with exceptions might.
cublasStatus_t cublasSgemm_v2(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int, int,
                              const float*, const float*, int, const float*, int, const float*,
                              float*, int) {
  constexpr int kThrowing = 13;
  if (m == kThrowing) throw m;
  return standin_product("cublasSgemm_v2");
}

/// One whose work is cuBLASLt's.
cublasStatus_t cublasGemmEx(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n,
                            int k, const void*, const void*, cudaDataType type, int lda,
                            const void*, cudaDataType, int ldb, const void*, void*, cudaDataType,
                            int ldc, cublasComputeType_t, cublasGemmAlgo_t) {
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr;
  cublasLtMatmulDesc_t matmul = nullptr;
  cublasLtMatmulDescCreate(&matmul, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  cublasLtMatrixLayoutCreate(&a, type, static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(k),
                             lda);
  cublasLtMatrixLayoutCreate(&b, type, static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(n),
                             ldb);
  cublasLtMatrixLayoutCreate(&c, type, static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(n),
                             ldc);
  const float one = 1;
  const cublasStatus_t status =
      cublasLtMatmul(nullptr, matmul, &one, nullptr, a, nullptr, b, &one, nullptr, c, nullptr, c,
                     nullptr, nullptr, 0, nullptr);
  for (cublasLtMatrixLayout_t layout : {a, b, c}) cublasLtMatrixLayoutDestroy(layout);
  cublasLtMatmulDescDestroy(matmul);
  return status;
}
