// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// How the stand-in cuBLAS and cuBLASLt launch what they are asked for.
#pragma once

#include <cublas_api.h>

#include "library_launch.hpp"

inline cublasStatus_t standin_product(const char* function) {
  return standin_launch(function) == 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}
