// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Styles: how programs emphasize text on a terminal. Everything else, files and pipes above all,
// gets no escape sequences. A styled text is as wide as the same text without style.
#pragma once

#include <cstdint>
#include <string_view>

namespace prof::tools {

enum class Style : std::uint8_t { kBold, kDim, kYellow };

class Styles {
 public:
  /// Plain text.
  Styles() = default;
  /// For a terminal that shows styles.
  static Styles ansi() { return Styles(true); }
  /// For what a descriptor leads to: plain unless it is a terminal, and also if the variable
  /// NO_COLOR is not empty, or TERM is "dumb".
  static Styles of(int descriptor);

  // The sequences around a text; empty for plain text. Styles do not nest.
  [[nodiscard]] std::string_view begin(Style style) const;
  [[nodiscard]] std::string_view end() const { return on_ ? "\x1b[0m" : ""; }

 private:
  explicit Styles(bool on) : on_(on) {}

  bool on_ = false;
};

}  // namespace prof::tools
