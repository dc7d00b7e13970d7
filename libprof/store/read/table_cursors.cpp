// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/read/table_cursors.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "libprof/source/text_template.hpp"
#include "libprof/store/read/block_times.hpp"
#include "libprof/store/read/call_lookup.hpp"
#include "libprof/store/read/range_decoder.hpp"
#include "libprof/store/read/table_scan.hpp"
#include "libprof/store/schema/api_tables.hpp"
#include "libprof/store/schema/launch_tables.hpp"

namespace prof {
namespace {

template <typename Source>
std::optional<std::int64_t> number(const Source& row, int column) {
  return row.is_null(column) ? std::nullopt : std::optional(row.integer(column));
}

/// A range's or a mark's text.
void take_text(TraceTables& tables, StringId id, std::string_view taken_out, std::string& text) {
  const std::string_view whole = tables.strings.text(id);
  if (taken_out.empty()) {
    text = whole;
  } else {
    text = join_text(whole, taken_out);
  }
}

struct ApiCalls {
  using Row = ApiCallRow;
  static constexpr std::string_view kTable = schema::kApiRowTable.name;
  static constexpr std::string_view kColumns[] = {"correlation", "depth",    "start_ns",
                                                  "duration_ns", "range_id", "form_id"};

  explicit ApiCalls(const std::shared_ptr<TraceTables>& of)
      : tables(*of), times(of->launch_blocks) {}

  template <typename Source>
  void take(const Source& from, Row& row) {
    row.correlation = from.unsigned_integer(0);
    row.depth = uint32_at(from, 1);
    row.start_ns = number(from, 2);
    row.duration_ns = number(from, 3);
    row.range = from.unsigned_integer(4);
    const CallForm& form = row_or_default(tables.call_forms, from.integer(5));
    const auto block = schema::launch_block_id(row.correlation);
    if (row.start_ns) row.start_ns = times.since_trace_start(block, *row.start_ns);
    const ApiFunction& function = row_or_default(tables.functions, form.function);
    row.domain = function.domain;
    row.function = function.name;
    row.thread = form.thread;
    row.status = form.status;
  }

  TraceTables& tables;
  BlockTimes times;
};

struct Ranges {
  using Row = RangeSpanRow;
  static constexpr std::string_view kTable = RangeDecoder::kTable;
  static constexpr const auto& kColumns = RangeDecoder::kColumns;

  explicit Ranges(const std::shared_ptr<TraceTables>& of)
      : tables(*of), decoder(*of), prepared(decoder.prepare()) {}

  template <typename Source>
  void take(const Source& from, Row& row) {
    decoder.take(from, stored);
    row.id = stored.id;
    row.parent = stored.parent;
    row.alias_of = stored.alias_of;
    row.kind = stored.form->kind;
    row.thread = stored.form->thread;
    row.domain = stored.form->domain;
    take_text(tables, stored.form->text, stored.numbers, row.text);
    row.start_ns = stored.start_ns;
    row.duration_ns = stored.duration_ns;
    row.category = stored.form->category;
    row.payload = decoder.payload_of(stored);
  }
  [[nodiscard]] Status status() const { return prepared ? decoder.status() : prepared; }

  TraceTables& tables;
  RangeDecoder decoder;
  StoredRange stored;
  Status prepared;
};

struct Marks {
  using Row = MarkRow;
  static constexpr std::string_view kTable = "mark";
  static constexpr std::string_view kColumns[] = {"thread_id", "domain_id",    "parent_id",
                                                  "text_id",   "numbers",      "category",
                                                  "payload",   "payload_type", "time_ns"};

  explicit Marks(const std::shared_ptr<TraceTables>& of) : tables(*of) {}
  template <typename Source>
  void take(const Source& from, Row& row) const {
    row.thread = ThreadId{uint32_at(from, 0)};
    row.domain = DomainId{uint32_at(from, 1)};
    row.parent = from.unsigned_integer(2);
    take_text(tables, StringId{uint32_at(from, 3)}, from.blob(4), row.text);
    row.category = uint32_at(from, 5);
    row.payload.bits = from.unsigned_integer(6);
    row.payload.type = enumerator(from, 7, Payload::Type::kFloat, Payload::Type::kNone);
    row.time_ns = number(from, 8);
  }

  TraceTables& tables;
};

struct Synchronizations {
  using Row = SyncRow;
  static constexpr std::string_view kTable = "sync";
  static constexpr std::string_view kColumns[] = {"correlation", "type",     "context",    "stream",
                                                  "event",       "start_ns", "duration_ns"};

  explicit Synchronizations(const std::shared_ptr<TraceTables>& of) : calls(of) {}

  template <typename Source>
  void take(const Source& from, Row& row) {
    row.correlation = from.unsigned_integer(0);
    row.type = enumerator(from, 1, SyncRecord::Type::kContext, SyncRecord::Type::kUnknown);
    row.context = uint32_at(from, 2);
    row.stream = uint32_at(from, 3);
    row.event = uint32_at(from, 4);
    row.start_ns = number(from, 5);
    row.duration_ns = number(from, 6);
    const FoundCall call = calls.find(row.correlation);
    row.called = call.is_known;
    row.function = call.function;
    row.thread = call.thread;
  }
  [[nodiscard]] Status status() const { return calls.status(); }

