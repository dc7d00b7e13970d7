// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// cublasLtMatmul and cublasLtMatrixTransform: contents of their descriptors, queried from the
// library itself.
#pragma once

#include <cstddef>

#include "collectors/libcalls/cublas/gemm.hpp"

namespace prof::collectors {

/// The library's functions that read its descriptors; null: it lacks one.
struct LtAttributes {
  using Get = int(const void* object, int attribute, void* to, std::size_t bytes,
                  std::size_t* written);
  Get* of_matmul;
  Get* of_layout;
  Get* of_algorithm;
};

struct LtCall {
  const void *matmul, *a, *b, *c, *d;
  const void* beta;
  const void* algorithm;  ///< Null: the library chooses.
};

/// C = alpha op(A) + beta op(B).
struct LtTransformCall {
  const void *transform, *a, *b, *c;
  const void* beta;
};

void write_matmul(CallFacts& facts, const LtAttributes& attributes, const LtCall& call);
/// `of_matmul`: reads descriptors of transformations.
void write_transform(CallFacts& facts, const LtAttributes& attributes, const LtTransformCall& call);

struct LtMatmul {
  using Function = int(void*, const void*, const void*, const void*, const void*, const void*,
                       const void*, const void*, const void*, const void*, void*, const void*,
                       const void*, void*, std::size_t, void*);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& /*types*/, void* /*handle*/,
                       const void* matmul, const void* /*alpha*/, const void* /*a*/,
                       const void* a_layout, const void* /*b*/, const void* b_layout,
                       const void* beta, const void* /*c*/, const void* c_layout, void* /*d*/,
                       const void* d_layout, const void* algorithm, void* /*workspace*/,
                       std::size_t /*bytes*/, void* /*stream*/) {
    static constinit RealFunction of_matmul{"cublasLtMatmulDescGetAttribute", Release::kCublasLt},
        of_layout{"cublasLtMatrixLayoutGetAttribute", Release::kCublasLt},
        of_algorithm{"cublasLtMatmulAlgoConfigGetAttribute", Release::kCublasLt};
    using Get = LtAttributes::Get;
    write_matmul(facts, {of_matmul.as<Get>(), of_layout.as<Get>(), of_algorithm.as<Get>()},
                 {matmul, a_layout, b_layout, c_layout, d_layout, beta, algorithm});
  }
};

struct LtTransform {
  using Function = int(void*, const void*, const void*, const void*, const void*, const void*,
                       const void*, const void*, void*, const void*, void*);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& /*types*/, void* /*handle*/,
                       const void* transform, const void* /*alpha*/, const void* /*a*/,
                       const void* a_layout, const void* beta, const void* b, const void* b_layout,
                       void* /*c*/, const void* c_layout, void* /*stream*/) {
    static constinit RealFunction of_transform{"cublasLtMatrixTransformDescGetAttribute",
                                               Release::kCublasLt},
        of_layout{"cublasLtMatrixLayoutGetAttribute", Release::kCublasLt};
    using Get = LtAttributes::Get;
    write_transform(facts, {of_transform.as<Get>(), of_layout.as<Get>(), nullptr},
                    {transform, a_layout, b == nullptr ? nullptr : b_layout, c_layout, beta});
  }
};

}  // namespace prof::collectors
