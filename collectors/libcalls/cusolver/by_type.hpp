// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls of cuSOLVER's dense functions, by the forms of their parameters: factorizations, solutions,
// singular values and eigenvalues. An op has the matrix A, of m rows and n columns, the right-hand
// sides or C if there are any, and the facts that the sizes do not show.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectors/libcalls/call_facts.hpp"

namespace prof::collectors {

struct SolverRelease {
  static constexpr const char* kSource = "cusolver";
};

/// `op`: the function's op, such as "cusolver::getrf".
struct SolverTypes {
  const char* op;
  DataType type = DataType::kR32F;
};

using Pointer = void*;

/// A column-major matrix in memory.
inline Matrix dense(DataType type, std::int64_t rows, std::int64_t columns, std::int64_t ld,
                    Batch batch = {}) {
  return {type, false, rows, columns, ld, batch};
}

inline void write_solver_call(CallFacts& facts, const char* op, const Matrix& a) {
  facts.op(op);
  facts.matrix(a);
}
inline void write_solver_call(CallFacts& facts, const char* op, const Matrix& a, const Matrix& b) {
  write_solver_call(facts, op, a);
  facts.matrix(b);
}

/// getrf, geqrf, gebrd: factorizations of any matrix.
template <typename... Rest>
struct OfMatrix {
  using Function = int(Pointer, int, int, Pointer, int, Rest...);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, int m, int n, Pointer,
                       int lda, Rest...) {
    write_solver_call(facts, types.op, dense(types.type, m, n, lda));
  }
};
using Getrf = OfMatrix<Pointer, Pointer, Pointer>;
using Geqrf = OfMatrix<Pointer, Pointer, int, Pointer>;
using Gebrd = OfMatrix<Pointer, Pointer, Pointer, Pointer, Pointer, int, Pointer>;

/// potrf, potri, lauum, sytrf, sytri, sytrd, orgtr: functions of a symmetric matrix, or of its
/// factors.
template <typename... Rest>
struct OfSymmetric {
  using Function = int(Pointer, int, int, Pointer, int, Rest...);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, int /*uplo*/, int n,
                       Pointer, int lda, Rest...) {
    write_solver_call(facts, types.op, dense(types.type, n, n, lda));
  }
};
using Potrf = OfSymmetric<Pointer, int, Pointer>;
using Sytrf = OfSymmetric<Pointer, Pointer, int, Pointer>;
using Sytrd = OfSymmetric<Pointer, Pointer, Pointer, Pointer, int, Pointer>;

/// Exchanges rows k1 to k2; A has n columns.
struct Laswp {
  using Function = int(Pointer, int, Pointer, int, int, int, Pointer, int);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, int n, Pointer, int lda,
                       int first, int last, Pointer, int) {
    write_solver_call(facts, types.op, dense(types.type, std::int64_t{last} - first + 1, n, lda));
  }
};

struct PotrfBatched {
  using Function = int(Pointer, int, int, Pointer, int, Pointer, int);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, int /*uplo*/, int n,
                       Pointer, int lda, Pointer, int batch) {
    write_solver_call(facts, types.op, dense(types.type, n, n, lda, {batch}));
  }
};

struct Getrs {
  using Function = int(Pointer, int, int, int, Pointer, int, Pointer, Pointer, int, Pointer);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, int /*trans*/, int n,
                       int nrhs, Pointer, int lda, Pointer, Pointer, int ldb, Pointer) {
    write_solver_call(facts, types.op, dense(types.type, n, n, lda),
                      dense(types.type, n, nrhs, ldb));
  }
};
struct Potrs {
  using Function = int(Pointer, int, int, int, Pointer, int, Pointer, int, Pointer);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, int /*uplo*/, int n,
                       int nrhs, Pointer, int lda, Pointer, int ldb, Pointer) {
    write_solver_call(facts, types.op, dense(types.type, n, n, lda),
                      dense(types.type, n, nrhs, ldb));
  }
};
struct PotrsBatched {
  using Function = int(Pointer, int, int, int, Pointer, int, Pointer, int, Pointer, int);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, int /*uplo*/, int n,
                       int nrhs, Pointer, int lda, Pointer, int ldb, Pointer, int batch) {
    write_solver_call(facts, types.op, dense(types.type, n, n, lda, {batch}),
                      dense(types.type, n, nrhs, ldb, {batch}));
  }
};

