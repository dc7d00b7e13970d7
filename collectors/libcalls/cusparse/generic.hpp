// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls of cuSPARSE's generic functions. Sizes are read from descriptors by the library's own
// functions. An op has the operands as they are stored, a sparse matrix as rows x columns, and the
// number of nonzeros (`nnz`) as a fact.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectors/libcalls/call_facts.hpp"

namespace prof::collectors {

struct SparseRelease {
  static constexpr const char* kSource = "cusparse";
};

/// `op`: the function's op, such as "cusparse::spmm"; `type`: set if descriptors do not state it.
struct SparseTypes {
  const char* op;
  DataType type = DataType::kUnknown;
};

/// Adds `X_nnz` and `X_format` of a sparse matrix to the facts, and keeps its sizes.
class SparseOperand {
 public:
  SparseOperand(CallFacts& facts, const char* nnz_key, const char* format_key,
                const void* descriptor);
  /// Writes the matrix as an argument. To be called after all facts.
  void write(CallFacts& facts, DataType type) const;

 private:
  std::int64_t rows_ = -1, columns_ = -1;
};

/// A dense matrix, or a vector as a matrix of one column. Negative sizes: the library does not
/// state them.
struct DenseOperand {
  std::int64_t rows = -1, columns = -1, ld = -1;
  DataType type = DataType::kUnknown;
  bool is_row_major = false;

  void write(CallFacts& facts) const;
};
DenseOperand read_matrix(const void* descriptor);
DenseOperand read_vector(const void* descriptor);

/// A sparse vector as a matrix of one column.
class SparseVector {
 public:
  /// Adds `a_nnz` to the facts.
  SparseVector(CallFacts& facts, const void* descriptor);
  void write(CallFacts& facts) const;

