// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns status codes of CUDA and cuBLAS into exceptions that name the call's location.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <source_location>
#include <stdexcept>
#include <string>

namespace ref {

/// A failed CUDA or cuBLAS call; what() is one line.
class GpuError : public std::runtime_error {
 public:
  GpuError(const std::string& what, const std::source_location& where)
      : std::runtime_error(what + " (" + where.file_name() + ":" + std::to_string(where.line()) +
                           ")") {}
};

inline void check(cudaError_t status,
                  const std::source_location& where = std::source_location::current()) {
  if (status != cudaSuccess) {
    throw GpuError(std::string("CUDA: ") + cudaGetErrorString(status), where);
  }
}

inline void check(cublasStatus_t status,
                  const std::source_location& where = std::source_location::current()) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw GpuError(std::string("cuBLAS: ") + cublasGetStatusString(status), where);
  }
}

/// After a kernel launch: reports a refused launch (not one that fails while running).
inline void check_launch(const std::source_location& where = std::source_location::current()) {
  check(cudaGetLastError(), where);
}

}  // namespace ref
