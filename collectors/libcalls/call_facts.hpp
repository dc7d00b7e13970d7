// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The request that a library call makes, as the arguments of an op
// (collectors/ops/op_arguments.hpp). Facts of the host alone: memory behind device pointers is
// never read. Nothing is allocated or formatted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "collectors/ops/op_arguments.hpp"

namespace prof::collectors {

/// cudaDataType.
enum class DataType : std::int32_t {
  kUnknown = -1,  ///< None of the numbers of cudaDataType.
  kBool = -2,     ///< Not in cudaDataType either; cuDNN has it.
  kR32F = 0,
  kR64F = 1,
  kR16F = 2,
  kC32F = 4,
  kC64F = 5,
  kC16F = 6,
  kR32I = 10,
  kR16BF = 14,
  kC16BF = 15,
  kR64I = 24,
  kR4F = 33,
};

constexpr bool is_complex(DataType type) {
  using enum DataType;
  return type == kC32F || type == kC64F || type == kC16F || type == kC16BF;
}

/// cublasOperation_t, and cusparseOperation_t, which has all but the last.
constexpr const char* operation_word(int operation) {
  constexpr const char* kWords[] = {"n", "t", "c", "conj"};
  return operation >= 0 && operation < 4 ? kWords[operation] : "unknown";
}

/// Number and distance of the matrices that a batched call has in place of one.
struct Batch {
  static constexpr std::int64_t kUnknown = INT64_MIN;
  std::int64_t count = -1;         ///< Negative: there is one matrix, and no such dimension.
  std::int64_t stride = kUnknown;  ///< In elements.
};

/// A matrix as the product sees it: op(X), column-major in memory unless `is_transposed`.
struct Matrix {
  DataType type;
  bool is_transposed = false;
  std::int64_t rows, columns;
  std::int64_t ld;  ///< Leading dimension in memory; Batch::kUnknown: its order has none.
  Batch batch = {};
};

class CallFacts {
 public:
  /// `source`: the library, as "cublas"; both are constants.
  CallFacts(std::span<std::byte> room, const char* source, const char* function) : to_(room) {
    to_.source(source);
    fact("function", std::string_view(function));
  }
  /// Facts that become a part of others, by append().
  explicit CallFacts(std::span<std::byte> room) : to_(room) {}

  void fact(std::string_view key, std::string_view word) {
    to_.fact(key);
    to_.text(word);
  }
  void fact(std::string_view key, std::int64_t number) {
    to_.fact(key);
    to_.integer(number);
  }
  void flag(std::string_view key, bool value) {
    to_.fact(key);
    to_.boolean(value);
  }
  void fact(std::string_view key, const char* word) { fact(key, std::string_view(word)); }
  void fact(std::string_view key, std::span<const std::int64_t> numbers) {
    to_.fact(key);
    to_.list(static_cast<std::uint32_t>(numbers.size()));
    for (const std::int64_t number : numbers) to_.integer(number);
  }

  /// Writes a matrix. To be called after all facts, in the order of the op's arguments.
  void matrix(const Matrix& matrix);
  /// A tensor of any number of dimensions, likewise. `strides` null: unknown.
  void tensor(DataType type, std::span<const std::int64_t> sizes,
              const std::int64_t* strides = nullptr);
  /// A vector. Each element is `increment` behind the one before it, or, if negative, ahead of it.
  void vector(DataType type, std::int64_t size, std::int64_t increment);
  void none() { to_.none(); }
  void unknown() { to_.unknown(); }
  /// Calls write(i) `count` times to write one list; the list is unknown if it does not fit.
  template <typename Write>
  void list(std::uint32_t count, Write write) {
    const std::size_t before = to_.size();
    to_.list(count);
    for (std::uint32_t i = 0; i < count && !to_.is_cut(); ++i) write(i);
    if (!to_.is_cut()) return;
    to_.rewind(before);
    to_.unknown();
  }

  /// Appends what another CallFacts has written; nothing of it if it does not fit.
  void append(std::span<const std::byte> part) { to_.append(part); }

  /// The op's name, a constant.
  void op(const char* name) { name_ = name; }
  [[nodiscard]] const char* op() const { return name_; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return to_.bytes(); }

 private:
  ArgumentWriter to_;
  const char* name_ = "";
};

}  // namespace prof::collectors
