// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/capture_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "libprof/base/count_text.hpp"
#include "libprof/model/times.hpp"
#include "tools/report/table/time_text.hpp"

namespace prof::reports {
namespace {

constexpr std::size_t kMaxShownParts = 8;
constexpr std::string_view kStep = "step ";

/// "steps 10, 20, 30", or each distinct opener: "step 10, signal".
std::string openers(const std::vector<CaptureRow>& rows) {
  const bool are_steps = std::ranges::all_of(
      rows, [](const CaptureRow& one) { return one.opener.starts_with(kStep); });
  std::vector<std::string_view> shown;
  for (const CaptureRow& one : rows) {
    const std::string_view word =
        are_steps ? std::string_view(one.opener).substr(kStep.size()) : one.opener;
    if (std::ranges::find(shown, word) == shown.end()) shown.push_back(word);
  }
  std::string text = !are_steps ? "" : shown.size() > 1 ? "steps " : "step ";
  for (std::size_t i = 0; i < std::min(shown.size(), kMaxShownParts); ++i) {
    text.append(i > 0 ? ", " : "").append(shown[i]);
  }
  return shown.size() > kMaxShownParts ? text + ", ..." : text;
}

}  // namespace

std::string captures_line(const Captures& captures) {
  const std::vector<CaptureRow>& rows = captures.rows();
  if (rows.size() < 2) return {};
  std::string line = count_text(rows.size(), "capture", "captures") + ": " + openers(rows);
  if (!rows.back().end_ns) return line;
  const std::int64_t start_ns = rows.front().start_ns, end_ns = *rows.back().end_ns;
  return line + fmt::format(" ({} of {} ms)", ms_text(captures.captured_ns(start_ns, end_ns)),
                            ms_text(difference_of_times(end_ns, start_ns)));
}

std::string unended_line(const Captures& captures) {
  if (captures.empty() || captures.rows().back().end_ns) return {};
  const CaptureRow& last = captures.rows().back();
  return fmt::format("capture {} ({}) has not ended", last.number, last.opener);
}

}  // namespace prof::reports