 private:
  std::int64_t size_ = -1;
  DataType type_ = DataType::kUnknown;
};

void state_products(CallFacts& facts, int op_a, int op_b);
/// A product of a sparse matrix and a dense one, or a system of equations with it: C is the result.
void write_sparse_product(CallFacts& facts, const char* op, int op_a, int op_b, const void* a,
                          const DenseOperand& b, const DenseOperand& c);
/// A product of two sparse matrices, whose size is not known in advance.
void write_sparse_pair(CallFacts& facts, const char* op, int op_a, int op_b, const void* a,
                       const void* b);
void write_sparse_vectors(CallFacts& facts, const char* op, const void* x, const void* y);

struct Spmm {
  using Function = int(void*, int, int, const void*, const void*, const void*, const void*, void*,
                       DataType, int, void*);
  template <typename Release>
  static void describe(CallFacts& facts, const SparseTypes& types, void*, int op_a, int op_b,
                       const void* /*alpha*/, const void* a, const void* b, const void* /*beta*/,
                       void* c, DataType, int, void*) {
    write_sparse_product(facts, types.op, op_a, op_b, a, read_matrix(b), read_matrix(c));
  }
};

struct Spmv {
  using Function = int(void*, int, const void*, const void*, const void*, const void*, void*,
                       DataType, int, void*);
  template <typename Release>
  static void describe(CallFacts& facts, const SparseTypes& types, void*, int op_a,
                       const void* /*alpha*/, const void* a, const void* x, const void* /*beta*/,
                       void* y, DataType, int, void*) {
    write_sparse_product(facts, types.op, op_a, 0, a, read_vector(x), read_vector(y));
  }
};

/// C is sparse, A and B are dense.
struct Sddmm {
  using Function = int(void*, int, int, const void*, const void*, const void*, const void*, void*,
                       DataType, int, void*);
  template <typename Release>
  static void describe(CallFacts& facts, const SparseTypes& types, void*, int op_a, int op_b,
                       const void* /*alpha*/, const void* a, const void* b, const void* /*beta*/,
                       void* c, DataType, int, void*) {
    facts.op(types.op);
    state_products(facts, op_a, op_b);
    const SparseOperand sparse(facts, "c_nnz", "c_format", c);
    const DenseOperand left = read_matrix(a);
    left.write(facts);
    read_matrix(b).write(facts);
    sparse.write(facts, left.type);
  }
};

/// C has no operand: its size is known only once the product is there.
struct Spgemm {
  using Function = int(void*, int, int, const void*, const void*, const void*, const void*, void*,
                       DataType, int, void*, std::size_t*, void*);
  template <typename Release>
  static void describe(CallFacts& facts, const SparseTypes& types, void*, int op_a, int op_b,
                       const void* /*alpha*/, const void* a, const void* b, const void* /*beta*/,
                       void*, DataType type, int, void*, std::size_t*, void*) {
    facts.op(types.op);
    state_products(facts, op_a, op_b);
    const SparseOperand left(facts, "a_nnz", "a_format", a), right(facts, "b_nnz", "b_format", b);
    left.write(facts, type);
    right.write(facts, type);
  }
};

/// The other steps of SpGEMM: estimating, counting and copying are part of the product's time.
/// `Rest` begins after C.
template <typename... Rest>
struct SpgemmStep {
  using Function = int(void*, int, int, const void*, const void*, void*, Rest...);
  template <typename Release>
  static void describe(CallFacts& facts, const SparseTypes& types, void*, int op_a, int op_b,
                       const void* a, const void* b, void*, Rest...) {
    write_sparse_pair(facts, types.op, op_a, op_b, a, b);
  }
};
using SpgemmNnz =
    SpgemmStep<int, void*, std::size_t*, void*, std::size_t*, void*, std::size_t*, void*>;
using SpgemmReuseCopy = SpgemmStep<int, void*, std::size_t*, void*>;
/// SpGEMM_copy and SpGEMMreuse_compute.
struct SpgemmScaled {
  using Function = int(void*, int, int, const void*, const void*, const void*, const void*, void*,
                       DataType, int, void*);
  template <typename Release>
  static void describe(CallFacts& facts, const SparseTypes& types, void*, int op_a, int op_b,
                       const void* /*alpha*/, const void* a, const void* b, const void* /*beta*/,
                       void*, DataType, int, void*) {
    write_sparse_pair(facts, types.op, op_a, op_b, a, b);
  }
};

/// Preparation of A for a solution or product, by the parameters of the preparing functions.
template <typename... Before>
struct Analysis {
  template <typename... Rest>
  struct With {
    using Function = int(void*, Before..., const void*, Rest...);
    template <typename Release>
    static void describe(CallFacts& facts, const SparseTypes& types, void*, Before...,
                         const void* a, Rest...) {
      facts.op(types.op);
      const SparseOperand sparse(facts, "a_nnz", "a_format", a);
      sparse.write(facts, DataType::kUnknown);
    }
  };
};
using SpsvAnalysis =
    Analysis<int, const void*>::With<const void*, void*, DataType, int, void*, void*>;
using SpsmAnalysis =
    Analysis<int, int, const void*>::With<const void*, void*, DataType, int, void*, void*>;
using SpmvAnalysis =
    Analysis<int, const void*>::With<const void*, const void*, void*, DataType, int, void*>;
using SpmmAnalysis =
    Analysis<int, int, const void*>::With<const void*, const void*, void*, DataType, int, void*>;

// --- Of a sparse vector and a dense one.
struct Spvv {
  using Function = int(void*, int, const void*, const void*, void*, DataType, void*);
  template <typename Release>
  static void describe(CallFacts& facts, const SparseTypes& types, void*, int op, const void* x,
                       const void* y, void*, DataType, void*) {
    facts.fact("trans_a", operation_word(op));
    write_sparse_vectors(facts, types.op, x, y);
  }
};
struct Axpby {
  using Function = int(void*, const void*, const void*, const void*, void*);
  template <typename Release>
  static void describe(CallFacts& facts, const SparseTypes& types, void*, const void* /*alpha*/,
                       const void* x, const void* /*beta*/, void* y) {
    write_sparse_vectors(facts, types.op, x, y);
  }
};
struct Gather {
  using Function = int(void*, const void*, void*);
  template <typename Release>
  static void describe(CallFacts& facts, const SparseTypes& types, void*, const void* y, void* x) {
    write_sparse_vectors(facts, types.op, x, y);
  }
};
struct Scatter {
  using Function = int(void*, const void*, void*);
  template <typename Release>
  static void describe(CallFacts& facts, const SparseTypes& types, void*, const void* x, void* y) {
    write_sparse_vectors(facts, types.op, x, y);
  }
};

// --- Tridiagonal systems of m equations, and factors of a matrix with its own nonzeros.
/// Systems with n right-hand sides.
struct Gtsv {
  using Function = int(void*, int, int, const void*, const void*, const void*, void*, int, void*);
  template <typename Release>
  static void describe(CallFacts& facts, const SparseTypes& types, void*, int m, int n, const void*,
                       const void*, const void*, void*, int ldb, void*) {
    facts.op(types.op);
    facts.matrix({types.type, false, 3, m, Batch::kUnknown});
    facts.matrix({types.type, false, m, n, ldb});
  }
};
/// Several systems with one right-hand side each.
struct GtsvBatched {
  using Function = int(void*, int, const void*, const void*, const void*, void*, int, int, void*);
  template <typename Release>
  static void describe(CallFacts& facts, const SparseTypes& types, void*, int m, const void*,
                       const void*, const void*, void*, int batch, int stride, void*) {
    facts.op(types.op);
    facts.matrix({types.type, false, 3, m, Batch::kUnknown, {batch}});
    facts.matrix({types.type, false, m, 1, m, {batch, stride}});
  }
};
struct Incomplete {
  using Function = int(void*, int, int, const void*, void*, const void*, const void*, void*, int,
                       void*);
  template <typename Release>
  static void describe(CallFacts& facts, const SparseTypes& types, void*, int m, int nnz,
                       const void*, void*, const void*, const void*, void*, int, void*) {
    facts.op(types.op);
    facts.fact("a_nnz", std::int64_t{nnz});
    facts.fact("a_format", "csr");
    facts.matrix({types.type, false, m, m, Batch::kUnknown});
  }
};

struct SpsmSolve {
  using Function = int(void*, int, int, const void*, const void*, const void*, void*, DataType, int,
                       void*);
  template <typename Release>
  static void describe(CallFacts& facts, const SparseTypes& types, void*, int op_a, int op_b,
                       const void* /*alpha*/, const void* a, const void* b, void* c, DataType, int,
                       void*) {
    write_sparse_product(facts, types.op, op_a, op_b, a, read_matrix(b), read_matrix(c));
  }
};

struct SpsvSolve {
  using Function = int(void*, int, const void*, const void*, const void*, void*, DataType, int,
                       void*);
  template <typename Release>
  static void describe(CallFacts& facts, const SparseTypes& types, void*, int op_a,
                       const void* /*alpha*/, const void* a, const void* x, void* y, DataType, int,
                       void*) {
    write_sparse_product(facts, types.op, op_a, 0, a, read_vector(x), read_vector(y));
  }
};

struct SparseToDense {
  using Function = int(void*, const void*, void*, int, void*);
  template <typename Release>
  static void describe(CallFacts& facts, const SparseTypes& types, void*, const void* a, void* b,
                       int, void*) {
    facts.op(types.op);
    const SparseOperand sparse(facts, "a_nnz", "a_format", a);
    const DenseOperand dense = read_matrix(b);
    sparse.write(facts, dense.type);
    dense.write(facts);
  }
};

struct DenseToSparse {
  using Function = int(void*, const void*, void*, int, void*);
  template <typename Release>
  static void describe(CallFacts& facts, const SparseTypes& types, void*, const void* a, void* b,
                       int, void*) {
    facts.op(types.op);
    const SparseOperand sparse(facts, "b_nnz", "b_format", b);
    const DenseOperand dense = read_matrix(a);
    dense.write(facts);
    sparse.write(facts, dense.type);
  }
};

/// Conversion of the compressed rows of an m x n matrix to compressed columns.
struct Csr2csc {
  using Function = int(void*, int, int, int, const void*, const void*, const void*, void*, void*,
                       void*, DataType, int, int, int, void*);
  template <typename Release>
  static void describe(CallFacts& facts, const SparseTypes& types, void*, int m, int n, int nnz,
                       const void*, const void*, const void*, void*, void*, void*, DataType type,
                       int, int, int, void*) {
    facts.op(types.op);
    facts.fact("a_nnz", std::int64_t{nnz});
    facts.matrix({type, false, m, n, Batch::kUnknown});
  }
};

}  // namespace prof::collectors
