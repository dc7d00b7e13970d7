// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/read/trace_reader.hpp"

#include <charconv>
#include <unordered_map>
#include <utility>

#include "libprof/model/losses.hpp"
#include "libprof/source/text_template.hpp"
#include "libprof/store/read/graph_events.hpp"
#include "libprof/store/read/range_cache.hpp"
#include "libprof/store/read/record_cursor.hpp"
#include "libprof/store/read/table_cursors.hpp"
#include "libprof/store/read/trace_open.hpp"
#include "libprof/store/read/trace_tables.hpp"
#include "libprof/store/schema/schema.hpp"

namespace prof {
namespace {

// Successful kernel launches whose correlation has no kernel. A graph's launch may have none at all
// (a graph of copies), so graphs are left out.
constexpr std::string_view kLaunchesWithoutRecord = R"sql(
  SELECT count(DISTINCT a.correlation)
  FROM api_call a
  WHERE a.function_id IN (SELECT f.id FROM api_function f JOIN string s ON s.id = f.name_id
                          WHERE s.text LIKE '%LaunchKernel%' OR s.text LIKE '%LaunchCooperative%'
                             OR s.text LIKE 'cuLaunchGrid%' OR s.text IN ('cuLaunch', 'cudaLaunch'))
    AND a.status = 0 AND a.correlation <> 0
    AND NOT EXISTS (SELECT 1 FROM kernel k WHERE k.correlation = a.correlation))sql";

class Reader final : public TraceReader {
 public:
  Reader(std::string path, OpenedTrace trace)
      : path_(std::move(path)),
        still_written_(trace.still_written),
        tables_(std::make_shared<TraceTables>(std::move(trace.db))),
        ranges_(*tables_, [this](StringId id) { return string(id); }) {}

  Status load() {
    PROF_TRY(tables_->load());
    PROF_TRY(ranges_.prepare());
    Result<Statement> prepared = tables_->db.prepare("SELECT value FROM meta WHERE key=?");
    if (!prepared) return prepared.error();
    meta_ = std::move(*prepared);
    prepared = tables_->db.prepare(
        "SELECT range_id,domain_id,schema,bytes FROM payload_blob WHERE range_id=? ORDER BY id");
    if (!prepared) return prepared.error();
    range_payloads_ = std::move(*prepared);
    const std::string start = meta("start_realtime_ns");
    std::from_chars(start.data(), start.data() + start.size(), start_realtime_ns_);
    load_small_tables();
    return status();
  }

  [[nodiscard]] std::unique_ptr<GpuCursor> gpu_work(Work work) override {
    ranges_.begin_pass();
    return make_gpu_cursor(tables_, work);
  }

  [[nodiscard]] std::unique_ptr<RowCursor<const ApiCallRow>> api_calls() override {
    return make_api_call_cursor(tables_);
  }
  [[nodiscard]] std::unique_ptr<RowCursor<const RangeSpanRow>> all_ranges() override {
    return make_range_cursor(tables_);
  }
  [[nodiscard]] std::unique_ptr<RowCursor<const MarkRow>> marks() override {
    return make_mark_cursor(tables_);
  }
  [[nodiscard]] std::unique_ptr<RowCursor<const SyncRow>> synchronizations() override {
    return make_sync_cursor(tables_);
  }
  [[nodiscard]] std::unique_ptr<RowCursor<const OverheadRow>> overheads() override {
    return make_overhead_cursor(tables_);
  }
  [[nodiscard]] std::unique_ptr<RowCursor<const GraphEventRow>> graph_events() override {
    return make_graph_event_cursor(tables_);
  }
  [[nodiscard]] std::unique_ptr<RowCursor<const GraphLaunchRow>> graph_launches() override {
    return make_graph_launch_cursor(tables_);
  }
  [[nodiscard]] std::unique_ptr<RowCursor<const ClockSyncRecord>> clock_syncs() override {
    return records_of<ClockSyncRecord>(*this);
  }

  [[nodiscard]] std::shared_ptr<TraceTables> tables() override { return tables_; }

  [[nodiscard]] std::string_view string(StringId id) override { return tables_->strings.text(id); }

