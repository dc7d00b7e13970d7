// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The products of the stand-in cuBLAS: each launches a kernel of its name and ignores its
// arguments. Those of cublas.cpp take precedence.
#include "cublas_launch.hpp"

#define PROF_WRAPPED(library, symbol, ...) PROF_STANDIN_##library(symbol)
#define PROF_STANDIN_cublasLt(symbol)
#define PROF_STANDIN_cublas(symbol)                                                    \
  extern "C" __attribute__((weak)) cublasStatus_t standin_##symbol() __asm__(#symbol); \
  cublasStatus_t standin_##symbol() { return standin_product(#symbol); }
#include "collectors/libcalls/cublas/functions.inc"
