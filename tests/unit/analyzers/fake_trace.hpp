// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A trace in memory for tests and benchmarks of the analyzers: a builder that works as a program
// does (threads push and pop ranges and launch) and a TraceReader over what was built.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libprof/source/text_template.hpp"
#include "libprof/store/read/trace_reader.hpp"
#include "tests/support/row_cursors.hpp"

namespace prof::fakes {

/// A linear layer as PyTorch's ranges tell of it, and the kernel of its product;
/// the product and the bias count.
inline constexpr const char* kTorchLinear =
    "aten::linear, seq = 1, sizes = [[8, 4], [32, 4], [32]]";
inline constexpr const char* kSgemm = "ampere_sgemm_128x64_tn";
inline constexpr double kTorchLinearFlops = 2 * 8 * 4 * 32 + 8 * 32;

class FakeTrace : public TraceReader {
 public:
  // --- The program.
  RangeId push(std::string_view text, std::uint32_t thread = 1, DomainId domain = kDefaultDomain);
  /// A range with an op fact.
  RangeId push_op(std::string_view signature, std::optional<std::uint64_t> sequence = {},
                  std::uint32_t thread = 1, std::uint32_t forward_thread = 0);
  void pop(std::uint32_t thread = 1);
  /// Takes a range out of the middle of a stack, as an out-of-order pop does: the ranges above it
  /// become aliases on the changed stack.
  void pop_below(std::uint32_t levels, std::uint32_t thread = 1);
  /// A kernel under the thread's stack. Returns its row's index.
  std::size_t kernel(std::string_view name, std::int64_t duration_ns = 100,
                     std::uint32_t thread = 1);
  std::size_t memcpy(std::uint64_t bytes, std::int64_t duration_ns = 100, std::uint32_t thread = 1);
  std::size_t memset(std::uint64_t bytes, std::int64_t duration_ns = 100, std::uint32_t thread = 1);
  /// A kernel whose launching call was not recorded.
  std::size_t orphan(std::string_view name);

  // --- Graphs.
  /// CUPTI's id of a node.
  static std::uint64_t node_id(std::uint32_t graph, std::uint32_t number) {
    return (std::uint64_t{graph} << 32) | number;
  }
  /// A node is made under the thread's stack; of what it was cloned, and what it runs.
  void make_node(std::uint64_t node, std::uint64_t original = 0, std::uint32_t thread = 1) {
    graph_event(GraphEventRow::Kind::kNode, thread, node, original);
  }
  /// A kernel node of the graph, with the kernel's name and grid.
  void make_kernel_node(std::uint64_t node, std::string_view kernel, Dim3 grid = {1, 1, 1});
  /// The node now does what `like` does; 0: what is stated under the thread's stack.
  void update_node(std::uint64_t node, std::uint64_t like, std::uint32_t thread = 1) {
    graph_event(GraphEventRow::Kind::kUpdate, thread, node, like);
  }
  void begin_exec(std::uint32_t graph, std::uint32_t thread = 1) {
    graph_event(GraphEventRow::Kind::kExecBegin, thread).graph = graph;
  }
  void end_exec(std::uint32_t graph, std::uint32_t thread = 1) {
    graph_event(GraphEventRow::Kind::kExecEnd, thread).graph = graph;
  }
  void end_graph(std::uint32_t graph, std::uint32_t thread = 1) {
    graph_event(GraphEventRow::Kind::kEnd, thread).graph = graph;
  }
  /// A launch of a graph under the thread's stack; its work follows. The executable is told only in
  /// processes with conditional nodes.
  void launch_graph(std::uint32_t thread = 1, std::uint32_t told_exec = 0);
  /// Work of the last launch.
  std::size_t replay(std::uint64_t node, std::string_view kernel);
  /// All that one launch of that executable ran, recorded as a whole: of the last launch, or
  /// without one, as a launch by a kernel.
  std::size_t whole_graph(std::uint32_t exec, bool by_kernel = false);
  /// Work of a body at that time, without correlation. Call it after all others.
  std::size_t body(std::uint64_t node, std::string_view kernel, std::int64_t start_ns);
  [[nodiscard]] std::int64_t now_ns() const { return now_ns_; }

  StringId new_string(std::string_view text) {
    strings_.emplace_back(text);
    return StringId{static_cast<std::uint32_t>(strings_.size())};
  }
  DomainId domain(std::string_view name);
  /// A payload schema of 64-bit numbers, one after the other; or as its JSON says.
  void payload_schema(DomainId domain, std::uint64_t id, const std::vector<std::string>& fields);
  void payload_schema_text(DomainId domain, std::uint64_t id, std::string json) {
    schemas_.push_back({domain, id, std::move(json)});
  }
  void document(std::string kind, std::string name, std::string bytes) {
    documents_.push_back(
        {static_cast<std::int64_t>(documents_.size()), std::move(kind), std::move(name)});
    document_bytes_.push_back(std::move(bytes));
  }
  void payload(RangeId range, std::uint64_t schema, const std::vector<std::uint64_t>& numbers);
  void payload_bytes(RangeId range, std::uint64_t schema, std::string bytes) {
    payloads_.push_back({range, ranges_[range - 1].domain, schema, std::move(bytes)});
  }
  /// A range of the process, told whole.
  void process_range(std::string_view text, std::int64_t start_ns,
                     std::optional<std::int64_t> end_ns, DomainId domain = kDefaultDomain) {
    process_ranges_.push_back({1, domain, std::string(text), start_ns, end_ns});
  }
  void advance_ns(std::int64_t ns) { now_ns_ += ns; }
  [[nodiscard]] GpuRow& row(std::size_t index) { return rows_[index]; }
  [[nodiscard]] RangeRow& range_row(RangeId id) { return ranges_[id - 1]; }
  /// All launches of `kernel` have this grid; 1,1,1 unless told.
  void set_grid(std::string_view kernel, Dim3 grid) {
    configs_[config_of(kernel).value - 1].grid = grid;
  }
  /// Likewise this block; 1,1,1 unless told.
  void set_block(std::string_view kernel, Dim3 block) {
    configs_[config_of(kernel).value - 1].block = block;
  }
  void fail_after(std::size_t rows) { fail_after_ = rows; }
  [[nodiscard]] std::uint64_t range_lookups() const { return range_lookups_; }

