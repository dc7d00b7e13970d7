// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The protocol between prof-run --pid and the collector: one packet there, one packet back, over a
// socket (SOCK_SEQPACKET) that control_folder.hpp names. A request is "prof1 WORD". An answer is
// "ok TEXT" or "error TEXT", where TEXT is for the user. A later protocol has another prefix. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace prof {

inline constexpr std::array<std::string_view, 4> kControlWords = {"start", "stop", "flush",
                                                                  "status"};
inline constexpr std::string_view kControlWordsExpected = "start, stop, flush or status";
inline constexpr std::string_view kControlProtocol = "prof1 ";
inline constexpr std::size_t kMaxControlRequest = 256, kMaxControlAnswer = 4096;

inline bool is_control_word(std::string_view word) {
  return std::find(kControlWords.begin(), kControlWords.end(), word) != kControlWords.end();
}

inline std::string control_request(std::string_view word) {
  return std::string(kControlProtocol).append(word);
}

/// The word of a request; none: unknown.
inline std::optional<std::string_view> read_control_request(std::string_view request) {
  if (!request.starts_with(kControlProtocol)) return std::nullopt;
  request.remove_prefix(kControlProtocol.size());
  return is_control_word(request) ? std::optional(request) : std::nullopt;
}

inline std::string control_ok(std::string_view text) { return std::string("ok ").append(text); }
inline std::string control_error(std::string_view text) {
  return std::string("error ").append(text);
}

struct ControlAnswer {
  bool is_ok = false;
  std::string_view text;
};

/// None: malformed.
inline std::optional<ControlAnswer> read_control_answer(std::string_view answer) {
  while (answer.ends_with('\n')) answer.remove_suffix(1);
  for (const std::string_view word : {"ok", "error"}) {
    if (!answer.starts_with(word)) continue;
    std::string_view text = answer.substr(word.size());
    if (!text.empty() && !text.starts_with(' ')) continue;
    text.remove_prefix(text.empty() ? 0 : 1);
    return ControlAnswer{word == "ok", text};
  }
  return std::nullopt;
}

}  // namespace prof
