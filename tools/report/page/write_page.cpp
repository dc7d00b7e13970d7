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
#include "tools/report/page/page_template.hpp"
#include "tools/report/page/registry.hpp"
#include "tools/report/ranks/find_rank_waits.hpp"
#include "tools/report/rows/notes.hpp"

namespace prof::reports {
namespace {

constexpr std::array kParts = {PagePart::kHead, PagePart::kGroups, PagePart::kTimeline};
constexpr std::string_view kFirst = "summary", kWork = "work";

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
  [[nodiscard]] std::vector<std::size_t> columns_of(const PageTable& table,
                                                    const ReportInfo& info) const;
  /// Of all traces, if it has no name.
  [[nodiscard]] Side side_of(std::string_view name, const TraceSet& traces) const {
    const std::size_t base = name.empty() ? source_.base_traces : 0;
    return {name, traces, find_rank_waits(traces, source_.attribute, source_.progress, base)};
  }
  void write_title();
  /// A document with its tables, as a script of the page.
  Status write_part(PagePart part, std::span<const Side> sides);
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
  const RowInput input{side.traces, source_.attribute, filter,
                       tally,       source_.progress,  side.find_waits};
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

Status PageWriter::write_part(PagePart part, std::span<const Side> sides) {
  const auto number = static_cast<unsigned>(part) + 1;
  output_.write(fmt::format("<script type=\"application/json\" id=\"prof-columns-{}\">", number));
  ColumnsDocument document(source_.traces, output_);
  Notes notes;
  const Side both = side_of("", source_.traces);
  for (const PageTable& table : source_.tables) {
    if (table.part != part || !is_wanted(table)) continue;
    const bool is_of_both = table.when == PageTable::When::kComparison;
    for (const Side& side : is_of_both ? std::span(&both, 1) : sides) {
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

void PageWriter::write_title() {
  std::string title;
  for (const TraceMember& trace : source_.traces.members()) {
    title.append(title.empty() ? "" : ", ").append(trace.identity.name);
  }
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
  std::vector<Side> sides;
  if (compares()) {
    sides.push_back(side_of("base", *before));
    sides.push_back(side_of("new", *after));
  } else {
    sides.push_back(side_of("", source_.traces));
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
  for (const PagePart part : kParts) {
    if (part == PagePart::kHead) write_to(kFirstMark);
    if (part == PagePart::kGroups) write_to(kRestMark);
    PROF_TRY(write_part(part, sides));
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
