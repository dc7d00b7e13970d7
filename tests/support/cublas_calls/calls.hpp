// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls every wrapped form of cuBLAS, each with sizes of its own, and prints a line of JSON for
// each: what it asked for. The stand-in library of the system tests and the real one run the same
// calls. Where it is compiled with PROF_CALLS_BY_HAND it is linked to neither, and looks all
// functions up.
#pragma once

#include <cstddef>

struct BlasMachine {
  /// Where all matrices are, and arrays of pointers to them: in the device's memory.
  void* matrices;
  void* pointers;
  /// Where by hand: the two libraries, loaded; null otherwise.
  void* cublas;
  void* cublaslt;
  void* stream;  ///< cudaStream_t; null: the default one.
  /// Called before and after each call; null: nothing is.
  void (*before)();
  void (*after)();
};

/// Returns how many calls the library refused.
extern "C" __attribute__((visibility("default"))) int make_blas_calls(const BlasMachine* machine);
/// One product of m x 3 and 3 x 2 floats, on any thread, with a handle of its own. The stand-in
/// library throws an int where m is kThrowing.
extern "C" __attribute__((visibility("default"))) void make_one_product(int m);
inline constexpr int kThrowing = 13;
/// The largest size of `matrices` in bytes, and the pointers that an array of them has.
inline constexpr std::size_t kMatrixBytes = std::size_t{1} << 20;
inline constexpr int kMaxPointers = 16;
