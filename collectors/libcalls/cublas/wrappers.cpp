// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The wrapped functions of cuBLAS and cuBLASLt.
#include "collectors/libcalls/cublas/elements.hpp"
#include "collectors/libcalls/cublas/factors.hpp"
#include "collectors/libcalls/cublas/gemm.hpp"
#include "collectors/libcalls/cublas/grouped.hpp"
#include "collectors/libcalls/cublas/lt_matmul.hpp"
#include "collectors/libcalls/cublas/triangles.hpp"
#include "collectors/libcalls/cublas/vectors.hpp"

namespace prof::collectors {
using enum DataType;
}

#define PROF_FUNCTIONS "collectors/libcalls/cublas/functions.inc"
#define PROF_RELEASES(X, ...) X(13, __VA_ARGS__) X(12, __VA_ARGS__)
#define PROF_RELEASE_TYPE(major) CublasRelease<major>
#include "collectors/libcalls/wrapped_library.inc"

PROF_INTERPOSER(cublas)
