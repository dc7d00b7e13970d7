// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/filter/row_filter.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>

#include "tools/common/nearest.hpp"
#include "tools/common/unicode.hpp"
#include "tools/common/words.hpp"
#include "tools/report/filter/layer_view.hpp"

namespace prof::reports {
namespace {

constexpr std::size_t kMaxSeenValues = 1000;
constexpr std::size_t kMaxShownValues = 12;
constexpr std::size_t kShownBytes = 40;

/// "'a', 'b', ...": long values are cut, and shown once.
std::string shown_values(const FilterTally::OfFilter& filter) {
  std::vector<std::string> shown;
  bool more = !filter.seen_all;
  for (const std::string& value : filter.seen) {
    std::string name(tools::prefix_of_width(value, kShownBytes));
    if (name.size() < value.size()) name += "...";
    if (!shown.empty() && shown.back() == name) continue;
    more |= shown.size() == kMaxShownValues;
    if (shown.size() == kMaxShownValues) break;
    shown.push_back(std::move(name));
  }
  std::string text;
  for (const std::string& name : shown) text += (text.empty() ? "'" : ", '") + name + "'";
  return more ? text + ", ..." : text;
}

/// `else_hint`: advice where no value is like what was asked for.
std::string warning(std::string_view flag, std::string_view noun,
                    std::span<const std::string> patterns, const FilterTally::OfFilter& filter,
                    std::string_view else_hint = {}) {
  std::string wanted;
  for (const std::string& pattern : patterns) {
    wanted += (wanted.empty() ? "'" : ", '") + pattern + "'";
  }
  const std::string line = fmt::format("{} {} matches nothing; ", flag, wanted);
  if (filter.seen.empty()) return line + fmt::format("no row has any {}", noun);
  const std::vector<std::string_view> seen(filter.seen.begin(), filter.seen.end());
  std::string hint = tools::did_you_mean(patterns.front(), seen);
  const std::string_view rest = hint.empty() ? else_hint : "";
  if (!hint.empty()) hint += " ";
  return line + hint + fmt::format("{}s are {}{}", noun, shown_values(filter), rest);
}

/// Names for the numbers of an option.
struct Numbered {
  std::string_view flag, one, several;
};

Result<StepSpan> parse_span(std::string_view text, const Numbered& numbered) {
  // A '-' at the start is a sign.
  const std::size_t dash = text.find('-', 1);
  const bool is_span = dash != std::string_view::npos;
  const auto first = tools::parse_number<std::int64_t>(text.substr(0, dash));
  const auto last = is_span ? tools::parse_number<std::int64_t>(text.substr(dash + 1)) : first;
  if (!first || !last) {
    return Error{.what = "'" + std::string(text) + "' is not a " + std::string(numbered.one),
                 .where = std::string(numbered.flag),
                 .hint = "give a number, A-B or last"};
  }
  if (*last < *first) {
    return Error{.what = std::string(numbered.several) + " " + std::string(text) + " are none",
                 .where = std::string(numbered.flag),
                 .hint = "give the smaller number first"};
  }
  return StepSpan{.first = *first, .last = *last};
}

Result<StepFilter> parse_numbers(std::span<const std::string> texts, const Numbered& numbered) {
  StepFilter filter;
  for (const std::string& text : texts) {
    if (text == "last") {
      filter.with_last = true;
      continue;
    }
    const Result<StepSpan> span = parse_span(text, numbered);
    if (!span) return span.error();
    filter.spans.push_back(*span);
  }
  return filter;
}

}  // namespace

std::span<const FilterOption> filter_options() {
  static const std::vector<FilterOption> options = {
      {"--layer", "GLOB", "only work of these layers and those inside", {"layer"}, true},
      {"--op", "GLOB", "only work of these ops", {"op"}},
      {"--dir", "GLOB", "only this direction: fprop, bprop or update", {"dir"}},
      {"--kernel", "GLOB", "only kernels of these names", {"kernel", "kernel_full"}},
      {"--stream", "GLOB", "only work of these streams", {"stream"}},
      {"--device", "GLOB", "only work of these GPUs", {"device"}},
      {"--thread",
       "GLOB",
       "only these threads, by number or operating system id",
       {"thread", "tid"}},
      {"--rank", "GLOB", "only these ranks", {"rank"}},
      {"--kind", "WORDS", "kinds of GPU work: kernel, memcpy, memset", {"kind"}},
  };
  return options;
}

std::span<const std::string_view> work_kinds() {
  static constexpr std::array<std::string_view, 3> kKinds = {"kernel", "memcpy", "memset"};
  return kKinds;
}

bool StepFilter::holds(std::int64_t step) const {
  return std::ranges::any_of(
      spans, [step](const StepSpan& span) { return step >= span.first && step <= span.last; });
}

StepFilter StepFilter::with_last_at(std::optional<std::int64_t> step) const {
  StepFilter filter{.spans = spans, .with_last = false};
  if (with_last && step) filter.spans.push_back({*step, *step});
  return filter;
}

std::vector<StepSpan> StepFilter::missing_from(const StepSet& steps) const {
  std::vector<StepSpan> missing;
  std::ranges::copy_if(spans, std::back_inserter(missing), [&steps](const StepSpan& span) {
    return !steps.holds_any(span.first, span.last);
  });
  return missing;
}

std::string to_words(std::span<const StepSpan> steps, std::string_view noun) {
  const bool one = steps.size() == 1 && steps.front().first == steps.front().last;
  std::string words = std::string(noun) + (one ? " " : "s ");
  for (const StepSpan& span : steps) {
    if (&span != &steps.front()) words += ',';
    words += std::to_string(span.first);
    if (span.first != span.last) words.append("-").append(std::to_string(span.last));
  }
  return words;
}

std::string StepFilter::to_words(std::string_view noun) const {
  if (!with_last) return reports::to_words(spans, noun);
  const std::string last = "the last " + std::string(noun);
  return spans.empty() ? last : reports::to_words(spans, noun) + " and " + last;
}

Result<StepFilter> parse_steps(std::span<const std::string> texts) {
  return parse_numbers(texts, {.flag = "--step", .one = "step", .several = "steps"});
}

Result<StepFilter> parse_captures(std::span<const std::string> texts) {
  return parse_numbers(texts, {.flag = "--capture", .one = "capture", .several = "captures"});
}

bool path_matches_any(std::string_view path, std::span<const std::string> patterns) {
  const std::vector<std::size_t> ends = level_ends(path);
  std::size_t begin = 0;
  for (std::size_t first = 0; first < ends.size(); ++first) {
    for (std::size_t last = first; last < ends.size(); ++last) {
      const std::string_view levels = path.substr(begin, ends[last] - begin);
      if (matches_any(levels, patterns)) return true;
      if (matches_any(without_number(levels), patterns)) return true;
    }
    begin = ends[first] + 1;
  }
  return false;
}

bool ColumnFilter::matches(std::string_view value) const {
  if (value.empty()) return false;
  return option->of_paths ? path_matches_any(value, patterns) : matches_any(value, patterns);
}

void FilterTally::OfFilter::count(bool is_match, std::string_view value) {
  asked = true;
  if (is_match) {
    if (matched++ == 0) seen.clear();
    return;
  }
  if (matched > 0 || value.empty() || seen.contains(value)) return;
  if (seen.size() < kMaxSeenValues) {
    seen.emplace(value);
  } else {
    seen_all = false;
  }
}

void FilterTally::OfFilter::merge(const OfFilter& other) {
  for (const std::string& value : other.seen) count(false, value);
  seen_all = seen_all && other.seen_all;
  applies = applies || other.applies;
  asked = asked || other.asked;
  if (other.matched > 0) count(true, {});
}

void FilterTally::merge(const FilterTally& other) {
  columns.resize(std::max(columns.size(), other.columns.size()));
  for (std::size_t i = 0; i < other.columns.size(); ++i) columns[i].merge(other.columns[i]);
  ranges.merge(other.ranges);
  steps.merge(other.steps);
}

std::vector<std::string> FilterTally::warnings(const RowFilter& filter) const {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const ColumnFilter& by = filter.columns[i];
    if (columns[i].matched > 0) continue;
    if (!columns[i].applies) {
      lines.push_back(std::string(by.option->flag) +
                      " does not apply: no row that the report reads has the column '" +
                      std::string(by.option->columns.front()) + "'");
      continue;
    }
    if (!columns[i].asked) continue;  // nothing was there to choose from
    const bool may_be_copy = by.option->flag == "--op" && !filter.with_copies;
    lines.push_back(warning(by.option->flag, by.option->columns.front(), by.patterns, columns[i],
                            may_be_copy ? "; ops of copies and sets: --kind memcpy,memset" : ""));
  }
  if (!filter.ranges.empty() && ranges.matched == 0 && ranges.asked) {
    lines.push_back(warning("--range", "range", filter.ranges, ranges));
  }
  return lines;
}

}  // namespace prof::reports
