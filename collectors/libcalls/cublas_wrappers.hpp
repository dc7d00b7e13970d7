// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The wrapped functions of cuBLAS, for a program that looks them up by hand.
#pragma once

#include <span>

#include "collectors/libcalls/real_function.hpp"

namespace prof::collectors {

struct WrappedFunction {
  RealFunction* real;
  void* wrapper;
};

std::span<const WrappedFunction> cublas_wrappers() noexcept;

}  // namespace prof::collectors