  [[nodiscard]] const LaunchConfig& config(ConfigId id) override {
    return row_or_default(tables_->configs, id.value);
  }

  [[nodiscard]] RangeRef range(RangeId id) override { return ranges_.find(id); }
  [[nodiscard]] RangeRef range_after(RangeId id) override { return ranges_.after(id); }
  void forget_ranges() override { ranges_.forget(); }

  [[nodiscard]] bool has_numbered_ranges() override {
    return count(
               "SELECT CASE WHEN EXISTS (SELECT 1 FROM string WHERE instr(text,char(1)) OR "
               "instr(text,', seq = ') OR instr(text,', seq=') OR instr(text,', stashed seq=')) "
               "THEN 1 WHEN EXISTS (SELECT 1 FROM string WHERE text LIKE '{%\"op\"%') "  // Signatures.
               "THEN EXISTS (SELECT 1 FROM range WHERE seq IS NOT NULL) ELSE 0 END") != 0;
  }

  [[nodiscard]] std::string_view domain_name(DomainId id) override {
    const auto found = domains_.find(id.value);
    return found != domains_.end() ? string(found->second) : std::string_view();
  }

  [[nodiscard]] const std::vector<ThreadRow>& threads() override { return threads_; }
  [[nodiscard]] const std::vector<DeviceRow>& devices() override { return devices_; }

  [[nodiscard]] const Captures& captures() override { return captures_; }

  [[nodiscard]] const std::vector<LossRow>& losses() override {
    if (!losses_known_) {
      losses_known_ = true;
      add_end(losses_);
    }
    return losses_;
  }

  [[nodiscard]] std::string meta(std::string_view key) override {
    meta_.bind_text(1, key);
    const Statement::Step step = meta_.step();
    std::string value;
    if (step == Statement::Step::kRow) value = meta_.text(0);
    note(step);
    meta_.reset();
    return value;
  }

  [[nodiscard]] std::int64_t start_realtime_ns() const override { return start_realtime_ns_; }
  [[nodiscard]] const std::string& path() const override { return path_; }

  void thread_ranges(const std::function<bool(DomainId, std::string_view)>& wants,
                     const std::function<void(const TextRangeRow&)>& visit) override {
    RangeDecoder decoder(*tables_);
    Status read = decoder.prepare();
    if (read) {
      read =
          decoder.visit([&](DomainId domain, StringId text) { return wants(domain, string(text)); },
                        [&](const StoredRange& range) {
                          if (!range.start_ns) return;
                          const RangeForm& form = *range.form;
                          TextRangeRow row{.id = range.id,
                                           .domain = form.domain,
                                           .text = std::string(string(form.text)),
                                           .start_ns = *range.start_ns,
                                           .end_ns = {},
                                           .thread = form.thread,
                                           .end_thread = form.thread,
                                           .parent = range.parent,
                                           .signature = form.signature};
                          if (range.duration_ns)
                            row.end_ns = sum_of_times(row.start_ns, *range.duration_ns);
                          visit(row);
                        });
    }
    if (status_) status_ = read;
  }

  [[nodiscard]] std::unique_ptr<RowCursor<const StackPlaceRow>> thread_stacks(
      const std::function<std::uint32_t(const StackFormRow&)>& number) override {
    return make_stack_cursor(tables_, number);
  }

  void process_ranges(const std::function<void(const TextRangeRow&)>& visit) override {
    // In the order of SQL's numbers, by the index of such ranges.
    Result<Statement> rows = tables_->db.prepare(
        "SELECT id,domain_id,text_id,numbers,start_ns,duration_ns,thread_id,end_thread_id FROM "
        "range WHERE id IN (SELECT id FROM range_rare WHERE kind=1) ORDER BY start_ns");
    if (!rows) {
      if (status_) status_ = rows.error();
      return;
    }
    Statement::Step step;
    while ((step = rows->step()) == Statement::Step::kRow) {
      TextRangeRow row;
      row.id = rows->unsigned_integer(0);
      row.domain = DomainId{uint32_at(*rows, 1)};
      row.text = join_text(string(StringId{uint32_at(*rows, 2)}), rows->blob(3));
      row.start_ns = rows->integer(4);
      // Unsigned, so that overflow is defined: a damaged file may hold any numbers.
      if (!rows->is_null(5)) {
        row.end_ns = static_cast<std::int64_t>(static_cast<std::uint64_t>(row.start_ns) +
                                               static_cast<std::uint64_t>(rows->integer(5)));
      }
      row.thread = ThreadId{uint32_at(*rows, 6)};
      row.end_thread = ThreadId{uint32_at(*rows, 7)};
      if (!row.end_thread) row.end_thread = row.thread;
      visit(row);
    }
    note(step);
  }

