// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/libcalls/cusparse/generic.hpp"

#include "collectors/libcalls/real_function.hpp"

namespace prof::collectors {
namespace {

constexpr char kCusparse[] = "libcusparse.so.12";

/// cusparseFormat_t.
const char* format_word(int format) {
  switch (format) {
    case 1:
      return "csr";
    case 2:
      return "csc";
    case 3:
      return "coo";
    case 5:
      return "blocked_ell";
    case 6:
      return "bsr";
    case 7:
      return "sliced_ellpack";
    default:
      return "unknown";
  }
}

}  // namespace

SparseOperand::SparseOperand(CallFacts& facts, const char* nnz_key, const char* format_key,
                             const void* descriptor) {
  static constinit RealFunction of_size{"cusparseSpMatGetSize", kCusparse},
      of_format{"cusparseSpMatGetFormat", kCusparse};
  auto* const get_size =
      of_size.as<int(const void*, std::int64_t*, std::int64_t*, std::int64_t*)>();
  auto* const get_format = of_format.as<int(const void*, int*)>();
  if (get_size == nullptr || get_format == nullptr || descriptor == nullptr) return;
  std::int64_t nnz = 0;
  int format = 0;
  if (get_size(descriptor, &rows_, &columns_, &nnz) != 0) {
    rows_ = columns_ = -1;
    return;
  }
  facts.fact(nnz_key, nnz);
  if (get_format(descriptor, &format) == 0) facts.fact(format_key, format_word(format));
}

void SparseOperand::write(CallFacts& facts, DataType type) const {
  facts.matrix({type, false, rows_, columns_, Batch::kUnknown});
}

DenseOperand read_matrix(const void* descriptor) {
  using Get =
      int(const void*, std::int64_t*, std::int64_t*, std::int64_t*, const void**, DataType*, int*);
  static constinit RealFunction real{"cusparseConstDnMatGet", kCusparse};
  auto* const get = real.as<Get>();
  DenseOperand read;
  const void* values = nullptr;
  int order = 0;
  if (get == nullptr || descriptor == nullptr ||
      get(descriptor, &read.rows, &read.columns, &read.ld, &values, &read.type, &order) != 0) {
    return {};
  }
  read.is_row_major = order == 2;  // CUSPARSE_ORDER_ROW
  return read;
}

DenseOperand read_vector(const void* descriptor) {
  using Get = int(const void*, std::int64_t*, const void**, DataType*);
  static constinit RealFunction real{"cusparseConstDnVecGet", kCusparse};
  auto* const get = real.as<Get>();
  DenseOperand read;
  const void* values = nullptr;
  if (get == nullptr || descriptor == nullptr ||
      get(descriptor, &read.rows, &values, &read.type) != 0) {
    return {};
  }
  read.columns = 1;
  read.ld = read.rows;
  return read;
}

void DenseOperand::write(CallFacts& facts) const {
  facts.matrix({type, is_row_major, rows, columns, ld});
}

void state_products(CallFacts& facts, int op_a, int op_b) {
  facts.fact("trans_a", operation_word(op_a));
  facts.fact("trans_b", operation_word(op_b));
}

void write_sparse_product(CallFacts& facts, const char* op, int op_a, int op_b, const void* a,
                          const DenseOperand& b, const DenseOperand& c) {
  facts.op(op);
  state_products(facts, op_a, op_b);
  const SparseOperand sparse(facts, "a_nnz", "a_format", a);
  sparse.write(facts, b.type);
  b.write(facts);
  c.write(facts);
}

SparseVector::SparseVector(CallFacts& facts, const void* descriptor) {
  using Get = int(const void*, std::int64_t*, std::int64_t*, const void**, const void**, int*, int*,
                  DataType*);
  static constinit RealFunction real{"cusparseConstSpVecGet", kCusparse};
  auto* const get = real.as<Get>();
  const void *indices = nullptr, *values = nullptr;
  std::int64_t nnz = 0;
  int index_type = 0, base = 0;
  if (get == nullptr || descriptor == nullptr ||
      get(descriptor, &size_, &nnz, &indices, &values, &index_type, &base, &type_) != 0) {
    size_ = -1;
    return;
  }
  facts.fact("a_nnz", nnz);
}

void SparseVector::write(CallFacts& facts) const {
  facts.matrix({type_, false, size_, 1, Batch::kUnknown});
}

void write_sparse_pair(CallFacts& facts, const char* op, int op_a, int op_b, const void* a,
                       const void* b) {
  facts.op(op);
  state_products(facts, op_a, op_b);
  const SparseOperand left(facts, "a_nnz", "a_format", a), right(facts, "b_nnz", "b_format", b);
  left.write(facts, DataType::kUnknown);
  right.write(facts, DataType::kUnknown);
}

void write_sparse_vectors(CallFacts& facts, const char* op, const void* x, const void* y) {
  facts.op(op);
  const SparseVector sparse(facts, x);
  sparse.write(facts);
  read_vector(y).write(facts);
}

}  // namespace prof::collectors
