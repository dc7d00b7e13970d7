// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The stand-in cuSOLVER's function that calls cuBLAS inside, as cuSOLVER does.
#include <cublas_v2.h>
#include <cusolverDn.h>

cusolverStatus_t cusolverDnSgetrf(cusolverDnHandle_t, int, int n, float* a, int lda, float*, int*,
                                  int*) {
  const float one = 1;
  cublasHandle_t handle = nullptr;
  if (cublasCreate_v2(&handle) != CUBLAS_STATUS_SUCCESS) return CUSOLVER_STATUS_INTERNAL_ERROR;
  cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, lda, a, lda, &one, a, lda);
  cublasDestroy_v2(handle);
  return CUSOLVER_STATUS_SUCCESS;
}
