// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/control/capture_spec.hpp"

#include <signal.h>

#include <algorithm>
#include <charconv>

namespace prof {
namespace {

template <typename Number>
std::optional<Number> whole(std::string_view text) {
  Number value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

/// "3", "3..5", "3..", "..5".
std::optional<Span> parse_span(std::string_view text, std::int64_t smallest) {
  const std::size_t dots = text.find("..");
  Span span{smallest};
  if (text.empty() || text == "..") return std::nullopt;
  if (dots == std::string_view::npos) {
    const auto number = whole<std::int64_t>(text);
    if (!number || *number < smallest) return std::nullopt;
    return Span{*number, *number};
  }
  if (dots != 0) {
    const auto first = whole<std::int64_t>(text.substr(0, dots));
    if (!first || *first < smallest) return std::nullopt;
    span.first = *first;
  }
  if (dots + 2 != text.size()) {
    const auto last = whole<std::int64_t>(text.substr(dots + 2));
    if (!last || *last < span.first) return std::nullopt;
    span.last = *last;
  }
  return span;
}

/// "USR2", "SIGUSR2", "12": a signal that a program can handle and that reports no fault.
std::optional<int> parse_signal(std::string_view text) {
  struct Named {
    std::string_view name;
    int number;
  };
  static constexpr Named kNamed[] = {{"HUP", SIGHUP},   {"USR1", SIGUSR1}, {"USR2", SIGUSR2},
                                     {"CONT", SIGCONT}, {"URG", SIGURG},   {"WINCH", SIGWINCH},
                                     {"IO", SIGIO},     {"PWR", SIGPWR}};
  if (text.starts_with("SIG")) text.remove_prefix(3);
  const auto* const named = std::find_if(std::begin(kNamed), std::end(kNamed),
                                         [&](const Named& known) { return known.name == text; });
  if (named != std::end(kNamed)) return named->number;
  const auto number = whole<int>(text);
  if (!number) return std::nullopt;
  if (*number >= SIGRTMIN && *number <= SIGRTMAX) return number;
  const bool is_named = std::any_of(std::begin(kNamed), std::end(kNamed),
                                    [&](const Named& known) { return known.number == *number; });
  return is_named ? number : std::nullopt;
}

bool parse_ranges(std::string_view words, CaptureSpec& spec) {
  if (words.empty()) return false;
  RangeOpener opener;
  const auto add = [&](std::string_view pattern, Span times) {
    if (pattern.empty()) return;
    opener.readings.push_back({std::nullopt, std::string(pattern), times});
    const std::size_t colon = pattern.find(':');
    if (colon != 0 && colon != std::string_view::npos && colon + 1 != pattern.size()) {
      opener.readings.push_back(
          {std::string(pattern.substr(0, colon)), std::string(pattern.substr(colon + 1)), times});
    }
  };
  add(words, {1});
  if (const std::size_t hash = words.rfind('#'); hash != std::string_view::npos) {
    if (const auto times = parse_span(words.substr(hash + 1), 1))
      add(words.substr(0, hash), *times);
  }
  spec.ranges.push_back(std::move(opener));
  return true;
}

/// The part behind a range's text that looks like #N..M but is no valid span: ranges count from 1.
/// Empty: there is none.
std::string_view unusable_times(std::string_view words) {
  const std::size_t hash = words.rfind('#');
  if (!words.starts_with("nvtx:") || hash == std::string_view::npos) return {};
  const std::string_view times = words.substr(hash + 1);
  const std::size_t dots = times.find("..");
  if (dots == std::string_view::npos || parse_span(times, 1)) return {};
  const bool is_of_numbers = times.find_first_not_of("-0123456789.") == std::string_view::npos;
  return is_of_numbers ? words.substr(hash) : std::string_view();
}

bool parse_steps(std::string_view words, CaptureSpec& spec) {
  std::vector<Span> spans;
  while (true) {
    const std::string_view part = words.substr(0, words.find(','));
    const auto span = parse_span(part, 0);
    if (!span) return false;
    spans.push_back(*span);
    if (part.size() == words.size()) break;
    words.remove_prefix(part.size() + 1);
  }
  spec.steps.insert(spec.steps.end(), spans.begin(), spans.end());
  return true;
}

/// "500ms", "30s", "10m", "2h": up to a year.
bool parse_long_time(std::string_view text, std::int64_t& target) {
  constexpr std::int64_t kSecond = 1'000'000'000, kLongest = 366 * 24 * 3600 * kSecond;
  struct Unit {
    std::string_view word;
    std::int64_t ns;
  };
  constexpr Unit kUnits[] = {
      {"ms", kSecond / 1000}, {"s", kSecond}, {"m", 60 * kSecond}, {"h", 3600 * kSecond}};
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto count = whole<std::int64_t>(text.substr(0, digits));
  for (const Unit& unit : kUnits) {
    if (text.substr(digits) != unit.word || !count || *count == 0) continue;
    if (*count > kLongest / unit.ns) return false;
    target = *count * unit.ns;
    return true;
  }
  return false;
}

/// "3/100steps", "5s/10m".
bool parse_duty(std::string_view words, CaptureSpec& spec) {
  const std::size_t slash = words.find('/');
  if (slash == std::string_view::npos) return false;
  constexpr std::string_view kSteps = "steps";
  const std::string_view length = words.substr(0, slash);
  std::string_view period = words.substr(slash + 1);
  Duty duty{period.ends_with(kSteps), 0, 0};
  if (duty.is_of_steps) {
    period.remove_suffix(kSteps.size());
    duty.length = whole<std::int64_t>(length).value_or(0);
    duty.period = whole<std::int64_t>(period).value_or(0);
  } else if (!parse_long_time(length, duty.length) || !parse_long_time(period, duty.period)) {
    return false;
  }
  if (duty.length <= 0 || duty.length >= duty.period) return false;
  spec.duty = duty;
  return true;
}

bool parse_limit(std::string_view key, std::string_view value, CaptureSpec& spec) {
  if (key == "delay") return parse_long_time(value, spec.delay_ns);
  if (key == "duration") return parse_long_time(value, spec.duration_ns.emplace());
  if (key != "kernels") return false;
  spec.kernels = whole<std::uint64_t>(value);
  return spec.kernels.value_or(0) != 0;
}

bool parse_one(std::string_view words, CaptureSpec& spec) {
  if (words == "cuda-profiler-api") return spec.profiler_api = true;
  if (words == "control") return spec.control = true;
  const std::size_t colon = words.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view key = words.substr(0, colon), value = words.substr(colon + 1);
  if (key == "nvtx") return parse_ranges(value, spec);
  if (key == "steps") return parse_steps(value, spec);
  if (key == "duty") return parse_duty(value, spec);
  if (key == "signal") {
    const auto signal = parse_signal(value);
    spec.signal = signal.value_or(0);
    return signal.has_value();
  }
  return parse_limit(key, value, spec);
}

/// The earlier spec with the same key, for keys that may occur only once; empty: there is none.
std::string_view said_before(std::string_view words, const CaptureSpec& spec) {
  for (const std::string_view key : {"delay:", "duration:", "kernels:", "signal:", "duty:"}) {
    if (!words.starts_with(key)) continue;
    for (const std::string& before : spec.words) {
      if (before.starts_with(key)) return before;
    }
  }
  return {};
}

}  // namespace

Status add_capture_spec(std::string_view words, CaptureSpec& spec) {
  CaptureSpec read = spec;
  if (!parse_one(words, read)) {
    return Error{"not understood; " + std::string(kCaptureSpecExpected) + " expected",
                 std::string(words), ""};
  }
  if (const std::string_view times = unusable_times(words); !times.empty())
    return Error{std::string(times) + " never comes: ranges count from 1 on, upwards",
                 std::string(words), "write ? for a # that is part of the text"};
  if (const std::string_view before = said_before(words, spec); !before.empty())
    return Error{"there is " + std::string(before) + " already", std::string(words), "give one"};
  std::size_t readings = 0;
  for (const RangeOpener& opener : read.ranges) readings += opener.readings.size();
  if (readings > CaptureSpec::kMaxReadings)
    return Error{"too many nvtx:", std::string(words), "combine some by * in one"};
  read.words.emplace_back(words);
  spec = std::move(read);
  return {};
}

Status add_capture_specs(std::string_view lines, CaptureSpec& spec) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(lines.size(), line.size() + 1));
    if (!line.empty()) PROF_TRY(add_capture_spec(line, spec));
  }
  return {};
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  constexpr std::string_view kUnits = "MGT";
  const std::size_t unit = text.empty() ? std::string_view::npos : kUnits.find(text.back());
  if (unit == std::string_view::npos) return std::nullopt;
  text.remove_suffix(1);
  const auto count = whole<std::uint64_t>(text);
  const std::size_t shift = 20 + 10 * unit;
  if (!count || *count == 0 || *count > (std::uint64_t{1} << 60) >> shift) return std::nullopt;
  return *count << shift;
}

}  // namespace prof
