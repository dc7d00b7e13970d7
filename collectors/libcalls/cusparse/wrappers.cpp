// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The wrapped functions of cuSPARSE, whose major release is the same in CUDA 12 and 13.
#include "collectors/libcalls/cusparse/generic.hpp"

#define PROF_FUNCTIONS "collectors/libcalls/cusparse/functions.inc"
#define PROF_RELEASES(X, ...) X(12, __VA_ARGS__)
#define PROF_RELEASE_TYPE(major) SparseRelease
#include "collectors/libcalls/wrapped_library.inc"

PROF_INTERPOSER(cusparse)
