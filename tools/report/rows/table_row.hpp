// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of tables that need no attribution, and the cursor that streams them, trace by trace. Each
// row kind over such a table is a file in this folder.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "libprof/model/times.hpp"
#include "libprof/store/row_cursor.hpp"
#include "libprof/store/trace_rows.hpp"
#include "tools/report/choose/row_chooser.hpp"
#include "tools/report/rows/field.hpp"
#include "tools/report/rows/qualified_text.hpp"
#include "tools/report/rows/range_name.hpp"
#include "tools/report/rows/read_progress.hpp"
#include "tools/report/rows/row_input.hpp"
#include "tools/report/rows/thread_facts.hpp"

namespace prof::reports {

/// The id of a push/pop range; 0: it is a range of the process.
inline RangeId push_pop_of(const RangeSpanRow& range) {
  return range.kind == RangeRecord::Kind::kStartEnd ? 0 : range.id;
}
/// Absent: it never ended, or its times are unknown.
inline std::optional<std::int64_t> end_of(const RangeSpanRow& range) {
  if (!range.start_ns || !range.duration_ns) return std::nullopt;
  return sum_of_times(*range.start_ns, *range.duration_ns);
}

/// One record and the source of its cells. Reused from row to row; cells may point into it.
template <typename RecordType>
class TableRow {
 public:
  using Record = RecordType;

  explicit TableRow(const TraceMember& trace, bool short_ranges = false)
      : trace_(trace), threads_(trace.reader), short_ranges_(short_ranges) {}

  void set(std::uint64_t idx, const Record& record) {
    idx_ = idx;
    record_ = &record;
  }
  [[nodiscard]] const TraceIdentity& trace() const { return trace_.identity; }
  [[nodiscard]] std::uint64_t idx() const { return idx_; }
  [[nodiscard]] const Record& record() const { return *record_; }
  [[nodiscard]] std::string_view string(StringId id) const { return trace_.reader.string(id); }
  [[nodiscard]] std::string_view domain(DomainId id) const { return trace_.reader.domain_name(id); }

  /// By CUDA's number; null: the trace does not describe it.
  [[nodiscard]] const DeviceRow* device(std::uint32_t number) const {
    const auto& all = trace_.reader.devices();
    const auto found = std::ranges::find(all, number, &DeviceRow::device);
    return found == all.end() ? nullptr : &*found;
  }

  /// A time on the time axis shared by the traces of a host.
  [[nodiscard]] Cell time(const std::optional<std::int64_t>& time_ns) const {
    return time_ns ? signed_number(on_axis(trace_, *time_ns)) : absent();
  }
  /// The same for a record's own time; 0: unknown.
  [[nodiscard]] Cell recorded_time(std::int64_t time_ns) const {
    if (time_ns == 0) return absent();
    return time(difference_of_times(time_ns, trace_.reader.start_realtime_ns()));
  }
  /// The innermost range around the record.
  [[nodiscard]] RangeId stack() const requires requires(const Record& record) { record.range; }
  { return record().range; }
  [[nodiscard]] RangeId stack() const requires std::same_as<Record, RangeSpanRow> {
    return record().id;
  }
  [[nodiscard]] RangeId stack() const requires std::same_as<Record, MarkRow> {
    return record().parent;
  }
  [[nodiscard]] RangeId stack() const requires std::same_as<Record, OsCallRecord> {
    return record().stack;
  }
  /// When the program did it.
  [[nodiscard]] std::optional<std::int64_t> host_time_ns() const
      requires(std::same_as<Record, ApiCallRow> || std::same_as<Record, RangeSpanRow>) {
    return record().start_ns;
  }
  [[nodiscard]] std::optional<std::int64_t> host_time_ns()
      const requires std::same_as<Record, MarkRow> {
    return record().time_ns;
  }
  [[nodiscard]] std::optional<std::int64_t> host_time_ns()
      const requires std::same_as<Record, OsCallRecord> {
    return difference_of_times(record().start_ns, trace_.reader.start_realtime_ns());
  }
  [[nodiscard]] std::optional<std::uint32_t> capture() const {
    const Captures& captures = trace_.reader.captures();
    if constexpr (std::same_as<Record, RangeSpanRow>) {
      return captures.of_range(record().start_ns, end_of(record()), push_pop_of(record()));
    } else if constexpr (requires { record().start_ns; }) {
      return captures.at(since_start(record().start_ns));
    } else {
      return captures.at(since_start(record().time_ns));
    }
  }
  [[nodiscard]] Cell thread(ThreadId id) const { return id ? number(id.value) : absent(); }
  [[nodiscard]] const ThreadFacts& threads() const { return threads_; }
  [[nodiscard]] Cell os_tid(ThreadId id) const { return threads_.os_tid(id); }
  /// "DOMAIN:text", as Nsight Systems names ranges; ":text" in the default domain. Valid until the
  /// next call.
  [[nodiscard]] std::string_view qualified(DomainId id, std::string_view range) {
    return qualified_ = qualified_text(trace_.reader, id, shown_range(range));
  }
  /// The text of a range. Valid until the next call.
  [[nodiscard]] std::string_view range_text(RangeId id) {
    const RangeRef range = trace_.reader.range(id);
    return shown_range(whole_text_ = range ? range->whole_text() : std::string());
  }
  /// A range's text as it is to be shown. Valid until the next call.
  [[nodiscard]] std::string_view shown_range(std::string_view range) {
    if (!short_ranges_) return range;
    return short_text_ = name_of_range(range).name;
  }

