// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// cuSOLVER's functions with 64-bit sizes, whose arguments state the element types (by_type.hpp has
// the others).
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectors/libcalls/cusolver/by_type.hpp"

namespace prof::collectors {

using Long = std::int64_t;

/// getrf, geqrf: `Rest` begins after lda.
template <typename... Rest>
struct TypedMatrix {
  using Function = int(Pointer, Pointer, Long, Long, DataType, Pointer, Long, Rest...);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, Pointer, Long m, Long n,
                       DataType type, Pointer, Long lda, Rest...) {
    write_solver_call(facts, types.op, dense(type, m, n, lda));
  }
};
using TypedGetrf =
    TypedMatrix<Pointer, DataType, Pointer, std::size_t, Pointer, std::size_t, Pointer>;
using TypedGeqrf =
    TypedMatrix<DataType, Pointer, DataType, Pointer, std::size_t, Pointer, std::size_t, Pointer>;

struct TypedPotrf {
  using Function = int(Pointer, Pointer, int, Long, DataType, Pointer, Long, DataType, Pointer,
                       std::size_t, Pointer, std::size_t, Pointer);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, Pointer, int, Long n,
                       DataType type, Pointer, Long lda, DataType, Pointer, std::size_t, Pointer,
                       std::size_t, Pointer) {
    write_solver_call(facts, types.op, dense(type, n, n, lda));
  }
};
struct TypedTrtri {
  using Function = int(Pointer, int, int, Long, DataType, Pointer, Long, Pointer, std::size_t,
                       Pointer, std::size_t, Pointer);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, int, int, Long n,
                       DataType type, Pointer, Long lda, Pointer, std::size_t, Pointer, std::size_t,
                       Pointer) {
    write_solver_call(facts, types.op, dense(type, n, n, lda));
  }
};
struct TypedSytrs {
  using Function = int(Pointer, int, Long, Long, DataType, Pointer, Long, Pointer, DataType,
                       Pointer, Long, Pointer, std::size_t, Pointer, std::size_t, Pointer);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, int, Long n, Long nrhs,
                       DataType type, Pointer, Long lda, Pointer, DataType b_type, Pointer,
                       Long ldb, Pointer, std::size_t, Pointer, std::size_t, Pointer) {
    write_solver_call(facts, types.op, dense(type, n, n, lda), dense(b_type, n, nrhs, ldb));
  }
};
/// The triangular factor of k reflectors of n elements.
struct TypedLarft {
  using Function = int(Pointer, Pointer, int, int, Long, Long, DataType, Pointer, Long, DataType,
                       Pointer, DataType, Pointer, Long, DataType, Pointer, std::size_t, Pointer,
                       std::size_t);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, Pointer, int, int,
                       Long n, Long k, DataType type, Pointer, Long ldv, DataType, Pointer,
                       DataType, Pointer, Long, DataType, Pointer, std::size_t, Pointer,
                       std::size_t) {
    write_solver_call(facts, types.op, dense(type, n, k, ldv));
  }
};
struct TypedGetrs {
  using Function = int(Pointer, Pointer, int, Long, Long, DataType, Pointer, Long, Pointer,
                       DataType, Pointer, Long, Pointer);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, Pointer, int, Long n,
                       Long nrhs, DataType type, Pointer, Long lda, Pointer, DataType b_type,
                       Pointer, Long ldb, Pointer) {
    write_solver_call(facts, types.op, dense(type, n, n, lda), dense(b_type, n, nrhs, ldb));
  }
};
struct TypedPotrs {
  using Function = int(Pointer, Pointer, int, Long, Long, DataType, Pointer, Long, DataType,
                       Pointer, Long, Pointer);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, Pointer, int, Long n,
                       Long nrhs, DataType type, Pointer, Long lda, DataType b_type, Pointer,
                       Long ldb, Pointer) {
    write_solver_call(facts, types.op, dense(type, n, n, lda), dense(b_type, n, nrhs, ldb));
  }
};
struct TypedGesvd {
  using Function = int(Pointer, Pointer, signed char, signed char, Long, Long, DataType, Pointer,
                       Long, DataType, Pointer, DataType, Pointer, Long, DataType, Pointer, Long,
                       DataType, Pointer, std::size_t, Pointer, std::size_t, Pointer);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, Pointer, signed char,
                       signed char, Long m, Long n, DataType type, Pointer, Long lda, DataType,
                       Pointer, DataType, Pointer, Long, DataType, Pointer, Long, DataType, Pointer,
                       std::size_t, Pointer, std::size_t, Pointer) {
    write_solver_call(facts, types.op, dense(type, m, n, lda));
  }
};
struct TypedGesvdp {
  using Function = int(Pointer, Pointer, int, int, Long, Long, DataType, Pointer, Long, DataType,
                       Pointer, DataType, Pointer, Long, DataType, Pointer, Long, DataType, Pointer,
                       std::size_t, Pointer, std::size_t, Pointer, Pointer);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, Pointer, int, int,
                       Long m, Long n, DataType type, Pointer, Long lda, DataType, Pointer,
                       DataType, Pointer, Long, DataType, Pointer, Long, DataType, Pointer,
                       std::size_t, Pointer, std::size_t, Pointer, Pointer) {
    write_solver_call(facts, types.op, dense(type, m, n, lda));
  }
};
/// The first k singular values, by a randomized algorithm.
struct TypedGesvdr {
  using Function = int(Pointer, Pointer, signed char, signed char, Long, Long, Long, Long, Long,
                       DataType, Pointer, Long, DataType, Pointer, DataType, Pointer, Long,
                       DataType, Pointer, Long, DataType, Pointer, std::size_t, Pointer,
                       std::size_t, Pointer);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, Pointer, signed char,
                       signed char, Long m, Long n, Long k, Long /*p*/, Long /*iterations*/,
                       DataType type, Pointer, Long lda, DataType, Pointer, DataType, Pointer, Long,
                       DataType, Pointer, Long, DataType, Pointer, std::size_t, Pointer,
                       std::size_t, Pointer) {
    facts.fact("k", std::int64_t{k});
    write_solver_call(facts, types.op, dense(type, m, n, lda));
  }
};
template <typename... Rest>
struct TypedEigenvalues {
  using Function = int(Pointer, Pointer, int, int, Long, DataType, Pointer, Long, DataType, Pointer,
                       DataType, Pointer, std::size_t, Pointer, std::size_t, Pointer, Rest...);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, Pointer, int, int,
                       Long n, DataType type, Pointer, Long lda, DataType, Pointer, DataType,
                       Pointer, std::size_t, Pointer, std::size_t, Pointer, Rest... batch) {
    if constexpr (sizeof...(batch) == 1) {
      write_solver_call(facts, types.op, dense(type, n, n, lda, {batch...}));
    } else {
      write_solver_call(facts, types.op, dense(type, n, n, lda));
    }
  }
};
using TypedSyevd = TypedEigenvalues<>;
using TypedSyevBatched = TypedEigenvalues<Long>;

