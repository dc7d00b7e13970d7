// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The captured parts of a run as a row kind, in time order, with the GPU work of each. A trace
// without parts is one, of which neither a start nor an end is known.
#include <optional>
#include <unordered_map>
#include <vector>

#include "tools/report/rows/row_input.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/rows/rows_by_trace.hpp"
#include "tools/report/rows/time_cells.hpp"

namespace prof::reports {
namespace {

/// One captured part and the source of its cells.
class CapturedPart final : public Row {
 public:
  explicit CapturedPart(const TraceMember& trace) : trace_(trace) {}

  CaptureRow row;
  bool has_times = true;
  std::uint64_t kernels = 0, copies = 0;
  std::int64_t gpu_ns = 0;

  [[nodiscard]] const TraceIdentity& trace() const override { return trace_.identity; }
  [[nodiscard]] std::optional<std::uint32_t> capture() const override { return row.number; }
  [[nodiscard]] Cell start_ns() const {
    return has_times ? signed_number(on_axis(trace_, row.start_ns)) : absent();
  }
  /// Absent: it has not ended.
  [[nodiscard]] std::optional<std::int64_t> duration_ns() const override {
    if (!has_times || !row.end_ns) return std::nullopt;
    return difference_of_times(*row.end_ns, row.start_ns);
  }
  void add(const GpuRow& work);

 private:
  const TraceMember& trace_;
};

class CapturedPartsOfTrace final : public RowsOfTrace {
 public:
  CapturedPartsOfTrace(const TraceMember& trace, const RowInput&) : trace_(trace) {}
  CapturedPart* next() override;
  [[nodiscard]] Status status() const override { return status_; }

 private:
  /// Reads the GPU work once.
  void count();

  const TraceMember& trace_;
  std::vector<CapturedPart> parts_;
  std::size_t at_ = 0;
  bool is_counted_ = false;
  Status status_;
};

void CapturedPart::add(const GpuRow& work) {
  ++(work.kind == GpuRow::Kind::kKernel ? kernels : copies);
  gpu_ns = sum_of_times(gpu_ns, work.duration_ns);
}

void CapturedPartsOfTrace::count() {
  is_counted_ = true;
  const Captures& captures = trace_.reader.captures();
  std::unordered_map<std::uint32_t, std::size_t> by_number;
  for (const CaptureRow& row : captures.rows()) {
    by_number.emplace(row.number, parts_.size());
    parts_.emplace_back(trace_).row = row;
  }
  if (captures.empty()) {
    CapturedPart& only = parts_.emplace_back(trace_);
    only.row.number = captures.last_number();
    by_number.emplace(only.row.number, 0);
    only.has_times = false;
  }
  const auto work = trace_.reader.gpu_work(TraceReader::Work::kKernelsAndCopies);
  while (const GpuRow* row = work->next()) {
    const std::optional<std::uint32_t> number =
        captures.empty() ? captures.last_number() : capture_of(*row, captures);
    const auto part = number ? by_number.find(*number) : by_number.end();
    if (part != by_number.end()) parts_[part->second].add(*row);
  }
  status_ = work->status();
}

CapturedPart* CapturedPartsOfTrace::next() {
  if (!is_counted_) count();
  return status_ && at_ < parts_.size() ? &parts_[at_++] : nullptr;
}

// clang-format off
constexpr auto kCapturedPartsFields = with_trace_alone({
    {Column::integer("capture", "Capture", "", "number of the captured part of the run, from 1 in each trace"), [](CapturedPart& r) { return number(r.row.number); }},
    {Column::instant("start_ns", "Start", "start, since the start of the trace"), [](CapturedPart& r) { return r.start_ns(); }},
    {Column::real("time_us", "Time", "us", "time from its start to its end; absent: it has not ended", 0).grouped().wide(9), [](CapturedPart& r) { return microseconds(r.duration_ns()); }, Role::kAlias},
    {Column::time("time_ns", "Time", "time from its start to its end; absent: it has not ended").wide(9), [](CapturedPart& r) { return nanoseconds(r.duration_ns()); }},
    {Column::integer("kernels", "Kernels", "", "kernels that started in it").grouped(), [](CapturedPart& r) { return number(r.kernels); }},
    {Column::integer("copies", "Copies+Sets", "", "memory copies and sets that started in it").grouped().drop(3), [](CapturedPart& r) { return number(r.copies); }},
    {Column::real("gpu_us", "GPU time", "us", "total time of its kernels, copies and sets", 0).grouped().wide(9), [](CapturedPart& r) { return microseconds(r.gpu_ns); }, Role::kAlias},
    {Column::time("gpu_ns", "GPU time", "total time of its kernels, copies and sets").wide(9), [](CapturedPart& r) { return signed_number(r.gpu_ns); }},
    {Column::text("opener", "Opened by", "why it began").cut_end(12), [](CapturedPart& r) { return text(r.row.opener); }},
    {Column::text("closer", "Closed by", "why it ended; absent: it has not").cut_end(12).drop(2), [](CapturedPart& r) { return text(r.row.closer); }},
});
// clang-format on

}  // namespace

constinit const RowKind kCapturedParts = {
    .names = {"capture", "captures", "captures", "every captured part of the run"},
    .fields = kCapturedPartsFields,
    .open =
        [](const RowInput& input) {
          return rows_by_trace<CapturedPartsOfTrace>(kCapturedParts, input);
        },
};

}  // namespace prof::reports