  [[nodiscard]] std::vector<PayloadSchemaRow> payload_schemas() override {
    std::vector<PayloadSchemaRow> schemas;
    each_row("SELECT domain_id,schema,fields_json FROM payload_schema", [&](const Statement& row) {
      schemas.push_back(
          {DomainId{uint32_at(row, 0)}, row.unsigned_integer(1), std::string(row.text(2))});
    });
    return schemas;
  }

  [[nodiscard]] std::vector<DocumentRow> documents() override {
    std::vector<DocumentRow> found;
    each_row("SELECT id,kind,name FROM document", [&](const Statement& row) {
      found.push_back({row.integer(0), std::string(row.text(1)), std::string(row.text(2))});
    });
    return found;
  }

  [[nodiscard]] std::string document_bytes(const DocumentRow& document) override {
    std::string bytes;
    each_row("SELECT bytes FROM document WHERE id=" + std::to_string(document.id),
             [&](const Statement& row) { bytes = row.blob(0); });
    return bytes;
  }

  void payloads_of(RangeId id, const std::function<void(const PayloadRow&)>& visit) override {
    range_payloads_.bind(1, static_cast<std::int64_t>(id));
    show_payloads(range_payloads_, visit);
    range_payloads_.reset();
  }

  void payloads_with(DomainId domain, std::uint64_t schema,
                     const std::function<void(const PayloadRow&)>& visit) override {
    Result<Statement> rows = tables_->db.prepare(
        "SELECT range_id,domain_id,schema,bytes FROM payload_blob WHERE domain_id=? AND schema=? "
        "ORDER BY id");
    if (!rows) {
      if (status_) status_ = rows.error();
      return;
    }
    rows->bind(1, domain.value);
    rows->bind(2, static_cast<std::int64_t>(schema));
    show_payloads(*rows, visit);
  }

  [[nodiscard]] Result<SqliteDb*> for_queries() override {
    if (!has_views_) {
      for (const auto views : {schema::views(), schema::nsys_views()}) {
        for (const schema::View& view : views) {
          PROF_TRY(tables_->db.add_view(view.name, view.select));
        }
      }
      has_views_ = true;
    }
    return &tables_->db;
  }

  [[nodiscard]] CaptureEnd capture_end() override {
    if (!end_) {
      end_ = CaptureEnd{meta("ended"), still_written_, 0};
      if (end_->how.empty()) end_->launches_without_record = count(kLaunchesWithoutRecord);
    }
    return *end_;
  }

  [[nodiscard]] Status status() const override {
    if (!status_) return status_;
    return ranges_.status() ? tables_->strings.status() : ranges_.status();
  }

 private:
  void note(Statement::Step step) {
    if (step != Statement::Step::kRow && step != Statement::Step::kDone && status_) {
      status_ = tables_->db.error("cannot be read");
    }
  }

  void show_payloads(Statement& rows, const std::function<void(const PayloadRow&)>& visit) {
    Statement::Step step;
    while ((step = rows.step()) == Statement::Step::kRow) {
      visit({rows.unsigned_integer(0), DomainId{uint32_at(rows, 1)}, rows.unsigned_integer(2),
             rows.blob(3)});
    }
    note(step);
  }

  template <typename Take>
  void each_row(std::string_view sql, Take take) {
    Result<Statement> rows = tables_->db.prepare(sql);
    if (!rows) {
      if (status_) status_ = rows.error();
      return;
    }
    Statement::Step step;
    while ((step = rows->step()) == Statement::Step::kRow) take(*rows);
    note(step);
  }

