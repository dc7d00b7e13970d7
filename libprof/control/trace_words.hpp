// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What a capture records besides CUDA and NVTX, in words: PROF_TRACE and prof-run --trace. Pure.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace prof {

struct TraceWords {
  std::int64_t device_interval_ns = 1'000'000'000;  ///< Of device states; 0: none.
};

inline constexpr std::string_view kTraceWordsExpected =
    "device, device=INTERVAL (from 10ms to 3600s) or no-device";

/// "100ms", "2s".
inline std::optional<std::int64_t> parse_interval(std::string_view text) {
  constexpr std::int64_t kShortestMs = 10, kLongestMs = 3'600'000;
  std::int64_t ms = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ms);
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (error != std::errc() || ms > kLongestMs || (unit != "ms" && unit != "s")) return {};
  if (unit == "s") ms *= 1'000;
  if (ms < kShortestMs || ms > kLongestMs) return {};
  return ms * 1'000'000;
}

/// Words separated by commas, of which the last one counts. False: not understood, and `result` is
/// unchanged.
inline bool parse_trace_words(std::string_view words, TraceWords& result) {
  constexpr std::string_view kInterval = "device=";
  TraceWords read = result;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(','));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    if (word == "device") {
      read.device_interval_ns = TraceWords().device_interval_ns;
    } else if (word == "no-device") {
      read.device_interval_ns = 0;
    } else {
      const auto given = word.starts_with(kInterval) ? parse_interval(word.substr(kInterval.size()))
                                                     : std::nullopt;
      if (!given) return false;
      read.device_interval_ns = *given;
    }
  }
  result = read;
  return true;
}

}  // namespace prof