/// The first n columns of the product of k reflectors, in A.
struct Orgqr {
  using Function = int(Pointer, int, int, int, Pointer, int, Pointer, Pointer, int, Pointer);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, int m, int n, int k,
                       Pointer, int lda, Pointer, Pointer, int, Pointer) {
    facts.fact("k", std::int64_t{k});
    write_solver_call(facts, types.op, dense(types.type, m, n, lda));
  }
};
/// The product of k reflectors, in A, times C, which is m x n.
struct Ormqr {
  using Function = int(Pointer, int, int, int, int, int, Pointer, int, Pointer, Pointer, int,
                       Pointer, int, Pointer);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, int side, int /*trans*/,
                       int m, int n, int k, Pointer, int lda, Pointer, Pointer, int ldc, Pointer,
                       int, Pointer) {
    facts.fact("side", side == 0 ? "left" : "right");
    write_solver_call(facts, types.op, dense(types.type, side == 0 ? m : n, k, lda),
                      dense(types.type, m, n, ldc));
  }
};

/// The product of the reflectors of gebrd, which has two sets of them.
struct Orgbr {
  using Function = int(Pointer, int, int, int, int, Pointer, int, Pointer, Pointer, int, Pointer);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, int side, int m, int n,
                       int k, Pointer, int lda, Pointer, Pointer, int, Pointer) {
    facts.fact("side", side == 0 ? "left" : "right");
    facts.fact("k", std::int64_t{k});
    write_solver_call(facts, types.op, dense(types.type, m, n, lda));
  }
};
/// The product of the reflectors of sytrd, in A, times C, which is m x n.
struct Ormtr {
  using Function = int(Pointer, int, int, int, int, int, Pointer, int, Pointer, Pointer, int,
                       Pointer, int, Pointer);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, int side, int /*uplo*/,
                       int /*trans*/, int m, int n, Pointer, int lda, Pointer, Pointer, int ldc,
                       Pointer, int, Pointer) {
    const int size = side == 0 ? m : n;
    facts.fact("side", side == 0 ? "left" : "right");
    write_solver_call(facts, types.op, dense(types.type, size, size, lda),
                      dense(types.type, m, n, ldc));
  }
};

// --- Systems of equations and least squares: factorized in fewer bits, refined in iterations.
struct Gesv {
  using Function = int(Pointer, int, int, Pointer, int, Pointer, Pointer, int, Pointer, int,
                       Pointer, std::size_t, Pointer, Pointer);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, int n, int nrhs,
                       Pointer, int lda, Pointer, Pointer, int ldb, Pointer, int, Pointer,
                       std::size_t, Pointer, Pointer) {
    write_solver_call(facts, types.op, dense(types.type, n, n, lda),
                      dense(types.type, n, nrhs, ldb));
  }
};
struct Gels {
  using Function = int(Pointer, int, int, int, Pointer, int, Pointer, int, Pointer, int, Pointer,
                       std::size_t, Pointer, Pointer);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, int m, int n, int nrhs,
                       Pointer, int lda, Pointer, int ldb, Pointer, int, Pointer, std::size_t,
                       Pointer, Pointer) {
    write_solver_call(facts, types.op, dense(types.type, m, n, lda),
                      dense(types.type, m, nrhs, ldb));
  }
};
/// The types are fixed in the parameters object, whose contents cannot be read.
struct RefinedGesv {
  using Function = int(Pointer, Pointer, Pointer, int, int, Pointer, int, Pointer, int, Pointer,
                       int, Pointer, std::size_t, Pointer, Pointer);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, Pointer, Pointer, int n,
                       int nrhs, Pointer, int lda, Pointer, int ldb, Pointer, int, Pointer,
                       std::size_t, Pointer, Pointer) {
    write_solver_call(facts, types.op, dense(types.type, n, n, lda),
                      dense(types.type, n, nrhs, ldb));
  }
};
struct RefinedGels {
  using Function = int(Pointer, Pointer, Pointer, int, int, int, Pointer, int, Pointer, int,
                       Pointer, int, Pointer, std::size_t, Pointer, Pointer);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, Pointer, Pointer, int m,
                       int n, int nrhs, Pointer, int lda, Pointer, int ldb, Pointer, int, Pointer,
                       std::size_t, Pointer, Pointer) {
    write_solver_call(facts, types.op, dense(types.type, m, n, lda),
                      dense(types.type, m, nrhs, ldb));
  }
};

