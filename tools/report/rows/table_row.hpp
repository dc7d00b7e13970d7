// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of tables that need no attribution, and the stream of those of one trace. Each row kind over
// such a table is a class derived from RecordRow in a file of this folder.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "libprof/store/read/row_cursor.hpp"
#include "libprof/store/read/trace_rows.hpp"
#include "tools/report/filter/thread_facts.hpp"
#include "tools/report/rows/read_progress.hpp"
#include "tools/report/rows/row_input.hpp"
#include "tools/report/rows/row_kind.hpp"
#include "tools/report/rows/rows_by_trace.hpp"
#include "tools/report/table/cell.hpp"

namespace prof::reports {

/// The base class of rows that show a record: the facts that cells need besides the record.
class TableRow : public Row {
 public:
  TableRow(const TraceMember& trace, const RowFilter& filter)
      : trace_(trace), threads_(trace.reader), short_ranges_(filter.short_ranges) {}

  [[nodiscard]] const TraceIdentity& trace() const override { return trace_.identity; }
  [[nodiscard]] std::uint64_t idx() const { return idx_; }
  [[nodiscard]] std::string_view string(StringId id) const { return trace_.reader.string(id); }
  [[nodiscard]] std::string_view domain(DomainId id) const { return trace_.reader.domain_name(id); }
  /// By CUDA's number; null: the trace does not describe it.
  [[nodiscard]] const DeviceRow* device(std::uint32_t number) const;

  /// A time on the time axis shared by the traces of a host.
  [[nodiscard]] Cell time(const std::optional<std::int64_t>& time_ns) const {
    return time_ns ? signed_number(on_axis(trace_, *time_ns)) : absent();
  }
  /// As time(), for a record's own time; 0: unknown.
  [[nodiscard]] Cell recorded_time(std::int64_t time_ns) const {
    return time(since_start(time_ns));
  }
  [[nodiscard]] Cell thread(ThreadId id) const { return id ? number(id.value) : absent(); }
  [[nodiscard]] const ThreadFacts& threads() const { return threads_; }
  [[nodiscard]] Cell os_tid(ThreadId id) const { return threads_.os_tid(id); }
  /// An NVTX category; 0: none.
  [[nodiscard]] static Cell category(std::uint32_t id) { return id != 0 ? number(id) : absent(); }
  /// The typed value.
  [[nodiscard]] static Cell payload(const Payload& payload);
  /// "DOMAIN:text", as Nsight Systems names ranges; ":text" in the default domain. Valid until the
  /// next call.
  [[nodiscard]] std::string_view qualified(DomainId id, std::string_view range);
  /// The text of a range. Valid until the next call.
  [[nodiscard]] std::string_view range_text(RangeId id);
  /// A range's text as it is to be shown. Valid until the next call.
  [[nodiscard]] std::string_view shown_range(std::string_view range);

 protected:
  void set_idx(std::uint64_t idx) { idx_ = idx; }
  [[nodiscard]] const Captures& captures() const { return trace_.reader.captures(); }
  /// A record's own time; 0: unknown.
  [[nodiscard]] std::optional<std::int64_t> since_start(std::int64_t time_ns) const;
  /// A reader has taken the start off.
  static std::optional<std::int64_t> since_start(const std::optional<std::int64_t>& time_ns) {
    return time_ns;
  }

 private:
  const TraceMember& trace_;
  std::uint64_t idx_ = 0;
  ThreadFacts threads_;
  bool short_ranges_;
  std::string whole_text_, short_text_, qualified_;
};

/// One record and the source of its cells. A class derived from it has static members kTable, the
/// table's name, and open(TraceReader&), which opens its records. It belongs to the capture of its
/// own time, and takes its duration.
template <typename RecordType>
class RecordRow : public TableRow {
 public:
  using Record = RecordType;
  using TableRow::TableRow;

  void set(std::uint64_t idx, const Record& record) {
    set_idx(idx);
    record_ = &record;
  }
  [[nodiscard]] const Record& record() const { return *record_; }
  [[nodiscard]] std::optional<std::uint32_t> capture() const override {
    return captures().at(own_time_ns());
  }
  [[nodiscard]] std::optional<std::int64_t> duration_ns() const override {
    if constexpr (requires(const Record& r) { r.duration_ns; }) return record().duration_ns;
    return std::nullopt;
  }

  /// Records that are no rows.
  static bool skip(const Record&, const Captures&) { return false; }
  /// The table is stored in the order of this column.
  static constexpr std::string_view kKey = "id";
  /// Its value; ids that a record does not have count up from 1.
  static std::uint64_t key(const Record&, std::uint64_t rows) { return rows; }

 protected:
  /// Since the start of the trace; absent: unknown.
  [[nodiscard]] std::optional<std::int64_t> own_time_ns() const {
    if constexpr (requires(const Record& r) { r.start_ns; })
      return since_start(record().start_ns);
    else
      return since_start(record().time_ns);
  }

 private:
  const Record* record_ = nullptr;
};

/// Keeps nothing.
template <typename RowType>
class RowsOfTable final : public RowsOfTrace {
  using Record = typename RowType::Record;

 public:
  RowsOfTable(const TraceMember& trace, const RowInput& input)
      : trace_(trace.reader),
        tally_(input.tally),
        records_(RowType::open(trace.reader)),
        row_(trace, input.filter) {}

  RowType* next() override {
    while ((record_ = records_->next()) != nullptr) {
      ++read_;
      if (RowType::skip(*record_, trace_.captures())) continue;
      row_.set(++tally_.row_count, *record_);
      return &row_;
    }
    return nullptr;
  }
  [[nodiscard]] Status status() const override { return records_->status(); }
  [[nodiscard]] std::optional<double> part_read() override {
    if (!span_) span_.emplace(trace_, RowType::kTable, RowType::kKey);
    return span_->part_before(RowType::key(*record_, read_));
  }

 private:
  TraceReader& trace_;
  Tally& tally_;
  std::unique_ptr<RowCursor<const Record>> records_;
  const Record* record_ = nullptr;
  RowType row_;
  std::optional<KeySpan> span_;  // once it is asked for
  std::uint64_t read_ = 0;
};

/// Opens the rows of a table. The notes say how many there are.
template <typename RowType>
std::unique_ptr<RowCursor<Row>> table_rows(const RowKind& kind, const RowInput& input) {
  input.tally.row = kind.names.one;
  input.tally.rows = kind.names.many;
  return rows_by_trace<RowsOfTable<RowType>>(kind, input);
}

}  // namespace prof::reports
