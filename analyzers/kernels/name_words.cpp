// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See name_words.hpp.
#include "analyzers/kernels/name_words.hpp"

#include <charconv>

#include "libprof/base/ascii.hpp"

namespace prof::kernels {
namespace {

// Larger numbers are not tile sizes.
constexpr std::int32_t kMaxSize = 1 << 16;

struct DTypeWord {
  std::string_view word;
  DType dtype;
};

// As cuBLAS, cuDNN and CUTLASS write them. A word precedes its own prefixes.
constexpr DTypeWord kDTypeWords[] = {
    {"bfloat16", DType::kBFloat16}, {"bf16", DType::kBFloat16},   {"tf32", DType::kTFloat32},
    {"e4m3", DType::kFloat8E4M3},   {"e5m2", DType::kFloat8E5M2}, {"e2m1", DType::kFloat4E2M1},
    {"fp16", DType::kFloat16},      {"fp32", DType::kFloat32},    {"fp64", DType::kFloat64},
    {"f16", DType::kFloat16},       {"f32", DType::kFloat32},     {"f64", DType::kFloat64},
    {"f8", DType::kUnknown},        {"f4", DType::kFloat4E2M1},   {"cf32", DType::kComplex64},
    {"cf64", DType::kComplex128},   {"int32", DType::kInt32},     {"int8", DType::kInt8},
    {"s32", DType::kInt32},         {"i32", DType::kInt32},       {"s8", DType::kInt8},
    {"i8", DType::kInt8},           {"u8", DType::kUint8},        {"void", DType::kUnknown},
};

bool is_word_char(char c) { return is_letter(c) || is_digit(c); }

}  // namespace

std::string_view NameWords::next() {
  while (!rest_.empty() && !is_word_char(rest_.front())) rest_.remove_prefix(1);
  std::size_t length = 0;
  while (length < rest_.size() && is_word_char(rest_[length])) ++length;
  const std::string_view word = rest_.substr(0, length);
  rest_.remove_prefix(length);
  return word;
}

std::string_view identifier_with(std::string_view text, std::string_view part) {
  const std::size_t at = text.find(part);
  if (at == std::string_view::npos) return {};
  std::size_t start = at;
  while (start > 0 && is_word(text[start - 1])) --start;
  std::size_t end = at + part.size();
  while (end < text.size() && is_word(text[end])) ++end;
  return text.substr(start, end - start);
}

std::optional<std::int32_t> take_number(std::string_view& word) {
  if (word.empty() || word.front() < '0' || word.front() > '9') return std::nullopt;
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || value > kMaxSize) return std::nullopt;
  word.remove_prefix(static_cast<std::size_t>(end - word.data()));
  return value;
}

std::optional<Sizes> take_sizes(std::string_view& word) {
  Sizes sizes;
  std::string_view rest = word;
  while (sizes.count < sizes.value.size()) {
    std::string_view next = rest;
    if (sizes.count > 0) {
      if (!next.starts_with('x')) break;
      next.remove_prefix(1);
    }
    const auto number = take_number(next);
    if (!number || *number == 0) break;
    sizes.value[sizes.count++] = *number;
    rest = next;
  }
  if (sizes.count < 2) return std::nullopt;
  word = rest;
  return sizes;
}

std::optional<Sizes> whole_sizes(std::string_view word) {
  const auto sizes = take_sizes(word);
  return word.empty() ? sizes : std::nullopt;
}

BlockShape to_block(const Sizes& sizes) {
  BlockShape shape{sizes.value[0], sizes.value[1], std::nullopt};
  if (sizes.count > 2) shape.k = sizes.value[2];
  return shape;
}

std::optional<DType> take_dtype(std::string_view& word) {
  for (const DTypeWord& known : kDTypeWords) {
    if (!word.starts_with(known.word)) continue;
    word.remove_prefix(known.word.size());
    return known.dtype;
  }
  return std::nullopt;
}

std::optional<DType> whole_dtype(std::string_view word) {
  if (word.starts_with("ue4m3x") || word.starts_with("ue8m0x")) word.remove_prefix(6);
  const auto dtype = take_dtype(word);
  return word.empty() ? dtype : std::nullopt;
}

std::string_view layout_of(std::string_view word) {
  if (word.size() < 2 || word.size() > 3) return {};
  for (const char c : word) {
    if (lower(c) != 'n' && lower(c) != 't') return {};
  }
  const bool a = lower(word[0]) == 't';
  const bool b = lower(word[1]) == 't';
  return a ? (b ? "tt" : "tn") : (b ? "nt" : "nn");
}

}  // namespace prof::kernels
