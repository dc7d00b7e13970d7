// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Cells as bytes, see cell_bytes.hpp: the alternative's number, then its value; texts and lists
// begin with their sizes.
#include "tools/report/table/cell_bytes.hpp"

#include <type_traits>
#include <utility>

#include "tools/report/table/plain_bytes.hpp"

namespace prof::reports {
namespace {

void append_text(std::string_view text, std::string& bytes) {
  append_plain(text.size(), bytes);
  bytes += text;
}

std::string_view take_text(std::string_view& bytes) {
  const auto size = take_plain<std::size_t>(bytes);
  const std::string_view text = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return text;
}

struct Append {
  std::string& bytes;

  void operator()(std::string_view text) const { append_text(text, bytes); }
  void operator()(const Shapes& shapes) const {
    append_plain(shapes.tensors.size(), bytes);
    for (const Tensor& tensor : shapes.tensors) {
      append_text(tensor.name, bytes);
      append_plain(tensor.role, bytes);
      append_plain(tensor.dtype, bytes);
      append_plain(tensor.shape.size(), bytes);
      for (const std::int64_t size : tensor.shape) append_plain(size, bytes);
    }
  }
  void operator()(const Words& words) const {
    append_plain(words.pairs.size(), bytes);
    for (const WordPair& pair : words.pairs) {
      append_text(pair.key, bytes);
      append_text(pair.word, bytes);
    }
  }
  template <typename Plain>
  void operator()(const Plain& value) const {
    append_plain(value, bytes);
  }
};

Tensor take_tensor(std::string_view& bytes) {
  Tensor tensor;
  tensor.name = take_text(bytes);
  tensor.role = take_plain<Tensor::Role>(bytes);
  tensor.dtype = take_plain<DType>(bytes);
  tensor.shape.resize(take_plain<std::size_t>(bytes));
  for (std::int64_t& size : tensor.shape) size = take_plain<std::int64_t>(bytes);
  return tensor;
}

/// The value of the alternative `index`, which is one of plain data.
template <std::size_t at = 0>
Cell take_alternative(std::size_t index, std::string_view& bytes) {
  if constexpr (at < std::variant_size_v<Cell>) {
    using Value = std::variant_alternative_t<at, Cell>;
    if constexpr (std::is_trivially_copyable_v<Value> && !std::is_empty_v<Value>) {
      if (index == at) return Cell{std::in_place_index<at>, take_plain<Value>(bytes)};
    }
    return take_alternative<at + 1>(index, bytes);
  }
  return absent();
}

}  // namespace

void append_cell(const Cell& cell, std::string& bytes) {
  bytes += static_cast<char>(cell.index());
  std::visit(Append{bytes}, cell);
}

void CellReader::clear() {
  tensors_.clear();
  pairs_.clear();
}

Cell CellReader::take(std::string_view& bytes) {
  const auto index = static_cast<std::size_t>(take_plain<unsigned char>(bytes));
  if (index == Cell(std::string_view()).index()) {
    return Cell{std::in_place_type<std::string_view>, take_text(bytes)};
  }
  if (index == Cell(Shapes()).index()) {
    std::vector<Tensor> tensors(take_plain<std::size_t>(bytes));
    for (Tensor& tensor : tensors) tensor = take_tensor(bytes);
    return Shapes{tensors_.emplace_back(std::move(tensors))};
  }
  if (index == Cell(Words()).index()) {
    std::vector<WordPair> pairs(take_plain<std::size_t>(bytes));
    for (WordPair& pair : pairs) {
      pair.key = take_text(bytes);
      pair.word = take_text(bytes);
    }
    return Words{pairs_.emplace_back(std::move(pairs))};
  }
  return take_alternative(index, bytes);
}

}  // namespace prof::reports
