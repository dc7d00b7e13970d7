// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The wrapped functions of cuSOLVER.
#include "collectors/libcalls/cusolver/by_argument.hpp"
#include "collectors/libcalls/cusolver/by_type.hpp"

// The releases of CUDA 13 and CUDA 12.
#define PROF_FUNCTIONS "collectors/libcalls/cusolver/functions.inc"
#define PROF_RELEASES(X, ...) X(12, __VA_ARGS__) X(11, __VA_ARGS__)
#define PROF_RELEASE_TYPE(major) SolverRelease
#include "collectors/libcalls/wrapped_library.inc"

PROF_INTERPOSER(cusolver)
