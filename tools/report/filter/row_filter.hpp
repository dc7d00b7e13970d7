// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RowFilter: which rows a user wants, as the command line states it. Rows are left out before a
// report sees them; LineFilter (line_filter.hpp) comes after it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/ranges/range_options.hpp"
#include "analyzers/steps/step_set.hpp"
#include "libprof/base/glob.hpp"
#include "libprof/base/result.hpp"

namespace prof {
class TraceReader;
}

namespace prof::reports {

/// An option that chooses rows by one of their columns; the first column is the one to speak of.
struct FilterOption {
  std::string_view flag, type, help;
  std::vector<std::string_view> columns;
  /// The values are paths of layers: a pattern may mean a part of one, see path_matches_any().
  bool of_paths = false;
};
std::span<const FilterOption> filter_options();
/// The words of --kind; the first is what reports about kernels show.
std::span<const std::string_view> work_kinds();

/// A row is wanted if one of its columns matches one of the patterns.
struct ColumnFilter {
  const FilterOption* option = nullptr;
  std::vector<std::string> patterns;

  /// An absent value, which is empty, matches nothing.
  [[nodiscard]] bool matches(std::string_view value) const;
};

struct StepSpan {
  std::int64_t first = 0, last = 0;
};

/// The steps of all --step, each of which is "3", "2-5" or "last".
struct StepFilter {
  std::vector<StepSpan> spans;
  bool with_last = false;  ///< The last step, too, whose number depends on the trace.

  [[nodiscard]] bool holds(std::int64_t step) const;
  /// As this filter, with the number of the last step; absent: the trace has none.
  [[nodiscard]] StepFilter with_last_at(std::optional<std::int64_t> step) const;
  /// The spans that have none of these steps.
  [[nodiscard]] std::vector<StepSpan> missing_from(const StepSet& steps) const;
  /// "step 3", "steps 2-5,7", "the last step", "step 3 and the last step".
  [[nodiscard]] std::string to_words(std::string_view noun = "step") const;
};
std::string to_words(std::span<const StepSpan> steps, std::string_view noun = "step");
Result<StepFilter> parse_steps(std::span<const std::string> texts);
/// Captures are chosen by numbers as steps are.
Result<StepFilter> parse_captures(std::span<const std::string> texts);

/// The last step in which a kernel was launched. Absent: none was, in no step.
using FindLastStep = std::function<std::optional<std::int64_t>(TraceReader& trace)>;

struct RowFilter {
  std::vector<ColumnFilter> columns;
  std::vector<std::string> ranges;  ///< Patterns for texts of ranges, or DOMAIN:TEXT.
  std::optional<StepFilter> step;
  std::optional<StepFilter> captures;  ///< See capture_filter.hpp.
  RangeOptions range_options;
  bool with_copies = false;  ///< Reports about kernels include memory copies and sets.
  /// Ranges are shown by their names (rows/range_name.hpp), not by all of their texts.
  bool short_ranges = false;

  [[nodiscard]] bool all() const { return columns.empty() && ranges.empty() && !step && !captures; }
};

/// Some of the path's levels, one after the other, match: "h.0" and "attn" both mean
/// "gpt:h.0:attn".
bool path_matches_any(std::string_view path, std::span<const std::string> patterns);

/// The effect of the filters, over all traces, for the notes.
struct FilterTally {
  struct OfFilter {
    std::uint64_t matched = 0;
    bool applies = false;  ///< To some of the rows that the report reads.
    bool asked = false;    ///< There were rows.
    /// Values that did not match, while nothing did; a bounded sample.
    std::set<std::string, std::less<>> seen;
    bool seen_all = true;

    void count(bool is_match, std::string_view value);
    void merge(const OfFilter& other);
  };
  std::vector<OfFilter> columns;
  OfFilter ranges;
  StepSet steps;  ///< Steps of all rows that have them: GPU work and, with --step, others.

  void merge(const FilterTally& other);
  /// One line for each filter that matched nothing, with what there is.
  [[nodiscard]] std::vector<std::string> warnings(const RowFilter& filter) const;
};

}  // namespace prof::reports
