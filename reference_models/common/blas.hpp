// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Matrix products with cuBLAS, on row-major tensors: fp16 with fp32 sums for the layers, batched
// ones in fp32 for interactions and in fp16 for attention.
#pragma once

#include <cublas_v2.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "common/gpu_check.hpp"

namespace ref {

/// For each of `batch`: c (m, n) = op(a) op(b), op(a) (m, k), op(b) (k, n), all dense, one after
/// the other.
struct BatchedSizes {
  int m, n, k, batch;
  bool trans_a = false, trans_b = false;
};

/// A cuBLAS handle bound to one stream. Calls are asynchronous and deterministic.
class Blas {
 public:
  explicit Blas(cudaStream_t stream);
  ~Blas();
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;

  /// y (rows, out) = x (rows, in) weight^T, with weight (out, in). Rows of x begin every x_pitch
  /// elements; 0: dense.
  void linear(int rows, int in, int out, const __half* x, const __half* weight, __half* y,
              int x_pitch = 0);
  /// dx (rows, in) = dy (rows, out) weight.
  void linear_data_gradient(int rows, int in, int out, const __half* dy, const __half* weight,
                            __half* dx);
  /// dweight (out, in) = dy^T x; x_pitch as above.
  void linear_weight_gradient(int rows, int in, int out, const __half* dy, const __half* x,
                              __half* dweight, int x_pitch = 0);

  /// T is float or __half.
  template <typename T>
  void batched(const BatchedSizes& sizes, const T* a, const T* b, T* c);

 private:
  void gemm(cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k, const __half* a,
            int lda, const __half* b, int ldb, __half* c);

  cublasHandle_t handle_ = nullptr;
};

}  // namespace ref
