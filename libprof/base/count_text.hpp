// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Formats counts for messages. Any thread; allocates.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace prof {

/// "1,234,567".
inline std::string grouped(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

/// "1 kernel", "1,234 kernels".
inline std::string count_text(std::uint64_t count, std::string_view one, std::string_view many) {
  return grouped(count).append(" ").append(count == 1 ? one : many);
}

/// "1234 kernels": for the collector's messages, which scripts read.
inline std::string count_text_plain(std::uint64_t count, std::string_view one,
                                    std::string_view many) {
  return std::to_string(count).append(" ").append(count == 1 ? one : many);
}

}  // namespace prof
