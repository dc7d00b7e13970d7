// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GPU work in launch order: a merge of up to three tables and the calls, each read in storage
// order. No index, no sorting except among rows of one correlation, bounded memory.
#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "libprof/store/read/block_times.hpp"
#include "libprof/store/read/table_scan.hpp"
#include "libprof/store/read/trace_tables.hpp"
#include "libprof/store/schema/api_tables.hpp"
#include "libprof/store/schema/launch_tables.hpp"
#include "libprof/store/schema/work_tables.hpp"

namespace prof {
namespace {

// The most rows of one correlation that are sorted in memory; more (launches by the device have no
// correlation, so all share 0) are sorted by SQLite, which can use a temporary file.
constexpr std::size_t kMaxGroup = 32'768;

/// Columns of kernels and sets.
constexpr std::string_view kRowColumns[] = {"correlation", "origin_id", "start_ns",
                                            "duration_ns", "form_id",   "repeat"};
constexpr std::string_view kMemcpyColumns[] = {
    "correlation", "origin_id", "start_ns", "duration_ns", "queue_id",
    "bytes",       "copy_kind", "source",   "destination", "repeat"};
constexpr std::string_view kCallColumns[] = {"correlation", "form_id", "start_ns", "duration_ns",
                                             "range_id"};

MemoryKind memory_kind(std::int64_t value) {
  const bool known = value >= 0 && value <= static_cast<std::int64_t>(MemoryKind::kHost);
  return known ? static_cast<MemoryKind>(value) : MemoryKind::kUnknown;
}

/// One table's rows, ordered by (correlation, start).
class WorkSource {
 public:
  WorkSource(TraceTables& tables, GpuRow::Kind kind)
      : tables_(tables), kind_(kind), times_(tables.launch_blocks) {}

  Status open() {
    PROF_TRY(rows_.open(tables_.db, tables_.pages_or_null(), table(), columns()));
    read_ahead();
    load_group();
    return status_;
  }

  [[nodiscard]] GpuRow* peek() { return at_ < group_.size() ? &group_[at_] : nullptr; }

  void pop() {
    if (++at_ == group_.size()) sorting_ ? load_sorted() : load_group();
  }

  [[nodiscard]] const Status& status() const { return status_; }

 private:
  [[nodiscard]] std::string_view table() const {
    if (is_copy()) return schema::kMemcpyTable.name;
    const bool is_kernel = kind_ == GpuRow::Kind::kKernel;
    return is_kernel ? schema::kKernelRowTable.name : schema::kMemsetRowTable.name;
  }
  [[nodiscard]] std::span<const std::string_view> columns() const {
    if (is_copy()) return kMemcpyColumns;
    return kRowColumns;
  }
  [[nodiscard]] bool is_copy() const { return kind_ == GpuRow::Kind::kMemcpy; }

  void read_ahead() {
    has_ahead_ = rows_.next();
    if (has_ahead_) {
      rows_.row([this](const auto& row) { ahead_ = row.unsigned_integer(0); });
    } else if (!rows_.status()) {
      status_ = rows_.status();
    }
  }

  /// Reads a row of a scan or a Statement.
  template <typename Rows>
  void take(const Rows& rows, GpuRow& row) {
    row.kind = kind_;
    row.correlation = rows.unsigned_integer(0);
    row.origin_id = rows.integer(1);
    const WorkOrigin& origin = row_or_default(tables_.origins, row.origin_id);
    row.graph_node = origin.graph_node;
    row.graph = origin.graph;
    row.origin = origin.origin;
    row.duration_ns = rows.integer(3);
    if (!is_copy()) return take_form(rows, row);
    row.start_ns = rows.integer(2);
    take_queue(rows.integer(4), row);
    row.bytes = rows.unsigned_integer(5);
    row.copy_kind = static_cast<std::uint8_t>(rows.integer(6));
    row.source = memory_kind(rows.integer(7));
    row.destination = memory_kind(rows.integer(8));
    row.repeat = rows.integer(9);
  }

