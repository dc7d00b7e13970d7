// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The description of a kind of record, stated once, in its header (libprof/model/records/). The
// text stream and the sinks follow from the description, and, if one record is one row, so do the
// table, its documentation, and the SQL that writes and reads it.
//
//     template <>
//     struct RecordKind<ThingRecord> {
//       using R = ThingRecord;
//       static constexpr std::string_view kWord = "thing";  // in the stream
//       static constexpr void fields(auto&& v) {            // in the stream, in this order
//         v("count", &R::count);
//         v("time_ns", &R::time_ns);
//       }
//       static constexpr TableText kTable = {"thing", "What a row is."};
//       static constexpr void columns(auto&& v) {           // in the table, in this order
//         v(column::arrival());
//         v(column::value("count", &R::count, "what it counts"));
//         v(column::time("time_ns", &R::time_ns));
//       }
//     };
//
// Without kTable the store maps the record by hand (libprof/store/schema/*_tables.hpp).
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

namespace prof {

template <typename Record>
struct RecordKind;

/// The words of an enum in the stream, in the order of their values.
template <typename Enum>
struct EnumWords;

/// A string_view field of varints, written to the stream as an array of numbers.
template <auto Field>
struct Numbers {
  static constexpr auto kField = Field;
};

/// Order in which a batch passes records on: a record follows the ones that it refers to.
/// Definitions are never dropped.
enum class Turn : std::uint8_t { kDefinition, kRange, kOther };

template <typename Record>
constexpr Turn turn_of() {
  if constexpr (requires { RecordKind<Record>::kTurn; }) return RecordKind<Record>::kTurn;
  return Turn::kOther;
}

/// A kind whose records are each one row of one table.
template <typename Record>
concept IsOneRow = requires {
  RecordKind<Record>::kTable;
};

/// The oldest version of a trace's schema that is read (docs/decisions/0002-trace-file.md).
inline constexpr std::int32_t kOldestSchema = 2;

struct TableText {
  std::string_view name;
  std::string_view doc;
  /// The columns of the key, if it is not the first column.
  std::string_view key = {};
  /// SQL for updating an older row with the same key; empty: the new row replaces it.
  std::string_view update = {};
  std::int32_t since = kOldestSchema;  ///< The schema version that added it.
};

struct ColumnText {
  std::string_view name;
  std::string_view type;  ///< SQL type with its constraints.
  std::string_view doc;
  bool is_assigned = false;  ///< Assigned by SQLite, not by the writer.
  /// The schema version that added it. If later than the table's, the column is NULL where it is
  /// unknown.
  std::int32_t since = kOldestSchema;
};

inline constexpr std::string_view kSqlKey = "INTEGER PRIMARY KEY";
inline constexpr std::string_view kSqlNumber = "INTEGER NOT NULL";
inline constexpr std::string_view kSqlNumberOrNull = "INTEGER";
inline constexpr std::string_view kSqlText = "TEXT NOT NULL";
inline constexpr std::string_view kSqlTextOrNull = "TEXT";
inline constexpr std::string_view kSqlBytes = "BLOB";

// Descriptions of columns that several tables share.
inline constexpr std::string_view kTimeDoc =
    "ns since the trace's start (meta start_realtime_ns); NULL: unknown";
inline constexpr std::string_view kDurationDoc = "ns; NULL: unknown";
inline constexpr std::string_view kCorrelationDoc =
    "joins the row to api_call; grows in launch order; 0: none";

/// The ways in which a column gets its value from a record.
namespace column {

struct Arrival {
  ColumnText text;
};
struct Process {
  ColumnText text;
};
template <typename Record, typename Value>
struct Field {
  ColumnText text;
  Value Record::*field;
};
template <typename Record, typename Whole, typename Value>
struct Part {
  ColumnText text;
  Whole Record::*whole;
  Value Whole::*field;
};
template <typename Record>
struct Text {
  ColumnText text;
  std::string_view Record::*field;
};
template <typename Record>
struct Bytes {
  ColumnText text;
  std::string_view Record::*field;
  bool null_if_empty;
};
template <typename Record>
struct Time {
  ColumnText text;
  std::int64_t Record::*field;
};
template <typename Record>
struct Duration {
  ColumnText text;
  std::int64_t Record::*start;
  std::int64_t Record::*end;
};

template <typename Value>
inline constexpr bool kIsOptional = false;
template <typename Value>
inline constexpr bool kIsOptional<std::optional<Value>> = true;

template <typename Value>
constexpr std::string_view sql_type() {
  if constexpr (std::same_as<Value, std::string_view>) return kSqlTextOrNull;
  return kIsOptional<Value> ? kSqlNumberOrNull : kSqlNumber;
}

/// The row's number in order of arrival.
constexpr Arrival arrival() { return {{"id", kSqlKey, "in order of arrival", true}}; }

/// The one row of table process.
constexpr Process process_id() { return {{"process_id", kSqlNumber, "process.id"}}; }

/// A number, an id, an enum (as its number), an optional number (else NULL) or a text.
template <typename Record, typename Value>
constexpr Field<Record, Value> value(std::string_view name, Value Record::*field,
                                     std::string_view doc) {
  return {{name, sql_type<Value>(), doc}, field};
}

/// A value with an explicit SQL type.
template <typename Record, typename Value>
constexpr Field<Record, Value> value(std::string_view name, Value Record::*field,
                                     std::string_view doc, std::string_view sql_type) {
  return {{name, sql_type, doc}, field};
}

/// The table's key, by itself.
template <typename Record, typename Value>
constexpr Field<Record, Value> key(std::string_view name, Value Record::*field,
                                   std::string_view doc) {
  return {{name, kSqlKey, doc}, field};
}

/// A member of a field.
template <typename Record, typename Whole, typename Value>
constexpr Part<Record, Whole, Value> part(std::string_view name, Whole Record::*whole,
                                          Value Whole::*field, std::string_view doc) {
  return {{name, sql_type<Value>(), doc}, whole, field};
}

/// NULL if the text is empty.
template <typename Record>
constexpr Text<Record> text_or_null(std::string_view name, std::string_view Record::*field,
                                    std::string_view doc) {
  return {{name, kSqlTextOrNull, doc}, field};
}

template <typename Record>
constexpr Bytes<Record> bytes(std::string_view name, std::string_view Record::*field,
                              std::string_view doc) {
  return {{name, kSqlBytes, doc}, field, false};
}

/// NULL if there are no bytes.
template <typename Record>
constexpr Bytes<Record> bytes_or_null(std::string_view name, std::string_view Record::*field,
                                      std::string_view doc) {
  return {{name, kSqlBytes, doc}, field, true};
}

/// A column that a later schema version added to its table.
template <typename Column>
constexpr Column added(std::int32_t version, Column column) {
  column.text.since = version;
  return column;
}

/// A time relative to the trace's start; NULL: unknown.
template <typename Record>
constexpr Time<Record> time(std::string_view name, std::int64_t Record::*field) {
  return {{name, kSqlNumberOrNull, kTimeDoc}, field};
}

/// The duration from one time to another; NULL if either is unknown.
template <typename Record>
constexpr Duration<Record> duration(std::string_view name, std::int64_t Record::*start,
                                    std::int64_t Record::*end) {
  return {{name, kSqlNumberOrNull, kDurationDoc}, start, end};
}

}  // namespace column
}  // namespace prof
