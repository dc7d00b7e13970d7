// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Names that profilers give the memories of a copy, such as "Device Static", in any case.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "libprof/base/ascii.hpp"
#include "libprof/model/records.hpp"

namespace prof::importers {

/// The place of a word in a list; 0, which stands for unknown, if it is not there.
template <typename Words>
std::uint8_t place_of(const Words& words, std::string_view word) {
  const auto* const found = std::ranges::find(words, word);
  return found == words.end() ? 0 : static_cast<std::uint8_t>(found - words.begin());
}

inline MemoryKind memory_of(std::string_view words) {
  std::string word = lower(words);
  std::ranges::replace(word, ' ', '_');
  return static_cast<MemoryKind>(place_of(EnumWords<MemoryKind>::kWords, word));
}

}  // namespace prof::importers