  template <typename Rows>
  void take_form(const Rows& rows, GpuRow& row) {
    const auto block = schema::launch_block_id(row.correlation);
    row.start_ns = rows.is_null(2) ? 0 : times_.since_trace_start(block, rows.integer(2));
    row.repeat = rows.integer(5);
    const bool is_kernel = kind_ == GpuRow::Kind::kKernel;
    const WorkForm& form =
        row_or_default(is_kernel ? tables_.kernel_forms : tables_.set_forms, rows.integer(4));
    take_queue(form.queue, row);
    row.config = form.config;
    row.bytes = form.bytes;
    if (!is_kernel) row.destination = memory_kind(form.memory);
  }

  void take_queue(std::int64_t id, GpuRow& row) const {
    const Queue& queue = row_or_default(tables_.queues, id);
    row.device = queue.device;
    row.context = queue.context;
    row.stream = queue.stream;
  }

  /// Reads the rows of the next correlation into group_.
  void load_group() {
    group_.clear();
    at_ = 0;
    const Correlation correlation = ahead_;
    while (has_ahead_ && ahead_ == correlation) {
      if (group_.size() == kMaxGroup) return start_sorting(correlation);
      rows_.row([this](const auto& row) { take(row, group_.emplace_back()); });
      read_ahead();
    }
    if (group_.size() > 1) {
      std::stable_sort(group_.begin(), group_.end(),
                       [](const GpuRow& a, const GpuRow& b) { return a.start_ns < b.start_ns; });
    }
  }

  void start_sorting(Correlation correlation) {
    // An unknown time is 0, the trace's start; in rows NULL comes first by itself.
    Result<Statement> prepared =
        tables_.db.prepare(select_from(table(), columns()) + " WHERE correlation=? ORDER BY " +
                           (is_copy() ? "ifnull(start_ns,0)" : "start_ns"));
    group_.clear();
    at_ = 0;
    if (!prepared) {
      status_ = prepared.error();
      return;
    }
    sorted_ = std::move(*prepared);
    sorted_.bind(1, static_cast<std::int64_t>(correlation));
    sorting_ = true;
    load_sorted();
  }

  void load_sorted() {
    const Statement::Step step = sorted_.step();
    if (step == Statement::Step::kRow) {
      group_.resize(1);
      at_ = 0;
      take(sorted_, group_[0]);
      return;
    }
    if (step != Statement::Step::kDone) status_ = tables_.db.error("cannot be read");
    const Correlation correlation = ahead_;
    sorting_ = false;
    sorted_ = {};
    while (has_ahead_ && ahead_ == correlation) read_ahead();
    load_group();
  }

  TraceTables& tables_;
  GpuRow::Kind kind_;
  BlockTimes times_;
  TableScan rows_;
  Statement sorted_;
  Correlation ahead_ = 0;  // of the scan's row, which is not yet in group_
  bool has_ahead_ = false;
  bool sorting_ = false;
  std::vector<GpuRow> group_;
  std::size_t at_ = 0;
  Status status_;
};

/// The calls, ordered by correlation.
class LaunchSource {
 public:
  explicit LaunchSource(TraceTables& tables) : tables_(tables), times_(tables.launch_blocks) {}

  Status open() {
    PROF_TRY(
        rows_.open(tables_.db, tables_.pages_or_null(), schema::kApiRowTable.name, kCallColumns));
    step();
    return status_;
  }

