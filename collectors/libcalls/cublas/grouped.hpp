// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Grouped products: several groups of batches, each with sizes of its own. The arrays of sizes are
// in the host's memory, those of matrices in the device's.
#pragma once

#include "collectors/libcalls/cublas/gemm.hpp"

namespace prof::collectors {

template <typename Int>
struct GroupedCall {
  const int *trans_a, *trans_b;
  const Int *m, *n, *k, *lda, *ldb, *ldc;
  const void* beta;
  Int groups;
  const Int* sizes;
};

constexpr std::size_t size_of(ScaleType type) {
  switch (type) {
    case ScaleType::kR16F:
      return 2;
    case ScaleType::kR64F:
    case ScaleType::kC32F:
      return 8;
    case ScaleType::kC64F:
      return 16;
    default:
      return 4;
  }
}

template <typename Int>
void write_grouped(CallFacts& facts, const Types& types, const GroupedCall<Int>& call,
                   bool has_host_scalars) {
  facts.op("cublas::grouped_gemm");
  facts.fact("groups", std::int64_t{call.groups});
  if (call.groups < 0) return;
  const auto beta_of = [&](std::uint32_t i) {
    if (!has_host_scalars || call.beta == nullptr) return Beta::kUnknown;
    return beta_at(static_cast<const std::byte*>(call.beta) + i * size_of(types.scale),
                   types.scale);
  };
  if (!has_host_scalars) facts.fact("beta", "unknown");
  const auto count = static_cast<std::uint32_t>(call.groups);
  const auto operand = [&](DataType type, const int* trans, const Int* rows, const Int* columns,
                           const Int* ld) {
    facts.list(count, [&](std::uint32_t i) {
      facts.matrix({type, is_transposed(trans[i]), rows[i], columns[i], ld[i], {call.sizes[i]}});
    });
  };
  operand(types.a, call.trans_a, call.m, call.k, call.lda);
  operand(types.b, call.trans_b, call.k, call.n, call.ldb);
  const auto result = [&](std::uint32_t i) {
    facts.matrix({types.c, false, call.m[i], call.n[i], call.ldc[i], {call.sizes[i]}});
  };
  facts.list(count, [&](std::uint32_t i) {
    if (beta_of(i) == Beta::kZero) {
      facts.none();
    } else {
      result(i);
    }
  });
  facts.list(count, result);
}

template <typename Int>
struct GemmGrouped {
  using Function = int(void*, const int*, const int*, const Int*, const Int*, const Int*,
                       const void*, const void*, const Int*, const void*, const Int*, const void*,
                       void*, const Int*, Int, const Int*);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& types, void* handle, const int* trans_a,
                       const int* trans_b, const Int* m, const Int* n, const Int* k,
                       const void* /*alpha*/, const void* /*a*/, const Int* lda, const void* /*b*/,
                       const Int* ldb, const void* beta, void* /*c*/, const Int* ldc, Int groups,
                       const Int* sizes) {
    write_grouped<Int>(facts, types,
                       {trans_a, trans_b, m, n, k, lda, ldb, ldc, beta, groups, sizes},
                       Release::has_host_scalars(handle));
  }
};

template <typename Int>
struct GemmGroupedEx {
  using Function = int(void*, const int*, const int*, const Int*, const Int*, const Int*,
                       const void*, const void*, DataType, const Int*, const void*, DataType,
                       const Int*, const void*, void*, DataType, const Int*, Int, const Int*, int);
  template <typename Release>
  static void describe(CallFacts& facts, const Types& /*types*/, void* handle, const int* trans_a,
                       const int* trans_b, const Int* m, const Int* n, const Int* k,
                       const void* /*alpha*/, const void* /*a*/, DataType a_type, const Int* lda,
                       const void* /*b*/, DataType b_type, const Int* ldb, const void* beta,
                       void* /*c*/, DataType c_type, const Int* ldc, Int groups, const Int* sizes,
                       int compute) {
    state_compute(facts, compute, -1);
    write_grouped<Int>(facts, {a_type, b_type, c_type, scale_of_compute(compute, c_type)},
                       {trans_a, trans_b, m, n, k, lda, ldb, ldc, beta, groups, sizes},
                       Release::has_host_scalars(handle));
  }
};

}  // namespace prof::collectors
