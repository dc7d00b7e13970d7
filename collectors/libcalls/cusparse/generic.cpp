// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/libcalls/cusparse/generic.hpp"

namespace prof::collectors {
namespace {

constexpr auto kUnknownType = static_cast<DataType>(-1);

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

/// cusparseOperation_t.
const char* operation_word(int operation) {
  return operation == 0 ? "n" : operation == 1 ? "t" : operation == 2 ? "c" : "unknown";
}

struct Dense {
  std::int64_t rows = 0, columns = 0, ld = 0;
  DataType type = kUnknownType;
  int order = 1;  ///< cusparseOrder_t: 1 column-major, 2 row-major.
};

/// Nothing where the library refuses its descriptor.
bool read_dense(const void* descriptor, Dense& read) {
  using Get =
      int(const void*, std::int64_t*, std::int64_t*, std::int64_t*, const void**, DataType*, int*);
  static constinit RealFunction real{"cusparseConstDnMatGet", kCusparse};
  auto* const get = real.as<Get>();
  const void* values = nullptr;
  return get != nullptr && descriptor != nullptr &&
         get(descriptor, &read.rows, &read.columns, &read.ld, &values, &read.type, &read.order) ==
             0;
}

bool read_vector(const void* descriptor, std::int64_t& size, DataType& type) {
  using Get = int(const void*, std::int64_t*, const void**, DataType*);
  static constinit RealFunction real{"cusparseConstDnVecGet", kCusparse};
  auto* const get = real.as<Get>();
  const void* values = nullptr;
  return get != nullptr && descriptor != nullptr && get(descriptor, &size, &values, &type) == 0;
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

DataType type_of_dense(const void* descriptor) {
  Dense read;
  return read_dense(descriptor, read) ? read.type : kUnknownType;
}

DataType type_of_vector(const void* descriptor) {
  std::int64_t size = 0;
  DataType type = kUnknownType;
  return read_vector(descriptor, size, type) ? type : kUnknownType;
}

void write_dense(CallFacts& facts, const void* descriptor) {
  Dense read;
  if (!read_dense(descriptor, read)) read.rows = -1;
  facts.matrix({read.type, read.order == 2, read.rows, read.columns, read.ld});
}

void write_vector(CallFacts& facts, const void* descriptor) {
  std::int64_t size = 0;
  DataType type = kUnknownType;
  if (!read_vector(descriptor, size, type)) size = -1;
  facts.matrix({type, false, size, 1, size});
}

void state_products(CallFacts& facts, int op_a, int op_b) {
  facts.fact("trans_a", operation_word(op_a));
  facts.fact("trans_b", operation_word(op_b));
}

}  // namespace prof::collectors