  /// Fills in the outermost call of the row's correlation. Correlations must not decrease.
  void join(GpuRow& row) {
    const auto correlation = static_cast<std::int64_t>(row.correlation);
    // The first row of a correlation has the smallest depth; a row is read once, then kept.
    while (has_row_ && correlation_ < correlation) step();
    row.launched = has_row_ && correlation_ == correlation && correlation != 0;
    row.launch = row.correlation;
    if (!row.launched) {
      row.thread = {};
      row.function = {};
      row.stack = 0;
      row.launch_start_ns = row.launch_duration_ns = 0;
      return;
    }
    if (!read_) {
      rows_.row([this](const auto& call) { take(call); });
      read_ = true;
    }
    row.function = function_;
    row.thread = thread_;
    row.stack = stack_;
    row.launch_start_ns = start_ns_;
    row.launch_duration_ns = duration_ns_;
  }

  [[nodiscard]] const Status& status() const { return status_; }

 private:
  template <typename Call>
  void take(const Call& call) {
    const CallForm& form = row_or_default(tables_.call_forms, call.integer(1));
    function_ = row_or_default(tables_.functions, form.function).name;
    thread_ = form.thread;
    const auto block = schema::launch_block_id(correlation_);
    start_ns_ = call.is_null(2) ? 0 : times_.since_trace_start(block, call.integer(2));
    duration_ns_ = call.integer(3);
    stack_ = call.unsigned_integer(4);
  }

  void step() {
    has_row_ = rows_.next();
    read_ = false;
    if (has_row_) {
      rows_.row([this](const auto& call) { correlation_ = call.integer(0); });
    } else if (!rows_.status()) {
      status_ = rows_.status();
    }
  }

  TraceTables& tables_;
  BlockTimes times_;
  TableScan rows_;
  bool has_row_ = false;
  bool read_ = false;
  std::int64_t correlation_ = 0;
  StringId function_;
  ThreadId thread_;
  RangeId stack_ = 0;
  std::int64_t start_ns_ = 0;
  std::int64_t duration_ns_ = 0;
  Status status_;
};

class MergeCursor final : public GpuCursor {
 public:
  MergeCursor(std::shared_ptr<TraceTables> tables, TraceReader::Work work)
      : tables_(std::move(tables)),
        sources_{WorkSource(*tables_, GpuRow::Kind::kKernel),
                 WorkSource(*tables_, GpuRow::Kind::kMemcpy),
                 WorkSource(*tables_, GpuRow::Kind::kMemset)},
        used_(work == TraceReader::Work::kKernels ? 1 : sources_.size()),
        launches_(*tables_) {
    status_ = launches_.open();
    for (std::size_t i = 0; i < used_ && status_; ++i) status_ = sources_[i].open();
  }

  const GpuRow* next() override {
    if (!status_) return nullptr;
    if (current_ != nullptr) current_->pop();
    current_ = nullptr;
    for (WorkSource& source : std::span(sources_).first(used_)) {
      const GpuRow* const row = source.peek();
      if (row != nullptr && (current_ == nullptr || before(*row, *current_->peek())))
        current_ = &source;
    }
    GpuRow* const row = current_ != nullptr ? current_->peek() : nullptr;
    if (row != nullptr) launches_.join(*row);
    check();
    return status_ ? row : nullptr;
  }

  [[nodiscard]] Status status() const override { return status_; }

 private:
  static bool before(const GpuRow& a, const GpuRow& b) {
    const auto key = [](const GpuRow& row) {
      return std::pair(static_cast<std::int64_t>(row.correlation), row.start_ns);
    };
    return key(a) < key(b);
  }

  void check() {
    if (!launches_.status()) status_ = launches_.status();
    for (const WorkSource& source : sources_) {
      if (!source.status()) status_ = source.status();
    }
  }

  std::shared_ptr<TraceTables> tables_;
  std::array<WorkSource, 3> sources_;
  std::size_t used_;
  LaunchSource launches_;
  WorkSource* current_ = nullptr;  // whose row was returned last
  Status status_;
};

}  // namespace

std::unique_ptr<GpuCursor> make_gpu_cursor(std::shared_ptr<TraceTables> tables,
                                           TraceReader::Work work) {
  return std::make_unique<MergeCursor>(std::move(tables), work);
}

}  // namespace prof
