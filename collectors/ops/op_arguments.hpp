// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The arguments of an op as bytes, in the order of its schema: written while the op begins, read
// when its signature is made (docs/op_facts.md). Equal arguments have equal bytes. Native byte
// order; nothing outlives the process. Neither class allocates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace prof::collectors {

/// kFact and kSource are no arguments: a fact is a name, followed by the argument that is its
/// value; a source is the library that states the op, if it is not torch.
enum class ArgumentKind : std::uint8_t {
  kUnknown,
  kNone,
  kTensor,
  kInt,
  kDouble,
  kBool,
  kList,
  kText,
  kFact,
  kSource
};

/// Torch's names, without `torch.`; the order is libprof's own.
// clang-format off
#define PROF_DTYPES(X)                                                                  \
  X(uint8) X(int8) X(int16) X(int32) X(int64) X(uint16) X(uint32) X(uint64)                   \
  X(float16) X(bfloat16) X(float32) X(float64) X(float8_e4m3fn) X(float8_e4m3fnuz)            \
  X(float8_e5m2) X(float8_e5m2fnuz) X(float8_e8m0fnu) X(float4_e2m1fn_x2)                     \
  X(complex32) X(complex64) X(complex128) X(bool)
// clang-format on
inline constexpr std::string_view kDtypeNames[] = {
#define PROF_DTYPE_NAME(name) #name,
    PROF_DTYPES(PROF_DTYPE_NAME)
#undef PROF_DTYPE_NAME
};
inline constexpr std::uint8_t kUnknownDtype = 0xff;

/// Writes into memory of its owner. Arguments that do not fit are left out: the list, or the
/// argument and all after it, is unknown.
class ArgumentWriter {
 public:
  explicit ArgumentWriter(std::span<std::byte> room) : room_(room) {}

  void unknown() { put_kind(ArgumentKind::kUnknown); }
  void none() { put_kind(ArgumentKind::kNone); }
  void integer(std::int64_t value) { scalar(ArgumentKind::kInt, value); }
  void real(double value) { scalar(ArgumentKind::kDouble, value); }
  void boolean(bool value) { scalar(ArgumentKind::kBool, static_cast<std::uint8_t>(value)); }
  /// Writes at most 255 bytes of the text.
  void text(std::string_view value) { words(ArgumentKind::kText, value); }
  /// Makes the following argument the fact of that name.
  void fact(std::string_view name) { words(ArgumentKind::kFact, name); }
  void source(std::string_view name) { words(ArgumentKind::kSource, name); }
  /// `strides` null: unknown.
  void tensor(std::uint8_t dtype, const std::int64_t* sizes, const std::int64_t* strides,
              std::uint32_t dimensions);
  /// Begins a list: the `count` arguments that follow are its elements.
  void list(std::uint32_t count) { scalar(ArgumentKind::kList, count); }

  /// Appends the bytes of another writer; nothing if they do not fit.
  void append(std::span<const std::byte> written) { put(written.data(), written.size()); }

  [[nodiscard]] std::span<const std::byte> bytes() const { return room_.first(used_); }
  /// Whether something was left out.
  [[nodiscard]] bool is_cut() const { return is_cut_; }
  [[nodiscard]] std::size_t size() const { return used_; }
  /// Discards everything written since size() was `size`.
  void rewind(std::size_t size) {
    used_ = size;
    is_cut_ = false;
  }

 private:
  void put_kind(ArgumentKind kind) { put(&kind, sizeof kind); }
  template <typename Value>
  void scalar(ArgumentKind kind, Value value) {
    if (!has_room(1 + sizeof value)) return;
    put_kind(kind);
    put(&value, sizeof value);
  }
  void words(ArgumentKind kind, std::string_view text) {
    const auto bytes = static_cast<std::uint8_t>(text.size() < 255 ? text.size() : 255);
    if (!has_room(2 + std::size_t{bytes})) return;
    put_kind(kind);
    put(&bytes, sizeof bytes);
    put(text.data(), bytes);
  }
  bool has_room(std::size_t bytes) {
    if (is_cut_ || room_.size() - used_ < bytes) is_cut_ = true;
    return !is_cut_;
  }
  void put(const void* bytes, std::size_t count) {
    // An empty list has no address, and memcpy() does not accept null.
    if (count == 0 || !has_room(count)) return;
    std::memcpy(room_.data() + used_, bytes, count);
    used_ += count;
  }

  std::span<std::byte> room_;
  std::size_t used_ = 0;
  bool is_cut_ = false;
};

/// The signature of an op, as JSON. Damaged bytes end the arguments.
std::string signature_of(std::string_view name, bool is_backward, std::span<const std::byte> bytes);

}  // namespace prof::collectors
