// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of matrix-product kernel names: words between underscores, sizes such as 128x256x64,
// and dtypes such as f16, e4m3 or ue4m3xf4. Pure functions of any bytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "analyzers/model/attribution.hpp"

namespace prof::kernels {

/// Iterates over the words of a name: runs of letters and digits.
class NameWords {
 public:
  explicit NameWords(std::string_view text) : rest_(text) {}
  /// The next word; empty at the end.
  std::string_view next();

 private:
  std::string_view rest_;
};

/// The identifier in `text` (letters, digits, underscores) that contains `part`; empty if none
/// does.
std::string_view identifier_with(std::string_view text, std::string_view part);

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Sizes joined by 'x': 128x64, 64x128x16, 128x128x64x1.
struct Sizes {
  std::array<std::int32_t, 4> value{};
  std::uint8_t count = 0;
};

/// The sizes if `word` consists of two to four sizes.
std::optional<Sizes> whole_sizes(std::string_view word);
/// Sizes at the start of `word`; removes them from it.
std::optional<Sizes> take_sizes(std::string_view& word);
/// A decimal number at the start of `word`; removes it. Nullopt if there is none or it is too large
/// to be a size.
std::optional<std::int32_t> take_number(std::string_view& word);

/// With two sizes, k is absent.
BlockShape to_block(const Sizes& sizes);

/// One dtype at the start of `word`; removes it.
std::optional<DType> take_dtype(std::string_view& word);
/// The dtype if `word` is one; for a block-scaled one (ue8m0xe4m3: scale x element) the element's.
/// kUnknown is a valid result: f8 stands for any 8-bit float.
std::optional<DType> whole_dtype(std::string_view word);

/// "nn", "nt", "tn", "tt" for a word that starts with it in either case, followed by at most one n
/// or t; otherwise empty.
std::string_view layout_of(std::string_view word);

}  // namespace prof::kernels
