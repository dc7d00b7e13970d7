// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/page/write_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libprof/base/check.hpp"
#include "libprof/base/count_text.hpp"
#include "tools/report/columns/columns_document.hpp"
#include "tools/report/page/page_ranks.hpp"
#include "tools/report/page/page_template.hpp"
#include "tools/report/page/registry.hpp"
#include "tools/report/ranks/ranks_pass.hpp"
#include "tools/report/rows/notes.hpp"

namespace prof::reports {
namespace {

constexpr std::array kParts = {PagePart::kHead, PagePart::kGroups, PagePart::kTimeline};
constexpr std::string_view kFirst = "summary", kWork = "work";
/// If there are more traces, the title has the first ones.
constexpr std::size_t kMostNames = 4;

/// The traces of one side of a comparison, or all.
struct Side {
  std::string_view name;  // empty: all
  const TraceSet& traces;
  FindRankWaits find_waits;
};

struct Filled {
  std::uint64_t rows = 0;
  bool has_more = false;  ///< The report has more rows.
};

/// Passes at most so many rows on.
class FewRows final : public RowSink {
 public:
  FewRows(std::uint64_t most, RowSink& to) : most_(most), to_(to) {}

  bool row(std::span<const Cell> cells) override {
    filled_.has_more = filled_.rows == most_;
    if (filled_.has_more) return false;
    ++filled_.rows;
    return to_.row(cells);
  }
  void total(std::span<const Cell>) override {}
  [[nodiscard]] const Filled& filled() const { return filled_; }

 private:
  std::uint64_t most_;
  RowSink& to_;
  Filled filled_;
};

std::string html_text(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      default:
        safe.push_back(c);
    }
  }
  return safe;
}

class PageWriter {
 public:
  PageWriter(const PageSource& source, tools::Output& output, Notes& notes)
      : source_(source), output_(output), notes_(notes) {
    register_page(own_reports_);
  }

  Status write();

 private:
  [[nodiscard]] bool compares() const { return source_.base_traces > 0; }
  [[nodiscard]] bool is_wanted(const PageTable& table) const;
  [[nodiscard]] const Report& report_of(const PageTable& table) const;
  /// Reading is for that table from now on.
  void show_progress(const PageTable& table);
  [[nodiscard]] std::vector<std::size_t> columns_of(const PageTable& table,
                                                    const ReportInfo& info) const;
  /// The side of all traces, if it has no name.
  [[nodiscard]] Side side_of(std::string_view name, const TraceSet& traces) const {
    const std::size_t base = name.empty() ? source_.base_traces : 0;
    return {name, traces, RankWaitsFinder(traces, source_.reading, base, /*keeps=*/true)};
  }
  /// The ranks of a run of many that the page has in full; nullopt: all.
  Result<std::optional<TraceSet>> part_in_full(const Side& all);
  void write_title();
  /// A document with its tables, as a script of the page.
  Status write_part(PagePart part, std::span<const Side> sides, const Side& all);
  Status write_table(const PageTable& table, const Side& side, ColumnsDocument& document,
                     Notes& notes);
  /// Runs the report; the renderer is complete but for its end.
  Result<Filled> fill(const PageTable& table, const Side& side, const RowFilter& filter,
                      Renderer& renderer, Notes& notes);

  const PageSource& source_;
  tools::Output& output_;
  Notes& notes_;
  Registry own_reports_;
  const RowFilter everything_;
  std::string remark_;  // which ranks the page has in full
};

bool PageWriter::is_wanted(const PageTable& table) const {
  switch (table.when) {
    case PageTable::When::kAlways:
      return true;
    case PageTable::When::kSeveralTraces:
      return source_.traces.size() > 1 && !compares();
    case PageTable::When::kComparison:
      return compares();
  }
  return false;
}

void PageWriter::show_progress(const PageTable& table) {
  ReadProgress* const progress = source_.reading.progress();
  if (progress == nullptr) return;
  double before = 0, all = 0;
  for (const PageTable& one : source_.tables) {
    if (&one == &table) before = all;
    if (is_wanted(one)) all += one.cost;
  }
  progress->stage(before / all, (before + table.cost) / all);
}