  CallLookup calls;  // waits do not come in the order of their calls
};

struct Overheads {
  using Row = OverheadRow;
  static constexpr std::string_view kTable = "overhead";
  static constexpr std::string_view kColumns[] = {"kind_id", "os_tid", "start_ns", "duration_ns"};

  explicit Overheads(const std::shared_ptr<TraceTables>& of) : tables(*of) {}
  template <typename Source>
  void take(const Source& from, Row& row) const {
    row.kind = tables.strings.text(StringId{uint32_at(from, 0)});
    row.os_tid = uint32_at(from, 1);
    row.start_ns = number(from, 2);
    row.duration_ns = number(from, 3);
  }

  TraceTables& tables;
};

/// Reads rows without most of their columns: that takes a third of the time of Ranges.
class StackCursor final : public RowCursor<const StackPlaceRow> {
 public:
  StackCursor(std::shared_ptr<TraceTables> tables,
              const std::function<std::uint32_t(const StackFormRow&)>& number)
      : tables_(std::move(tables)) {
    for (const RangeForm& form : tables_->range_forms) {
      Form& made = forms_.emplace_back();
      made.is_on_stack = form.kind == RangeRecord::Kind::kPushPop;
      if (!made.is_on_stack) continue;
      made.number = number({.thread = form.thread,
                            .domain = form.domain,
                            .text = tables_->strings.text(form.text),
                            .signature = form.signature});
    }
    status_ = scan_.open(tables_->db, tables_->pages_or_null(), RangeDecoder::kTable, kColumns);
  }

  const StackPlaceRow* next() override {
    if (!status_) return nullptr;
    while (scan_.next()) {
      bool is_taken = false;
      scan_.row([&](const auto& row) { is_taken = take(row); });
      if (is_taken) return &place_;
    }
    status_ = scan_.status();
    return nullptr;
  }

  [[nodiscard]] Status status() const override {
    return status_ ? tables_->strings.status() : status_;
  }

 private:
  static constexpr std::string_view kColumns[] = {"id", "up", "form_id", "start_ns"};
  struct Form {
    bool is_on_stack = false;
    std::uint32_t number = 0;
  };

  /// False: the range was never on a stack.
  template <typename Row>
  bool take(const Row& row) {
    const Form& form = row_or_default(forms_, row.integer(2));
    if (!form.is_on_stack || row.is_null(3)) return false;
    place_.id = row.unsigned_integer(0);
    place_.parent = row.is_null(1) ? 0 : place_.id - row.unsigned_integer(1);
    place_.form = form.number;
    return true;
  }

  std::shared_ptr<TraceTables> tables_;
  std::vector<Form> forms_;  // indexed by their ids
  TableScan scan_;
  StackPlaceRow place_;
  Status status_;
};

/// One table, row by row. `Table` names the columns and builds a row from them.
template <typename Table>
class TableCursor final : public RowCursor<const typename Table::Row> {
 public:
  explicit TableCursor(std::shared_ptr<TraceTables> tables)
      : tables_(std::move(tables)), table_(tables_) {
    status_ = scan_.open(tables_->db, tables_->pages_or_null(), Table::kTable, Table::kColumns);
  }

  const typename Table::Row* next() override {
    if (!status()) return nullptr;
    if (!scan_.next()) {
      status_ = scan_.status();
      return nullptr;
    }
    scan_.row([this](const auto& row) { table_.take(row, row_); });
    return status() ? &row_ : nullptr;
  }

  [[nodiscard]] Status status() const override {
    if (!status_) return status_;
    if constexpr (requires { table_.status(); }) PROF_TRY(table_.status());
    return tables_->strings.status();
  }

 private:
  std::shared_ptr<TraceTables> tables_;
  Table table_;
  TableScan scan_;
  typename Table::Row row_;
  Status status_;
};

}  // namespace

std::unique_ptr<RowCursor<const ApiCallRow>> make_api_call_cursor(
    std::shared_ptr<TraceTables> tables) {
  return std::make_unique<TableCursor<ApiCalls>>(std::move(tables));
}

std::unique_ptr<RowCursor<const RangeSpanRow>> make_range_cursor(
    std::shared_ptr<TraceTables> tables) {
  return std::make_unique<TableCursor<Ranges>>(std::move(tables));
}

std::unique_ptr<RowCursor<const MarkRow>> make_mark_cursor(std::shared_ptr<TraceTables> tables) {
  return std::make_unique<TableCursor<Marks>>(std::move(tables));
}

std::unique_ptr<RowCursor<const SyncRow>> make_sync_cursor(std::shared_ptr<TraceTables> tables) {
  return std::make_unique<TableCursor<Synchronizations>>(std::move(tables));
}

std::unique_ptr<RowCursor<const OverheadRow>> make_overhead_cursor(
    std::shared_ptr<TraceTables> tables) {
  return std::make_unique<TableCursor<Overheads>>(std::move(tables));
}

std::unique_ptr<RowCursor<const StackPlaceRow>> make_stack_cursor(
    std::shared_ptr<TraceTables> tables,
    const std::function<std::uint32_t(const StackFormRow&)>& number) {
  return std::make_unique<StackCursor>(std::move(tables), number);
}

}  // namespace prof
