// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/table/owned_cells.hpp"

#include <algorithm>
#include <string>

#include "tools/report/table/value_text.hpp"

namespace prof::reports {
namespace {

std::size_t text_bytes(const Cell& cell) {
  if (const auto* text = std::get_if<std::string_view>(&cell)) return text->size();
  std::size_t bytes = 0;
  if (const auto* words = std::get_if<Words>(&cell)) {
    for (const WordPair& pair : words->pairs) bytes += pair.key.size() + pair.word.size();
  }
  return bytes;
}

std::string text_in(const Cell& cell) {
  if (const auto* text = std::get_if<std::string_view>(&cell)) return std::string(*text);
  std::string json;
  append_json(cell, json);
  return json;
}

}  // namespace

std::optional<long double> number_in(const Cell& cell) {
  struct Number {
    std::optional<long double> operator()(bool value) const { return value ? 1 : 0; }
    std::optional<long double> operator()(std::int64_t value) const { return value; }
    std::optional<long double> operator()(std::uint64_t value) const { return value; }
    std::optional<long double> operator()(double value) const { return value; }
    std::optional<long double> operator()(AtLeast value) const { return value.value; }
    std::optional<long double> operator()(Estimate value) const { return value.value; }
    std::optional<long double> operator()(Decimal value) const {
      long double scaled = static_cast<long double>(value.scaled);
      for (int i = 0; i < value.decimals; ++i) scaled /= 10;
      return scaled;
    }
    std::optional<long double> operator()(Absent) const { return {}; }
    std::optional<long double> operator()(std::string_view) const { return {}; }
    std::optional<long double> operator()(const Dim3&) const { return {}; }
    std::optional<long double> operator()(const Shapes&) const { return {}; }
    std::optional<long double> operator()(const Words&) const { return {}; }
  };
  return std::visit(Number{}, cell);
}

OwnedCells::OwnedCells(std::span<const Cell> cells) : cells_(cells.begin(), cells.end()) {
  std::size_t bytes = 0;
  for (const Cell& cell : cells) bytes += text_bytes(cell);
  texts_ = std::make_unique<char[]>(bytes);
  char* at = texts_.get();
  const auto keep = [&at](std::string_view text) {
    char* const begin = at;
    at = std::copy(text.begin(), text.end(), at);
    return std::string_view(begin, text.size());
  };
  for (Cell& cell : cells_) {
    if (auto* text = std::get_if<std::string_view>(&cell)) {
      *text = keep(*text);
    } else if (auto* shapes = std::get_if<Shapes>(&cell)) {
      tensors_.emplace_back(shapes->tensors.begin(), shapes->tensors.end());
      shapes->tensors = tensors_.back();
    } else if (auto* words = std::get_if<Words>(&cell)) {
      auto& pairs = pairs_.emplace_back(words->pairs.begin(), words->pairs.end());
      for (WordPair& pair : pairs) pair = {keep(pair.key), keep(pair.word)};
      words->pairs = pairs;
    }
  }
}

int compare_cells(const Cell& a, const Cell& b) {
  const bool no_a = std::holds_alternative<Absent>(a);
  const bool no_b = std::holds_alternative<Absent>(b);
  if (no_a || no_b) return static_cast<int>(no_a) - static_cast<int>(no_b);
  const auto number_a = number_in(a), number_b = number_in(b);
  if (number_a && number_b) {
    return static_cast<int>(*number_a > *number_b) - static_cast<int>(*number_a < *number_b);
  }
  if (number_a || number_b) return number_a ? -1 : 1;
  const auto* text_a = std::get_if<std::string_view>(&a);
  const auto* text_b = std::get_if<std::string_view>(&b);
  const int order = text_a != nullptr && text_b != nullptr ? text_a->compare(*text_b)
                                                           : text_in(a).compare(text_in(b));
  return static_cast<int>(order > 0) - static_cast<int>(order < 0);
}

}  // namespace prof::reports