  std::uint64_t count(std::string_view sql) {
    std::uint64_t result = 0;
    each_row(sql, [&result](const Statement& row) { result = row.unsigned_integer(0); });
    return result;
  }

  void load_small_tables() {
    each_row("SELECT id,name_id FROM domain", [this](const Statement& row) {
      domains_[uint32_at(row, 0)] = StringId{uint32_at(row, 1)};
    });
    each_row(
        "SELECT t.id,p.pid,t.os_tid,s.text FROM thread t LEFT JOIN process p ON p.id=t.process_id "
        "LEFT JOIN string s ON s.id=t.name_id ORDER BY t.id",
        [this](const Statement& row) {
          threads_.push_back({ThreadId{uint32_at(row, 0)}, uint32_at(row, 1), uint32_at(row, 2),
                              std::string(row.text(3))});
        });
    each_row(
        "SELECT device,name,uuid,compute_major,compute_minor,sm_count,core_clock_khz,"
        "memory_clock_khz,memory_bus_bits,l2_bytes,memory_bytes,memory_bandwidth_bytes_per_s "
        "FROM device ORDER BY device",
        [this](const Statement& row) {
          devices_.push_back({uint32_at(row, 0), std::string(row.text(1)), std::string(row.text(2)),
                              uint32_at(row, 3), uint32_at(row, 4), uint32_at(row, 5),
                              uint32_at(row, 6), uint32_at(row, 7), uint32_at(row, 8),
                              uint32_at(row, 9), row.unsigned_integer(10),
                              row.unsigned_integer(11)});
        });
    std::vector<CaptureRow> captures;
    each_row(
        "SELECT capture,start_ns,end_ns,first_range,end_range,opener,closer FROM capture WHERE "
        "start_ns IS NOT NULL "
        "ORDER BY capture",
        [&captures](const Statement& row) {
          CaptureRow& one = captures.emplace_back();
          one.number = uint32_at(row, 0);
          one.start_ns = row.integer(1);
          one.first_range = row.unsigned_integer(3);
          one.end_range = row.unsigned_integer(4);
          one.opener = row.text(5);
          one.closer = row.text(6);
          if (!row.is_null(2)) one.end_ns = row.integer(2);
        });
    captures_ = Captures(std::move(captures));
    each_row("SELECT what,count,detail FROM loss ORDER BY what", [this](const Statement& row) {
      losses_.push_back(
          {std::string(row.text(0)), row.unsigned_integer(1), std::string(row.text(2))});
    });
  }

  void add_end(std::vector<LossRow>& losses) {
    const CaptureEnd end = capture_end();
    if (!end.how.empty()) return;
    losses.push_back({std::string(info(Loss::kKilled).word), 1,
                      end.still_written ? "the capture is still running" : ""});
    if (end.launches_without_record == 0) return;
    losses.push_back({std::string(info(Loss::kLaunchWithoutRecord).word),
                      end.launches_without_record, "their records were not yet in the file"});
  }

  std::string path_;
  bool still_written_;
  bool has_views_ = false;
  std::shared_ptr<TraceTables> tables_;
  RangeCache ranges_;
  Statement meta_, range_payloads_;
  std::unordered_map<std::uint32_t, StringId> domains_;
  std::vector<ThreadRow> threads_;
  std::vector<DeviceRow> devices_;
  std::vector<LossRow> losses_;
  Captures captures_;
  bool losses_known_ = false;
  std::optional<CaptureEnd> end_;
  std::int64_t start_realtime_ns_ = 0;
  Status status_;
};

}  // namespace

std::string RangeRow::whole_text() const { return join_text(text, numbers); }

Result<std::unique_ptr<TraceReader>> TraceReader::open(const std::string& path) {
  Result<OpenedTrace> trace = open_trace(path);
  if (!trace) return trace.error();
  auto reader = std::make_unique<Reader>(path, std::move(*trace));
  if (const Status status = reader->load(); !status) {
    return Error{status.error().what, path, status.error().hint};
  }
  return std::unique_ptr<TraceReader>(std::move(reader));
}

}  // namespace prof
