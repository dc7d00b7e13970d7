// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Traits of the element types in which tensors are stored: float, __half, __nv_bfloat16. Arithmetic
// is always done in float.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <library_types.h>

#include <prof/annotate.hpp>

#include "common/cpu_tensor.hpp"

namespace ref {

template <typename T>
struct Storage;

template <>
struct Storage<float> {
  static constexpr prof::DType kDType = prof::DType::float32;
  static constexpr cudaDataType_t kCuda = CUDA_R_32F;
  static double round(double x) { return static_cast<double>(static_cast<float>(x)); }
};

template <>
struct Storage<__half> {
  static constexpr prof::DType kDType = prof::DType::float16;
  static constexpr cudaDataType_t kCuda = CUDA_R_16F;
  static double round(double x) { return cpu::round_to_half(x); }
};

template <>
struct Storage<__nv_bfloat16> {
  static constexpr prof::DType kDType = prof::DType::bfloat16;
  static constexpr cudaDataType_t kCuda = CUDA_R_16BF;
  static double round(double x) { return cpu::round_to_bfloat16(x); }
};

}  // namespace ref
