// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Words for the data that a capture records besides CUDA and NVTX: PROF_TRACE and prof-run --trace.
// Each source that can be requested by a word has a row here. Pure.
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

struct TraceWord {
  std::string_view word, help;
  /// The permitted times in WORD=TIME; empty: the word takes no time.
  std::string_view times = {};
  std::int64_t usual_ns = 0;  ///< The time if the word is given alone.
  std::int64_t shortest_ns = 0;
  bool is_usual = false;    ///< Recorded unless no-WORD is given.
  bool is_wrapped = false;  ///< libprof_WORD.so stands between the program and what it calls.
  bool is_library = false;  ///< Its calls become ops.
};

inline constexpr std::array kTraceWords = {
    TraceWord{.word = "device",
              .help = "clocks, power and temperature of the GPUs, every 1s or INTERVAL, as 100ms",
              .times = "INTERVAL (from 10ms to 3600s)",
              .usual_ns = 1'000'000'000,
              .shortest_ns = 10'000'000,
              .is_usual = true},
    TraceWord{.word = "osrt",
              .help = "calls of the operating system that last 1us or TIME",
              .times = "TIME (500ns, 1us; up to 3600s)",
              .usual_ns = 1'000,
              .is_wrapped = true},
    TraceWord{.word = "memory", .help = "allocations and releases by CUDA"},
    TraceWord{.word = "nccl", .help = "sequence numbers of NCCL's collectives"},
    TraceWord{.word = "cublas",
              .help = "calls of cuBLAS and cuBLASLt",
              .is_wrapped = true,
              .is_library = true},
    TraceWord{.word = "cudnn", .help = "calls of cuDNN", .is_wrapped = true, .is_library = true},
    TraceWord{.word = "cufft", .help = "calls of cuFFT", .is_wrapped = true, .is_library = true},
    TraceWord{
        .word = "cusolver", .help = "calls of cuSOLVER", .is_wrapped = true, .is_library = true},
    TraceWord{
        .word = "cusparse", .help = "calls of cuSPARSE", .is_wrapped = true, .is_library = true},
};

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

/// The requested words, and their times.
class TraceWords {
 public:
  /// A word of the table, looked up at compile time.
  struct Known {
    std::size_t index;
    consteval Known(const char* word)  // NOLINT(google-explicit-constructor)
        : index(static_cast<std::size_t>(
              std::ranges::find(kTraceWords, std::string_view(word), &TraceWord::word) -
              kTraceWords.begin())) {
      if (index == kTraceWords.size()) throw "not a word of the table";
    }
  };

  [[nodiscard]] bool has(Known word) const { return times_[word.index].has_value(); }
  /// The time of a word. Absent: it is not requested. 0 if the word takes none.
  [[nodiscard]] std::optional<std::int64_t> time_ns(Known word) const { return times_[word.index]; }
  /// The requested words for which `is_kind` is true, in the order of the table.
  [[nodiscard]] std::vector<std::string> words(bool TraceWord::*is_kind) const {
    std::vector<std::string> asked;
    for (std::size_t i = 0; i < times_.size(); ++i) {
      if (times_[i] && kTraceWords[i].*is_kind) asked.emplace_back(kTraceWords[i].word);
    }
    return asked;
  }

  /// Parses words separated by commas; if two concern the same source, the last one counts. False:
  /// a word is unknown, and nothing changes.
  bool parse(std::string_view words) {
    TraceWords read = *this;
    while (!words.empty()) {
      const std::string_view word = words.substr(0, words.find(','));
      words.remove_prefix(std::min(words.size(), word.size() + 1));
      if (!read.parse_one(word)) return false;
    }
    *this = read;
    return true;
  }

 private:
  using Times = std::array<std::optional<std::int64_t>, kTraceWords.size()>;

  static constexpr Times usual_times() {
    Times times;
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (kTraceWords[i].is_usual) times[i] = kTraceWords[i].usual_ns;
    }
    return times;
  }

  bool parse_one(std::string_view word) {
    const bool is_not = word.starts_with("no-");
    if (is_not) word.remove_prefix(3);
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const bool has_time = equals != std::string_view::npos;
    if (name == "all") {
      for (std::size_t i = 0; i < times_.size(); ++i) {
        // Times that were given earlier are kept.
        times_[i] =
            is_not ? std::nullopt : std::optional(times_[i].value_or(kTraceWords[i].usual_ns));
      }
      return !has_time;
    }
    const auto* const row = std::ranges::find(kTraceWords, name, &TraceWord::word);
    if (row == kTraceWords.end()) return false;
    std::optional<std::int64_t> time = row->usual_ns;
    if (has_time) {
      if (row->times.empty() || is_not) return false;
      time = parse_time(word.substr(equals + 1));
      if (!time || *time < row->shortest_ns) return false;
    }
    times_[static_cast<std::size_t>(row - kTraceWords.begin())] = is_not ? std::nullopt : time;
    return true;
  }

  Times times_ = usual_times();
};

/// The accepted words, for a user whose words are not understood.
inline std::string expected_trace_words() {
  std::string all;
  for (const TraceWord& row : kTraceWords) {
    all += std::string(row.word) + ", ";
    if (!row.times.empty()) all.append(row.word).append("=").append(row.times).append(", ");
  }
  return all + "all, or one of these with no- before it";
}

}  // namespace prof
