// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/table/tensor_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "tools/common/words.hpp"

namespace prof::reports {
namespace {

struct TensorCount {
  std::size_t tensors = 0;
  double elements = 0;
  std::size_t length = 0;  ///< Bytes of the list's text.
};

/// "28.6 M elements".
std::string elements_text(double elements) {
  constexpr std::array<std::string_view, 5> kUnits = {"", "k ", "M ", "G ", "T "};
  std::size_t unit = 0;
  // 999.5 would be rounded to four digits.
  while (elements >= 999.5 && unit + 1 < kUnits.size()) {
    elements /= 1000;
    ++unit;
  }
  const int decimals = unit == 0 || elements >= 99.95 ? 0 : elements >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}element{}", elements, decimals, kUnits[unit],
                     unit == 0 && elements == 1 ? "" : "s");
}

std::string to_text(const TensorCount& count) {
  return fmt::format("[{} tensors, {}]", count.tensors, elements_text(count.elements));
}

/// The elements of a tensor whose shape is written as "64,3,7,7".
std::optional<double> elements_of(std::string_view sizes) {
  double elements = 1;
  while (!sizes.empty()) {
    const std::size_t end = std::min(sizes.find(','), sizes.size());
    const auto size = tools::parse_number<std::uint64_t>(sizes.substr(0, end));
    if (!size) return std::nullopt;
    elements *= static_cast<double>(*size);
    sizes.remove_prefix(std::min(end + 1, sizes.size()));
  }
  return elements;
}

/// The list of shapes that `text` begins with: "[(64,3),(64)]".
std::optional<TensorCount> list_at(std::string_view text) {
  TensorCount count;
  std::size_t at = 1;
  while (at < text.size() && text[at] == '(') {
    const std::size_t end = text.find(')', at);
    if (end >= text.size()) return std::nullopt;
    const auto elements = elements_of(text.substr(at + 1, end - at - 1));
    if (!elements) return std::nullopt;
    ++count.tensors;
    count.elements += *elements;
    at = end + 1;
    if (at < text.size() && text[at] == ',') ++at;
  }
  if (at >= text.size() || text[at] != ']') return std::nullopt;
  count.length = at + 1;
  return count;
}

}  // namespace

std::string with_short_lists(std::string_view text) {
  std::string made;
  for (std::size_t at = text.find('['); at < text.size(); at = text.find('[')) {
    const auto list = list_at(text.substr(at));
    const bool is_long = list && list->tensors > kLongestList;
    made.append(text.substr(0, at)).append(is_long ? to_text(*list) : "[");
    text.remove_prefix(at + (is_long ? list->length : 1));
  }
  return made.append(text);
}

std::string counted_tensors(std::span<const Tensor> tensors) {
  TensorCount count{.tensors = tensors.size()};
  for (const Tensor& tensor : tensors) {
    double elements = 1;
    for (const auto size : tensor.shape) elements *= static_cast<double>(size);
    count.elements += elements;
  }
  return to_text(count);
}

}  // namespace prof::reports
