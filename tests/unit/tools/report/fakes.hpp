// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What tests of reports and renderers need: rendering to a string, a trace and a stream of
// attributed work that exist in memory only.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analyzers/model/attribution.hpp"
#include "tests/support/row_cursors.hpp"
#include "tools/report/all_reports.hpp"
#include "tools/report/filter/line_filter.hpp"
#include "tools/report/query/registry.hpp"
#include "tools/report/rows/row_input.hpp"
#include "tools/report/table/renderer.hpp"

namespace prof::reports {

/// What `write` puts out, as text.
inline std::string output_of(const std::function<void(tools::Output&)>& write) {
  char* data = nullptr;
  std::size_t size = 0;
  std::FILE* memory = open_memstream(&data, &size);
  tools::Output output(memory);
  write(output);
  output.flush();
  std::fclose(memory);
  std::string text(data, size);
  std::free(data);
  return text;
}

inline const FormInfo& form(std::string_view word) {
  for (const FormInfo& info : forms()) {
    if (info.word == word) return info;
  }
  std::abort();
}

/// Renders rows, then totals, in a form.
inline std::string rendered(std::string_view form_word, const std::vector<Column>& columns,
                            const std::vector<std::vector<Cell>>& rows,
                            const std::vector<std::vector<Cell>>& totals = {},
                            const RenderOptions& options = {}) {
  return output_of([&](tools::Output& output) {
    const auto renderer = form(form_word).make(output, options);
    renderer->begin(columns);
    for (const auto& row : rows) renderer->row(row);
    for (const auto& total : totals) renderer->total(total);
    renderer->end(true);
  });
}

class FakeTrace : public TraceReader {
 public:
  std::unique_ptr<GpuCursor> gpu_work(Work) override { return cursor_over(gpu_rows_); }
  std::unique_ptr<RowCursor<const ApiCallRow>> api_calls() override {
    return cursor_over(api_calls_);
  }
  std::unique_ptr<RowCursor<const RangeSpanRow>> all_ranges() override {
    return cursor_over(range_spans_);
  }
  std::unique_ptr<RowCursor<const MarkRow>> marks() override { return cursor_over(marks_); }
  std::unique_ptr<RowCursor<const SyncRow>> synchronizations() override {
    return cursor_over(synchronizations_);
  }
  std::unique_ptr<RowCursor<const OverheadRow>> overheads() override {
    return cursor_over(overheads_);
  }
  std::unique_ptr<RowCursor<const ClockSyncRecord>> clock_syncs() override {
    return cursor_over(clock_syncs_);
  }
  std::unique_ptr<RowCursor<const GraphEventRow>> graph_events() override {
    return cursor_over(std::vector<GraphEventRow>{});
  }
  std::unique_ptr<RowCursor<const GraphLaunchRow>> graph_launches() override {
    return cursor_over(graph_launches_);
  }
  std::string_view string(StringId id) override { return strings_[id.value]; }
  const LaunchConfig& config(ConfigId id) override { return configs_[id.value]; }
  RangeRef range(RangeId id) override {
    const auto found = ranges_.find(id);
    return found != ranges_.end() ? std::make_shared<RangeRow>(found->second) : nullptr;
  }
  RangeRef range_after(RangeId id) override {
    const auto next = ranges_.upper_bound(id);
    return next != ranges_.end() ? range(next->first) : nullptr;
  }
  bool has_numbered_ranges() override { return false; }
  std::vector<PayloadSchemaRow> payload_schemas() override { return {}; }
  std::vector<DocumentRow> documents() override { return {}; }
  std::string document_bytes(const DocumentRow&) override { return {}; }
  void payloads_of(RangeId, const std::function<void(const PayloadRow&)>&) override {}
  void payloads_with(DomainId, std::uint64_t,
                     const std::function<void(const PayloadRow&)>&) override {}
  void process_ranges(const std::function<void(const TextRangeRow&)>& visit) override {
    for (const TextRangeRow& row : process_ranges_) visit(row);
  }
  void thread_ranges(const std::function<bool(DomainId, std::string_view)>&,
                     const std::function<void(const TextRangeRow&)>&) override {}
  std::unique_ptr<RowCursor<const StackPlaceRow>> thread_stacks(
      const std::function<std::uint32_t(const StackFormRow&)>&) override {
    return cursor_over(std::vector<StackPlaceRow>());
  }
  Result<SqliteDb*> for_queries() override { return nullptr; }
  CaptureEnd capture_end() override { return {}; }
  Status status() const override { return {}; }
  std::string_view domain_name(DomainId id) override { return strings_[id.value]; }
  const std::vector<ThreadRow>& threads() override { return threads_; }
  const std::vector<DeviceRow>& devices() override { return devices_; }
  const std::vector<LossRow>& losses() override { return losses_; }
  const Captures& captures() override { return captures_; }
  std::string meta(std::string_view key) override {
    const auto found = meta_.find(key);
    return found == meta_.end() ? "" : found->second;
  }
  std::int64_t start_realtime_ns() const override { return start_realtime_ns_; }
  const std::string& path() const override { return path_; }

