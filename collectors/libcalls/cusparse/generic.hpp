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

/// `op`: of the function, as "cusparse::spmm".
struct SparseTypes {
  const char* op;
};

/// Adds `X_nnz`, `X_format` of a sparse matrix to the facts, and keeps its sizes.
class SparseOperand {
 public:
  SparseOperand(CallFacts& facts, const char* nnz_key, const char* format_key,
                const void* descriptor);
  /// As an argument, after all facts.
  void write(CallFacts& facts, DataType type) const;

 private:
  std::int64_t rows_ = -1, columns_ = -1;
};

/// A dense matrix, or a vector as one of one column. Negative sizes: the library does not say.
struct DenseOperand {
  std::int64_t rows = -1, columns = -1, ld = -1;
  DataType type = DataType::kUnknown;
  bool is_row_major = false;

  void write(CallFacts& facts) const;
};
DenseOperand read_matrix(const void* descriptor);
DenseOperand read_vector(const void* descriptor);

void state_products(CallFacts& facts, int op_a, int op_b);
/// A sparse matrix times a dense one, or a system of equations of it: C is the result.
void write_sparse_product(CallFacts& facts, const char* op, int op_a, int op_b, const void* a,
                          const DenseOperand& b, const DenseOperand& c);

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

/// C, which is sparse, of dense A and B.
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

/// Of C the size is known when the product is there.
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

/// Compressed rows of an m x n matrix to compressed columns.
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
