// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Description of one library of wrapped functions (libprof_cublas.so, libprof_cudnn.so): each
// defines interposer() for the parts that all of them have, how calls are reported
// (reported_call.hpp) and how a program finds functions by hand (found_by_hand.cpp).
#pragma once

#include <span>

#include "collectors/libcalls/library_calls.hpp"
#include "collectors/libcalls/real_function.hpp"

namespace prof::collectors {

struct WrappedFunction {
  RealFunction* real;
  void* wrapper;
};

struct Interposer {
  /// The library's word in --trace, such as "cublas"; its functions' names begin with it.
  const char* name;
  LibraryCalls* calls;
  std::span<const WrappedFunction> functions;
};

const Interposer& interposer() noexcept;

}  // namespace prof::collectors
