// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RecordCursor: the rows of a table as the original records, for kinds that are one row
// (model/record_kind.hpp). Times are those of the records, not relative to the trace's start.
// Columns that a trace lacks have their defaults.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "libprof/model/records.hpp"
#include "libprof/model/times.hpp"
#include "libprof/store/read/row_cursor.hpp"
#include "libprof/store/read/table_scan.hpp"
#include "libprof/store/read/trace_tables.hpp"

namespace prof {

/// Takes a described record's columns from a row, in their order.
template <typename Record, typename Row>
class ColumnReader {
 public:
  ColumnReader(const Row& row, std::int64_t start_ns, Record& record)
      : row_(row), start_ns_(start_ns), record_(record) {}

  void operator()(const column::Arrival&) { ++at_; }
  void operator()(const column::Process&) { ++at_; }
  template <typename Value>
  void operator()(const column::Field<Record, Value>& column) {
    take(record_.*column.field);
  }
  template <typename Whole, typename Value>
  void operator()(const column::Part<Record, Whole, Value>& column) {
    take(record_.*column.whole.*column.field);
  }
  void operator()(const column::Text<Record>& column) { take(record_.*column.field); }
  void operator()(const column::Bytes<Record>& column) { take(record_.*column.field); }
  void operator()(const column::Time<Record>& column) {
    std::optional<std::int64_t> since;
    take(since);
    if (since) record_.*column.field = sum_of_times(start_ns_, *since);
  }
  void operator()(const column::Duration<Record>& column) {
    std::optional<std::int64_t> length;
    take(length);
    if (length) record_.*column.end = sum_of_times(record_.*column.start, *length);
  }

 private:
  template <typename Value>
  void take(Value& value) {
    const int at = at_++;
    if constexpr (std::is_same_v<Value, std::string_view>) {
      value = row_.blob(at);
    } else if constexpr (column::kIsOptional<Value>) {
      if (!row_.is_null(at)) value = static_cast<typename Value::value_type>(row_.integer(at));
    } else if constexpr (requires { value.value; }) {
      value.value = static_cast<decltype(value.value)>(row_.integer(at));
    } else {
      value = static_cast<Value>(row_.integer(at));
    }
  }

  const Row& row_;
  std::int64_t start_ns_;
  Record& record_;
  int at_ = 0;
};

template <IsOneRow Record>
class RecordCursor final : public RowCursor<const Record> {
 public:
  RecordCursor(std::shared_ptr<TraceTables> tables, std::int64_t start_realtime_ns)
      : tables_(std::move(tables)), start_ns_(start_realtime_ns) {
    if (tables_ == nullptr) return;
    std::vector<std::string_view> columns;
    RecordKind<Record>::columns([&](const auto& one) { columns.push_back(one.text.name); });
    status_ =
        scan_.open(tables_->db, tables_->pages_or_null(), RecordKind<Record>::kTable.name, columns);
  }

  /// Texts and bytes are valid until the next call, too.
  const Record* next() override {
    if (!status_ || tables_ == nullptr) return nullptr;
    if (!scan_.next()) {
      status_ = scan_.status();
      return nullptr;
    }
    record_ = {};
    scan_.row([this]<typename Row>(const Row& row) {
      RecordKind<Record>::columns(ColumnReader<Record, Row>(row, start_ns_, record_));
    });
    return &record_;
  }

  [[nodiscard]] Status status() const override { return status_; }

 private:
  std::shared_ptr<TraceTables> tables_;
  std::int64_t start_ns_;
  TableScan scan_;
  Record record_;
  Status status_;
};

/// The records of a kind, in the order of the table.
template <IsOneRow Record>
std::unique_ptr<RowCursor<const Record>> records_of(TraceReader& trace) {
  return std::make_unique<RecordCursor<Record>>(trace.tables(), trace.start_realtime_ns());
}

}  // namespace prof