const Report& PageWriter::report_of(const PageTable& table) const {
  const Report* report = own_reports_.find(table.report);
  if (report == nullptr) report = source_.registry.find(table.report);
  PROF_CHECK(report != nullptr);
  return *report;
}

std::vector<std::size_t> PageWriter::columns_of(const PageTable& table,
                                                const ReportInfo& info) const {
  if (table.columns.empty()) return info.machine;
  Result<std::vector<std::size_t>> chosen = choose_columns(info, table.columns);
  PROF_CHECK(chosen.ok());
  std::vector<std::size_t> columns = *std::move(chosen);
  if (source_.traces.size() > 1) {
    columns.insert(columns.begin(), info.of_several.begin(), info.of_several.end());
  }
  return columns;
}

Result<Filled> PageWriter::fill(const PageTable& table, const Side& side, const RowFilter& filter,
                                Renderer& renderer, Notes& notes) {
  const Report& report = report_of(table);
  const ReportInfo& info = report.info();
  const std::vector<std::size_t> chosen = columns_of(table, info);
  std::vector<Column> columns;
  for (const std::size_t index : chosen) columns.push_back(info.columns[index]);
  renderer.begin(columns);
  Tally tally;
  const RowInput input{side.traces, source_.reading, filter, tally, side.find_waits};
  FewRows rows(table.most_rows, renderer);
  const std::size_t base = std::max<std::size_t>(source_.base_traces, 1);
  PROF_TRY(report.run(input, {.columns = chosen, .base_traces = base}, rows));
  if (output_.error() != 0) return rows.filled();
  // Some tables have no steps: what options choose is said of the work.
  Notes said = make_notes(side.traces, table.name == kWork ? filter : everything_, tally);
  // Each table would say the same of the traces.
  if (table.name != kFirst) said.facts = tally.remarks;
  add_notes(said, notes);
  return rows.filled();
}

Status PageWriter::write_table(const PageTable& table, const Side& side, ColumnsDocument& document,
                               Notes& notes) {
  const ReportInfo& info = report_of(table).info();
  const std::vector<std::size_t> columns = columns_of(table, info);
  const TableFacts facts{.name = table.name, .report = info, .columns = columns, .side = side.name};
  RowFilter filter = source_.filter;
  filter.short_ranges = true;
  std::unique_ptr<Renderer> renderer = document.table(facts);
  Notes said;
  Result<Filled> filled = fill(table, side, filter, *renderer, said);
  if (!filled) return filled.error();
  if (filled->has_more) {
    std::string shown = "first " + grouped(filled->rows) + " rows";
    said = {};  // of a part
    if (!filter.step) {
      filter.step = StepFilter{.spans = {}, .with_last = true};
      std::unique_ptr<Renderer> last = document.table(facts);
      Notes of_last;
      const Result<Filled> fewer = fill(table, side, filter, *last, of_last);
      if (!fewer) return fewer.error();
      if (fewer->rows > 0) {
        renderer = std::move(last);
        said = std::move(of_last);
        filled = *fewer;
        shown = filled->has_more ? "first " + grouped(filled->rows) + " rows of the last step"
                                 : "last step";
      }
    }
    said.facts.push_back(
        fmt::format("{}: the {} alone, for the rest is too much for a page", table.name, shown));
  }
  add_notes(said, notes);
  if (table.name == kWork && filled->rows == 0) {
    return Error{
        .what = "no kernel, copy or set to show",
        .where = side.traces.members().front().reader.path(),
        .hint = filter.step ? "--step chooses none" : "prof-report -r losses says what is missing"};
  }
  if (output_.error() == 0) renderer->end(true);
  return {};
}