  // --- TraceReader.
  std::unique_ptr<GpuCursor> gpu_work(Work work) override;
  std::unique_ptr<RowCursor<const ApiCallRow>> api_calls() override {
    return cursor_over(api_calls_);
  }
  std::unique_ptr<RowCursor<const RangeSpanRow>> all_ranges() override;
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
    return cursor_over(graph_events_);
  }
  std::unique_ptr<RowCursor<const GraphLaunchRow>> graph_launches() override {
    return cursor_over(graph_launches_);
  }
  std::string_view string(StringId id) override;
  const LaunchConfig& config(ConfigId id) override;
  RangeRef range(RangeId id) override;
  RangeRef range_after(RangeId id) override;
  bool has_numbered_ranges() override;
  std::string_view domain_name(DomainId id) override;
  void process_ranges(const std::function<void(const TextRangeRow&)>& visit) override {
    for (const TextRangeRow& row : process_ranges_) visit(row);
  }
  void thread_ranges(const std::function<bool(DomainId, std::string_view)>& wants,
                     const std::function<void(const TextRangeRow&)>& visit) override;
  std::unique_ptr<RowCursor<const StackPlaceRow>> thread_stacks(
      const std::function<std::uint32_t(const StackFormRow&)>& number) override;
  std::vector<PayloadSchemaRow> payload_schemas() override { return schemas_; }
  std::vector<DocumentRow> documents() override { return documents_; }
  std::string document_bytes(const DocumentRow& document) override {
    return document_bytes_[static_cast<std::size_t>(document.id)];
  }
  void payloads_of(RangeId id, const std::function<void(const PayloadRow&)>& visit) override;
  void payloads_with(DomainId domain, std::uint64_t schema,
                     const std::function<void(const PayloadRow&)>& visit) override;
  const std::vector<ThreadRow>& threads() override { return threads_; }
  const std::vector<DeviceRow>& devices() override { return devices_; }
  const std::vector<LossRow>& losses() override { return losses_; }
  const Captures& captures() override { return captures_; }
  std::string meta(std::string_view key) override {
    const auto found = metas_.find(key);
    return found == metas_.end() ? std::string() : found->second;
  }
  [[nodiscard]] std::int64_t start_realtime_ns() const override { return 0; }
  [[nodiscard]] const std::string& path() const override { return path_; }
  Result<SqliteDb*> for_queries() override { return nullptr; }
  CaptureEnd capture_end() override { return {"exit"}; }
  [[nodiscard]] Status status() const override { return {}; }

  // --- Tables that no part of the program above fills.
  std::vector<ApiCallRow> api_calls_;
  std::vector<MarkRow> marks_;
  std::vector<SyncRow> synchronizations_;
  std::vector<OverheadRow> overheads_;
  std::vector<ClockSyncRecord> clock_syncs_;
  std::vector<GraphEventRow> graph_events_;
  std::vector<GraphLaunchRow> graph_launches_;
  std::vector<DeviceRow> devices_;
  std::map<std::string, std::string, std::less<>> metas_;

 private:
  class Cursor;
  struct Blob {
    RangeId range = 0;
    DomainId domain;
    std::uint64_t schema = 0;
    std::string bytes;
  };

  /// A row that range() returned.
  struct Given {
    Given(const RangeRow& of, std::string its_numbers) : row(of), numbers(std::move(its_numbers)) {}
    RangeRow row;
    std::string numbers;
  };

  GpuRow& launch(std::uint32_t thread, std::int64_t duration_ns);
  GraphEventRow& graph_event(GraphEventRow::Kind kind, std::uint32_t thread, std::uint64_t node = 0,
                             std::uint64_t other = 0);
  ConfigId config_of(std::string_view kernel);
  void set_text(RangeRow& range, std::string_view text);

  std::vector<GpuRow> rows_;
  GpuRow graph_launch_;
  std::vector<RangeRow> ranges_;
  std::unordered_map<std::uint32_t, std::vector<RangeId>> stacks_;
  std::deque<std::string> strings_;
  std::deque<LaunchConfig> configs_;
  std::map<std::string, ConfigId, std::less<>> config_by_name_;
  std::vector<std::string> domains_;
  std::map<std::string, std::uint32_t, std::less<>> templates_;
  std::deque<std::string> numbers_;
  std::deque<std::shared_ptr<Given>> given_;
  SplitText split_;
  bool numbered_ = false;
  std::int64_t now_ns_ = 1000;
  std::size_t fail_after_ = SIZE_MAX;
  std::uint64_t range_lookups_ = 0;

  std::vector<PayloadSchemaRow> schemas_;
  std::vector<DocumentRow> documents_;
  std::vector<std::string> document_bytes_;
  std::vector<Blob> payloads_;
  std::vector<TextRangeRow> process_ranges_;
  std::vector<ThreadRow> threads_;
  std::vector<LossRow> losses_;
  Captures captures_;
  std::string path_ = "fake.db";
};

/// The text of an op in the native dialect; `args` as "x:in:32768x13:float16 y:out:...". A shape of
/// "-" is a scalar.
std::string op_text(std::string_view op, std::string_view direction, std::string_view args,
                    std::string_view part = {}, std::string_view attrs = {});

}  // namespace prof::fakes
