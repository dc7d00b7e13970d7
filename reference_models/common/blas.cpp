// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// cuBLAS is column-major: a row-major (rows, cols) tensor is to it a (cols, rows) matrix with
// leading dimension cols, so every product is computed transposed.
#include "common/blas.hpp"

#include "common/storage.hpp"

namespace ref {

Blas::Blas(cudaStream_t stream) {
  check(cublasCreate(&handle_));
  check(cublasSetStream(handle_, stream));
  // fp32 sums even where cuBLAS splits K.
  check(cublasSetMathMode(
      handle_, static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH |
                                         CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)));
}

Blas::~Blas() { cublasDestroy(handle_); }

void Blas::gemm(cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k,
                const __half* a, int lda, const __half* b, int ldb, __half* c) {
  const float one = 1.0f;
  const float zero = 0.0f;
  check(cublasGemmEx(handle_, op_a, op_b, m, n, k, &one, a, CUDA_R_16F, lda, b, CUDA_R_16F, ldb,
                     &zero, c, CUDA_R_16F, m, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

void Blas::linear(int rows, int in, int out, const __half* x, const __half* weight, __half* y,
                  int x_pitch) {
  gemm(CUBLAS_OP_T, CUBLAS_OP_N, out, rows, in, weight, in, x, x_pitch > 0 ? x_pitch : in, y);
}

void Blas::linear_data_gradient(int rows, int in, int out, const __half* dy, const __half* weight,
                                __half* dx) {
  gemm(CUBLAS_OP_N, CUBLAS_OP_N, in, rows, out, weight, in, dy, out, dx);
}

void Blas::linear_weight_gradient(int rows, int in, int out, const __half* dy, const __half* x,
                                  __half* dweight, int x_pitch) {
  gemm(CUBLAS_OP_N, CUBLAS_OP_T, in, out, rows, x, x_pitch > 0 ? x_pitch : in, dy, out, dweight);
}

template <typename T>
void Blas::batched(const BatchedSizes& s, const T* a, const T* b, T* c) {
  const float one = 1.0f;
  const float zero = 0.0f;
  const auto stride = [](int rows, int cols) { return static_cast<long long>(rows) * cols; };
  check(cublasGemmStridedBatchedEx(
      handle_, s.trans_b ? CUBLAS_OP_T : CUBLAS_OP_N, s.trans_a ? CUBLAS_OP_T : CUBLAS_OP_N, s.n,
      s.m, s.k, &one, b, Storage<T>::kCuda, s.trans_b ? s.k : s.n, stride(s.k, s.n), a,
      Storage<T>::kCuda, s.trans_a ? s.m : s.k, stride(s.m, s.k), &zero, c, Storage<T>::kCuda, s.n,
      stride(s.m, s.n), s.batch, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}

template void Blas::batched(const BatchedSizes&, const float*, const float*, float*);
template void Blas::batched(const BatchedSizes&, const __half*, const __half*, __half*);

}  // namespace ref