struct TypedSyevdx {
  using Function = int(Pointer, Pointer, int, int, int, Long, DataType, Pointer, Long, Pointer,
                       Pointer, Long, Long, Pointer, DataType, Pointer, DataType, Pointer,
                       std::size_t, Pointer, std::size_t, Pointer);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, Pointer, int, int, int,
                       Long n, DataType type, Pointer, Long lda, Pointer, Pointer, Long, Long,
                       Pointer, DataType, Pointer, DataType, Pointer, std::size_t, Pointer,
                       std::size_t, Pointer) {
    write_solver_call(facts, types.op, dense(type, n, n, lda));
  }
};

struct TypedGeev {
  using Function = int(Pointer, Pointer, int, int, Long, DataType, Pointer, Long, DataType, Pointer,
                       DataType, Pointer, Long, DataType, Pointer, Long, DataType, Pointer,
                       std::size_t, Pointer, std::size_t, Pointer);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, Pointer, int, int,
                       Long n, DataType type, Pointer, Long lda, DataType, Pointer, DataType,
                       Pointer, Long, DataType, Pointer, Long, DataType, Pointer, std::size_t,
                       Pointer, std::size_t, Pointer) {
    write_solver_call(facts, types.op, dense(type, n, n, lda));
  }
};

}  // namespace prof::collectors
