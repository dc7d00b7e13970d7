// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Texts of formats that must be UTF-8, as protocol buffers: a trace keeps names as the program
// passed them.
#pragma once

#include <string>
#include <string_view>

#include "tools/common/unicode.hpp"

namespace prof::exports {

/// The text, or a copy in `made` where bytes that are not UTF-8 are U+FFFD.
inline std::string_view utf8_text(std::string_view text, std::string& made) {
  if (tools::is_plain_ascii(text)) return text;
  made.clear();
  while (!text.empty()) {
    const tools::Utf8Step step = tools::utf8_step(text);
    made.append(step.valid ? text.substr(0, step.length) : std::string_view("\xEF\xBF\xBD"));
    text.remove_prefix(step.length);
  }
  return made;
}

}  // namespace prof::exports