// --- Singular values.
struct Gesvd {
  using Function = int(Pointer, signed char, signed char, int, int, Pointer, int, Pointer, Pointer,
                       int, Pointer, int, Pointer, int, Pointer, Pointer);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, signed char,
                       signed char, int m, int n, Pointer, int lda, Pointer, Pointer, int, Pointer,
                       int, Pointer, int, Pointer, Pointer) {
    write_solver_call(facts, types.op, dense(types.type, m, n, lda));
  }
};
struct Gesvdj {
  using Function = int(Pointer, int, int, int, int, Pointer, int, Pointer, Pointer, int, Pointer,
                       int, Pointer, int, Pointer, Pointer);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, int, int, int m, int n,
                       Pointer, int lda, Pointer, Pointer, int, Pointer, int, Pointer, int, Pointer,
                       Pointer) {
    write_solver_call(facts, types.op, dense(types.type, m, n, lda));
  }
};
struct GesvdjBatched {
  using Function = int(Pointer, int, int, int, Pointer, int, Pointer, Pointer, int, Pointer, int,
                       Pointer, int, Pointer, Pointer, int);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, int, int m, int n,
                       Pointer, int lda, Pointer, Pointer, int, Pointer, int, Pointer, int, Pointer,
                       Pointer, int batch) {
    write_solver_call(facts, types.op, dense(types.type, m, n, lda, {batch}));
  }
};
struct GesvdaStrided {
  using Function = int(Pointer, int, int, int, int, Pointer, int, long long, Pointer, long long,
                       Pointer, int, long long, Pointer, int, long long, Pointer, int, Pointer,
                       Pointer, int);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, int, int, int m, int n,
                       Pointer, int lda, long long stride, Pointer, long long, Pointer, int,
                       long long, Pointer, int, long long, Pointer, int, Pointer, Pointer,
                       int batch) {
    write_solver_call(facts, types.op, dense(types.type, m, n, lda, {batch, stride}));
  }
};

// --- Eigenvalues of symmetric matrices.
template <typename... Rest>
struct OfEigenvalues {
  using Function = int(Pointer, int, int, int, Pointer, int, Pointer, Pointer, int, Rest...);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, int /*jobz*/,
                       int /*uplo*/, int n, Pointer, int lda, Pointer, Pointer, int, Rest...) {
    write_solver_call(facts, types.op, dense(types.type, n, n, lda));
  }
};
using Syevd = OfEigenvalues<Pointer>;
using Syevj = OfEigenvalues<Pointer, Pointer>;
struct SyevjBatched {
  using Function = int(Pointer, int, int, int, Pointer, int, Pointer, Pointer, int, Pointer,
                       Pointer, int);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, int, int, int n,
                       Pointer, int lda, Pointer, Pointer, int, Pointer, Pointer, int batch) {
    write_solver_call(facts, types.op, dense(types.type, n, n, lda, {batch}));
  }
};
/// Selected eigenvalues, between two bounds of the type `Real`.
template <typename Real>
struct Syevdx {
  using Function = int(Pointer, int, int, int, int, Pointer, int, Real, Real, int, int, Pointer,
                       Pointer, Pointer, int, Pointer);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, int, int, int, int n,
                       Pointer, int lda, Real, Real, int, int, Pointer, Pointer, Pointer, int,
                       Pointer) {
    write_solver_call(facts, types.op, dense(types.type, n, n, lda));
  }
};
template <typename... Rest>
struct OfTwoSymmetric {
  using Function = int(Pointer, int, int, int, int, Pointer, int, Pointer, int, Pointer, Pointer,
                       int, Rest...);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, int, int, int, int n,
                       Pointer, int lda, Pointer, int ldb, Pointer, Pointer, int, Rest...) {
    write_solver_call(facts, types.op, dense(types.type, n, n, lda), dense(types.type, n, n, ldb));
  }
};
using Sygvd = OfTwoSymmetric<Pointer>;
using Sygvj = OfTwoSymmetric<Pointer, Pointer>;
template <typename Real>
struct Sygvdx {
  using Function = int(Pointer, int, int, int, int, int, Pointer, int, Pointer, int, Real, Real,
                       int, int, Pointer, Pointer, Pointer, int, Pointer);
  template <typename Release>
  static void describe(CallFacts& facts, const SolverTypes& types, Pointer, int, int, int, int,
                       int n, Pointer, int lda, Pointer, int ldb, Real, Real, int, int, Pointer,
                       Pointer, Pointer, int, Pointer) {
    write_solver_call(facts, types.op, dense(types.type, n, n, lda), dense(types.type, n, n, ldb));
  }
};

}  // namespace prof::collectors
