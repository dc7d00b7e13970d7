// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What a capture records besides CUDA and NVTX, in words: PROF_TRACE and prof-run --trace. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prof {

/// Libraries of which the calls may be recorded; libprof_WORD.so wraps each.
inline constexpr std::array<std::string_view, 5> kCallLibraries = {"cublas", "cudnn", "cufft",
                                                                   "cusolver", "cusparse"};

struct TraceWords {
  std::int64_t device_interval_ns = 1'000'000'000;  ///< Of device states; 0: none.
  /// The shortest operating system call that is recorded; nullopt: none is.
  std::optional<std::int64_t> os_calls_from_ns = std::nullopt;
  bool allocations = false;  ///< CUDA's allocations and releases of memory.
  bool nccl_calls = false;   ///< What NCCL states of its calls.
  /// What the program calls of kCallLibraries, in their order, as ops.
  std::array<bool, kCallLibraries.size()> library_calls{};

  [[nodiscard]] std::vector<std::string> libraries() const {
    std::vector<std::string> asked;
    for (std::size_t i = 0; i < kCallLibraries.size(); ++i) {
      if (library_calls[i]) asked.emplace_back(kCallLibraries[i]);
    }
    return asked;
  }
};

inline constexpr std::int64_t kDefaultOsCallsFromNs = 1'000;

inline constexpr std::string_view kTraceWordsExpected =
    "device, device=INTERVAL (from 10ms to 3600s), osrt, osrt=TIME (500ns, 1us; up to 3600s), "
    "memory, nccl, cublas, cudnn, cufft, cusolver, cusparse, all, or one of these with no- before "
    "it";

/// "500ns", "1us", "100ms", "2s": up to an hour.
inline std::optional<std::int64_t> parse_time(std::string_view text) {
  constexpr std::int64_t kLongestNs = 3'600'000'000'000;
  struct Unit {
    std::string_view word;
    std::int64_t ns;
  };
  constexpr Unit kUnits[] = {{"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::string_view word = text.substr(static_cast<std::size_t>(end - text.data()));
  if (error != std::errc() || count < 0) return {};
  for (const Unit& unit : kUnits) {
    if (word == unit.word && count <= kLongestNs / unit.ns) return count * unit.ns;
  }
  return {};
}

/// The interval of device states: in ms or s.
inline std::optional<std::int64_t> parse_interval(std::string_view text) {
  constexpr std::int64_t kShortestNs = 10'000'000;
  const auto time = parse_time(text);
  if (text.ends_with("us") || text.ends_with("ns") || time < kShortestNs) return {};
  return time;
}

/// "cublas", "no-cublas"; false: not the word of a library.
inline bool parse_library_word(std::string_view word, TraceWords& read) {
  constexpr std::string_view kNot = "no-";
  const bool is_asked = !word.starts_with(kNot);
  if (!is_asked) word.remove_prefix(kNot.size());
  const auto* const found = std::ranges::find(kCallLibraries, word);
  if (found == kCallLibraries.end()) return false;
  read.library_calls[static_cast<std::size_t>(found - kCallLibraries.begin())] = is_asked;
  return true;
}

/// Intervals and times that were given before are kept.
inline void trace_all(TraceWords& read) {
  if (read.device_interval_ns == 0) read.device_interval_ns = TraceWords().device_interval_ns;
  if (!read.os_calls_from_ns) read.os_calls_from_ns = kDefaultOsCallsFromNs;
  read.allocations = read.nccl_calls = true;
  read.library_calls.fill(true);
}

inline void trace_nothing(TraceWords& read) {
  read = {};
  read.device_interval_ns = 0;
}

/// One word; false: not understood.
inline bool parse_trace_word(std::string_view word, TraceWords& read) {
  constexpr std::string_view kInterval = "device=", kFrom = "osrt=";
  if (word == "device") {
    read.device_interval_ns = TraceWords().device_interval_ns;
  } else if (word == "no-device") {
    read.device_interval_ns = 0;
  } else if (word == "osrt") {
    read.os_calls_from_ns = kDefaultOsCallsFromNs;
  } else if (word == "no-osrt") {
    read.os_calls_from_ns = std::nullopt;
  } else if (word == "memory" || word == "no-memory") {
    read.allocations = word == "memory";
  } else if (word == "nccl" || word == "no-nccl") {
    read.nccl_calls = word == "nccl";
  } else if (word == "all") {
    trace_all(read);
  } else if (word == "no-all") {
    trace_nothing(read);
  } else if (parse_library_word(word, read)) {
    return true;
  } else if (word.starts_with(kFrom)) {
    read.os_calls_from_ns = parse_time(word.substr(kFrom.size()));
    return read.os_calls_from_ns.has_value();
  } else {
    const auto given =
        word.starts_with(kInterval) ? parse_interval(word.substr(kInterval.size())) : std::nullopt;
    if (!given) return false;
    read.device_interval_ns = *given;
  }
  return true;
}

/// Words separated by commas; of two about the same, the last one counts. False: not understood,
/// and `result` is unchanged.
inline bool parse_trace_words(std::string_view words, TraceWords& result) {
  TraceWords read = result;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(','));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    if (!parse_trace_word(word, read)) return false;
  }
  result = read;
  return true;
}

}  // namespace prof