Status PageWriter::write_part(PagePart part, std::span<const Side> sides, const Side& all) {
  const auto number = static_cast<unsigned>(part) + 1;
  output_.write(fmt::format("<script type=\"application/json\" id=\"prof-columns-{}\">", number));
  ColumnsDocument document(source_.traces, output_);
  Notes notes;
  if (!remark_.empty()) notes.facts.push_back(remark_);
  for (const PageTable& table : source_.tables) {
    if (table.part != part || !is_wanted(table)) continue;
    show_progress(table);
    const bool is_of_all = table.when == PageTable::When::kComparison || table.compares_ranks;
    for (const Side& side : is_of_all ? std::span(&all, 1) : sides) {
      PROF_TRY(write_table(table, side, document, notes));
      if (output_.error() != 0) return {};
    }
  }
  for (const TraceMember& trace : source_.traces.members()) PROF_TRY(trace.reader.status());
  document.end(notes);
  output_.write("</script>\n");
  add_notes(notes, notes_);
  return {};
}

Result<std::optional<TraceSet>> PageWriter::part_in_full(const Side& all) {
  if (compares() || all.traces.size() < 2) return std::optional<TraceSet>();
  const Report* const stragglers = source_.registry.find("stragglers");
  PROF_CHECK(stragglers != nullptr);
  Tally unused;
  const RowInput input{all.traces, source_.reading, source_.filter, unused, all.find_waits};
  Result<std::optional<PageRanks>> ranks = page_ranks(input, *stragglers);
  if (!ranks) return ranks.error();
  if (!*ranks) return std::optional<TraceSet>();
  remark_ = std::move((*ranks)->remark);
  std::vector<TraceReader*> readers;
  for (const std::size_t member : (*ranks)->members) {
    readers.push_back(&all.traces.members()[member].reader);
  }
  Result<TraceSet> part = TraceSet::of(readers);
  if (!part) return part.error();
  return std::optional(std::move(*part));
}

void PageWriter::write_title() {
  std::string title;
  const std::vector<TraceMember>& traces = source_.traces.members();
  for (const TraceMember& trace : std::span(traces).first(std::min(traces.size(), kMostNames))) {
    title.append(title.empty() ? "" : ", ").append(trace.identity.name);
  }
  if (traces.size() > kMostNames) title += fmt::format(" and {} more", traces.size() - kMostNames);
  output_.write(html_text(title));
}

Status PageWriter::write() {
  std::vector<TraceReader*> readers;
  for (const TraceMember& trace : source_.traces.members()) readers.push_back(&trace.reader);
  const auto base = std::span(readers).first(source_.base_traces);
  const Result<TraceSet> before = TraceSet::of(base);
  if (!before) return before.error();
  const Result<TraceSet> after = TraceSet::of(std::span(readers).subspan(base.size()));
  if (!after) return after.error();
  const Side all = side_of("", source_.traces);
  std::vector<Side> sides;
  const Result<std::optional<TraceSet>> part = part_in_full(all);
  if (!part) return part.error();
  if (compares()) {
    sides.push_back(side_of("base", *before));
    sides.push_back(side_of("new", *after));
  } else if (*part) {
    sides.push_back({.name = {},
                     .traces = **part,
                     .find_waits = rank_waits_of_part(**part, source_.traces, all.find_waits)});
  } else {
    sides.push_back(all);
  }

  std::string_view rest = page_template();
  const auto write_to = [&](std::string_view mark) {
    const std::size_t at = rest.find(mark);
    PROF_CHECK(at != std::string_view::npos);
    output_.write(rest.substr(0, at));
    rest.remove_prefix(at + mark.size());
  };
  write_to(kTitleMark);
  write_title();
  for (const PagePart of_page : kParts) {
    if (of_page == PagePart::kHead) write_to(kFirstMark);
    if (of_page == PagePart::kGroups) write_to(kRestMark);
    PROF_TRY(write_part(of_page, sides, all));
    if (output_.error() != 0) return {};
  }
  output_.write(rest);
  return {};
}

}  // namespace

Status write_page(const PageSource& source, tools::Output& output, Notes& notes) {
  return PageWriter(source, output, notes).write();
}

}  // namespace prof::reports