  std::map<std::uint32_t, std::string> strings_;
  std::map<std::uint32_t, LaunchConfig> configs_;
  std::map<RangeId, RangeRow> ranges_;
  std::vector<GpuRow> gpu_rows_;
  std::vector<GraphLaunchRow> graph_launches_;
  std::vector<TextRangeRow> process_ranges_;
  std::vector<ApiCallRow> api_calls_;
  std::vector<RangeSpanRow> range_spans_;
  std::vector<MarkRow> marks_;
  std::vector<SyncRow> synchronizations_;
  std::vector<OverheadRow> overheads_;
  std::vector<ClockSyncRecord> clock_syncs_;
  std::vector<ThreadRow> threads_;
  std::vector<DeviceRow> devices_;
  std::vector<LossRow> losses_;
  Captures captures_;
  std::map<std::string, std::string, std::less<>> meta_;
  std::int64_t start_realtime_ns_ = 0;
  std::string path_ = "test.db";
};

/// Attributed work given by the test; ends with `status_`.
class FakeWork : public AttributedWork {
 public:
  struct Item : AttributedRow {
    OpAttribution op;
    KernelFacts facts;
  };

  /// A kernel; change it by the reference until the work is read.
  Item& kernel(std::string name, std::int64_t duration_ns) {
    Item& item = items_.emplace_back();
    item.gpu.duration_ns = duration_ns;
    item.gpu.config = ConfigId{1};
    item.facts.short_name = name;
    item.facts.demangled = std::move(name);
    return item;
  }
  Item& copy(GpuRow::Kind kind, std::uint64_t bytes, std::int64_t duration_ns) {
    Item& item = items_.emplace_back();
    item.gpu.kind = kind;
    item.gpu.bytes = bytes;
    item.gpu.duration_ns = duration_ns;
    return item;
  }

  const AttributedRow* next() override {
    if (next_ == items_.size()) return nullptr;
    const Item& item = items_[next_++];
    row_ = item;
    row_.attribution.op = std::make_shared<OpAttribution>(item.op);
    if (item.gpu.kind == GpuRow::Kind::kKernel) {
      row_.attribution.kernel = std::make_shared<KernelFacts>(item.facts);
    }
    return &row_;
  }
  Status status() const override { return status_; }
  AttributionCounts counts() const override { return counts_; }

  Status status_;
  AttributionCounts counts_;

 private:
  std::deque<Item> items_;
  std::size_t next_ = 0;
  // Made anew for each row, so that a report that keeps pointers is caught by a sanitizer.
  AttributedRow row_;
};

/// Hands out the rows of work that stays the test's.
class LentWork : public AttributedWork {
 public:
  explicit LentWork(AttributedWork& work) : work_(work) {}
  const AttributedRow* next() override { return work_.next(); }
  Status status() const override { return work_.status(); }
  AttributionCounts counts() const override { return work_.counts(); }

 private:
  AttributedWork& work_;
};

inline TraceSet traces_of(const std::vector<TraceReader*>& readers) {
  auto set = TraceSet::of(readers);
  return std::move(*set);
}

/// The filter of a step.
inline RowFilter in_step(std::int64_t step) {
  RowFilter filter;
  filter.step = StepFilter{.spans = {{step, step}}};
  return filter;
}

/// Rows whose column for an option, "--layer", matches a pattern.
inline RowFilter where_option(std::string_view flag, const std::string& pattern) {
  RowFilter filter;
  const auto option = std::ranges::find(filter_options(), flag, &FilterOption::flag);
  filter.columns.push_back({&*option, {pattern}});
  return filter;
}

/// What is asked of a report; empty `columns`: the form's own.
struct Asked {
  std::string_view report, form;
  std::string_view columns = "";
  RowFilter filter = {};
  LineOptions lines = {};
  LayerView layers = {};
  std::size_t memory_bytes = Request().memory_bytes;
};

/// A report of the list, over traces, in a form.
inline std::string reported(const Asked& asked, const TraceSet& traces,
                            const AttributeWork& attribute) {
  Registry registry;
  register_reports(registry);
  const Report& report = *registry.find(asked.report);
  const ReportInfo& info = report.info();
  auto chosen = Result(info.shown(form(asked.form).form, traces.size() > 1));
  if (!asked.columns.empty()) chosen = choose_columns(info, asked.columns);
  if (!chosen) return chosen.error().to_line();
  std::vector<Column> picked;
  for (const std::size_t index : *chosen) picked.push_back(info.columns[index]);
  return output_of([&](tools::Output& output) {
    const auto renderer = form(asked.form).make(output, {});
    const auto lines = LineFilter::make(asked.lines, info.columns, *chosen, *renderer);
    if (!lines) return output.write("error: " + lines.error().to_line() + "\n");
    Tally tally;
    renderer->begin(picked);
    Reading reading(attribute, Reading::Keeps::kNothing, traces.size());
    Status status = report.run({traces, reading, asked.filter, tally},
                               {(*lines)->columns(), asked.layers, asked.memory_bytes}, **lines);
    if (status) status = (*lines)->finish();
    renderer->end(status.ok());
    if (!status) output.write("error: " + status.error().to_line() + "\n");
  });
}

/// The same over one trace and the work that a test tells.
inline std::string reported(const Asked& asked, FakeTrace& trace, FakeWork& work) {
  const auto attribute = [&work](TraceReader&, TraceReader::Work) {
    return std::make_unique<LentWork>(work);
  };
  return reported(asked, traces_of({&trace}), attribute);
}

inline std::string reported(std::string_view report, FakeTrace& trace, FakeWork& work,
                            std::string_view form_word, std::string_view columns = "",
                            RowFilter filter = {}) {
  return reported({report, form_word, columns, std::move(filter), {}, {}}, trace, work);
}

/// For reports that must not attribute.
inline std::unique_ptr<AttributedWork> never_attributed(TraceReader&, TraceReader::Work) {
  ADD_FAILURE() << "the analyzers ran";
  return std::make_unique<FakeWork>();
}

}  // namespace prof::reports