 private:
  static Captures::Time since_start(const Captures::Time& time_ns) { return time_ns; }
  /// A record's own time; 0: unknown.
  [[nodiscard]] Captures::Time since_start(std::int64_t time_ns) const {
    if (time_ns == 0) return std::nullopt;
    return difference_of_times(time_ns, trace_.reader.start_realtime_ns());
  }

  const TraceMember& trace_;
  std::uint64_t idx_ = 0;
  const Record* record_ = nullptr;
  ThreadFacts threads_;
  bool short_ranges_;
  std::string whole_text_, short_text_;
  std::string qualified_;
};

/// Streams the rows of Kind: `Kind::open(reader)` opens the records of `Kind::kTable` in a trace,
/// `Kind::skip(record, captures)` excludes some of them. Keeps nothing.
template <typename Kind>
class TableCursor {
  using Row = typename Kind::Row;

 public:
  explicit TableCursor(const RowInput& input) : input_(input) {
    input.tally.row = Kind::kNames.one;
    input.tally.rows = Kind::kNames.many;
  }

  Row* next() {
    while (status_ && at_ < input_.traces.size()) {
      const TraceMember& trace = input_.traces.members()[at_];
      if (!records_) {
        records_ = Kind::open(trace.reader);
        read_ = 0;
        if (input_.progress != nullptr) {
          span_.emplace(trace.reader, Kind::kTable, Kind::kKey);
          place_ = input_.progress->begin();
        }
        row_.emplace(trace, input_.choice.short_ranges);
        chooser_.emplace(Kind::kFields, input_.choice, input_.tally.choice, trace.reader);
      }
      while (const auto* const record = records_->next()) {
        ++read_;
        if (input_.progress != nullptr) {
          input_.progress->row(place_,
                               [&] { return span_->part_before(Kind::key(*record, read_)); });
        }
        if (Kind::skip(*record, trace.reader.captures())) continue;
        row_->set(++input_.tally.row_count, *record);
        if (!input_.choice.all() && !chooser_->takes(*row_)) continue;
        ++input_.tally.shown_count;
        return &*row_;
      }
      status_ = records_->status();
      records_.reset();
      ++at_;
    }
    return nullptr;
  }
  [[nodiscard]] Status status() const { return status_; }

 private:
  RowInput input_;
  std::size_t at_ = 0;
  std::unique_ptr<RowCursor<typename Row::Record>> records_;
  std::optional<Row> row_;
  std::optional<RowChooser<Row>> chooser_;
  std::optional<KeySpan> span_;
  std::size_t place_ = 0;
  std::uint64_t read_ = 0;  // of the open trace
  Status status_;
};

/// Common base of the row kinds over tables.
template <typename RecordType>
struct TableKind {
  using Row = TableRow<RecordType>;
  static constexpr bool kHasSteps = kHasHostSteps<Row>;
  static bool skip(const RecordType&, const Captures&) { return false; }
  /// The table is stored in the order of this column.
  static constexpr std::string_view kKey = "id";
  /// Its value; ids that a record does not have count up from 1.
  static constexpr std::uint64_t key(const RecordType&, std::uint64_t rows) { return rows; }
};

}  // namespace prof::reports
