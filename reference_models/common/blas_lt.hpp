// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Matrix products with cublasLt in bfloat16 with float sums, on dense row-major tensors, with
// epilogues fused into the same kernel.
#pragma once

#include <cublasLt.h>
#include <cuda_bf16.h>

#include <compare>
#include <cstdint>
#include <map>

#include "common/blas.hpp"
#include "common/device_buffer.hpp"

namespace ref {

/// What the product's kernel does with the result before storing it.
enum class Epilogue : std::uint8_t {
  none,
  bias,       ///< adds a bias
  gelu_bias,  ///< adds a bias, keeps the sum in aux, stores its GELU (tanh form)
  dgelu,      ///< multiplies with the derivative of GELU at aux
};

/// A handle bound to one stream, its workspace and the algorithms chosen so far. Used by one
/// thread. Calls are asynchronous and deterministic: split sums are added in float, in a fixed
/// order. A size is looked up in cublasLt's heuristics once, at the first call; no call allocates
/// device memory. Each is in a range "matmul_cublaslt". Pointers are 16-byte aligned, sizes
/// multiples of 8. Throws GpuError.
class BlasLt {
 public:
  explicit BlasLt(cudaStream_t stream);
  ~BlasLt();
  BlasLt(const BlasLt&) = delete;
  BlasLt& operator=(const BlasLt&) = delete;

  /// The tensors of a linear layer: x (rows, in), weight (out, in), y (rows, out).
  struct LinearSizes {
    int rows, in, out;
  };

  /// y = x weight^T [+ bias (out)]. With gelu_bias: aux (rows, out) = that, y = gelu of it.
  void linear(const LinearSizes& sizes, const __nv_bfloat16* x, const __nv_bfloat16* weight,
              const __nv_bfloat16* bias, __nv_bfloat16* y, Epilogue epilogue,
              __nv_bfloat16* aux = nullptr);
  /// dx (rows, in) = dy weight [* gelu'(aux), aux (rows, in)].
  void linear_data_gradient(const LinearSizes& sizes, const __nv_bfloat16* dy,
                            const __nv_bfloat16* weight, __nv_bfloat16* dx,
                            Epilogue epilogue = Epilogue::none, const __nv_bfloat16* aux = nullptr);
  /// dweight (out, in) += dy^T x.
  void linear_weight_gradient(const LinearSizes& sizes, const __nv_bfloat16* dy,
                              const __nv_bfloat16* x, __nv_bfloat16* dweight);

  void batched(const BatchedSizes& sizes, const __nv_bfloat16* a, const __nv_bfloat16* b,
               __nv_bfloat16* c);

 private:
  /// As cublasLt sees it: column-major, C (m, n) = op(A) op(B).
  struct Problem {
    bool trans_a, trans_b;
    int m, n, k, batch;
    Epilogue epilogue;
    bool accumulate;
    auto operator<=>(const Problem&) const = default;
  };
  struct Operands {
    const void *a, *b;
    void* c;
    const void* bias;
    const void* aux;
  };
  class Plan;

  void multiply(const Problem& problem, const Operands& operands);

  cudaStream_t stream_;
  cublasLtHandle_t handle_ = nullptr;
  DeviceBuffer<std::uint8_t> workspace_;
  std::map<Problem, Plan> plans_;
};

}  // namespace ref
