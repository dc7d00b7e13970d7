// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `streams`: how busy each stream was. Where work of a stream overlaps (programmatic
// launches, copies on several engines), busy counts the time once. Between captures nothing is
// recorded: that time is not idle. Work is sorted by its start, in temporary files beyond 16 MB.
#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "analyzers/base/record_sort.hpp"
#include "analyzers/timeline/collective_times.hpp"
#include "libprof/base/ordered_bits.hpp"
#include "tools/report/builtin/registry.hpp"
#include "tools/report/query/line_columns.hpp"
#include "tools/report/rows/gpu_work.hpp"
#include "tools/report/rows/own_tally.hpp"
#include "tools/report/rows/row_kinds.hpp"

namespace prof::reports {
namespace {

constexpr std::size_t kSortBytes = std::size_t{16} << 20;

/// By GPU.
using StreamKey = std::pair<std::uint32_t, std::uint32_t>;

struct StreamLine {
  const TraceIdentity* trace = nullptr;
  StreamKey key;
  std::uint64_t kernels = 0, copies = 0;
  // Where a time is known, on the axis.
  bool has_times = false;
  std::int64_t busy_ns = 0, idle_ns = 0, first_ns = INT64_MAX, last_ns = INT64_MIN;

  [[nodiscard]] Cell time(std::int64_t StreamLine::*member) const {
    return has_times ? signed_number(this->*member) : absent();
  }
  /// Busiest first.
  [[nodiscard]] auto place() const {
    return std::tuple(!has_times, -busy_ns, std::string_view(trace->name), key);
  }
};

/// The streams of a trace, whose work is sorted by its start.
class TraceStreams {
 public:
  explicit TraceStreams(const TraceIdentity& trace) : trace_(&trace) {}

  [[nodiscard]] const TraceIdentity& trace() const { return *trace_; }
  Status add(const WorkRow& work) {
    const GpuRow& gpu = work.row();
    StreamLine& line = lines_[{gpu.device, gpu.stream}];
    ++(work.is_kernel() ? line.kernels : line.copies);
    if (!gpu.has_times()) return {};
    Placed placed;
    placed.device = gpu.device;
    placed.stream = gpu.stream;
    placed.capture = work.capture();
    placed.begin_ns = work.on_axis(gpu.start_ns);
    placed.end_ns = sum_of_times(placed.begin_ns, gpu.duration_ns);
    std::array<char, sizeof placed> bytes;
    std::memcpy(bytes.data(), &placed, sizeof placed);
    return work_.add(ordered_bits(placed.begin_ns), {bytes.data(), bytes.size()});
  }
  /// After the last work.
  Status move_to(std::vector<StreamLine>& lines);

 private:
  struct Placed {
    std::uint32_t device = 0, stream = 0;
    std::optional<std::uint32_t> capture;
    std::int64_t begin_ns = 0, end_ns = 0;
  };
  struct OfCapture {
    std::int64_t first_ns = 0, last_ns = 0;
    CoveredTime busy;
  };

  const TraceIdentity* trace_;
  std::map<StreamKey, StreamLine> lines_;
  RecordSort<NeverBefore> work_{kSortBytes};
};

Status TraceStreams::move_to(std::vector<StreamLine>& lines) {
  std::map<std::pair<StreamKey, std::optional<std::uint32_t>>, OfCapture> captures;
  while (const SortedRecord* const record = work_.next()) {
    Placed work;
    std::memcpy(static_cast<void*>(&work), record->bytes.data(), sizeof work);
    const auto [found, is_first] = captures.try_emplace({{work.device, work.stream}, work.capture});
    OfCapture& of = found->second;
    if (is_first) of.first_ns = of.last_ns = work.begin_ns;
    of.busy.add(work.begin_ns, work.end_ns);
    of.last_ns = std::max(of.last_ns, work.end_ns);
  }
  PROF_TRY(work_.status());
  for (const auto& [place, of] : captures) {
    StreamLine& line = lines_[place.first];
    line.has_times = true;
    const std::int64_t busy_ns = of.busy.until(of.last_ns);
    add_time(line.busy_ns, busy_ns);
    add_time(line.idle_ns,
             difference_of_times(difference_of_times(of.last_ns, of.first_ns), busy_ns));
    line.first_ns = std::min(line.first_ns, of.first_ns);
    line.last_ns = std::max(line.last_ns, of.last_ns);
  }
  for (auto& [key, line] : lines_) {
    line.trace = trace_;
    line.key = key;
    lines.push_back(line);
  }
  return {};
}

// clang-format off
constexpr std::array<LineColumn<StreamLine>, 10> kStreamColumns = {{
    {Column::text("trace", "Trace", "file name of the trace").cut_end(8), [](const StreamLine& l) { return text(l.trace->name); }},
    {Column::integer("rank", "Rank", "", "rank of the process in its job"), [](const StreamLine& l) { return l.trace->rank ? number(*l.trace->rank) : absent(); }},
    {Column::integer("device", "Device", "", "CUDA device number of the GPU"), [](const StreamLine& l) { return number(l.key.first); }},
    {Column::integer("stream", "Stream", "", "CUDA's id of the stream"), [](const StreamLine& l) { return number(l.key.second); }},
    {Column::integer("kernels", "Kernels", "", "GPU kernels").grouped(), [](const StreamLine& l) { return number(l.kernels); }},
    {Column::integer("copies", "Copies+Sets", "", "memory copies and sets").grouped().drop(1), [](const StreamLine& l) { return number(l.copies); }},
    {Column::time("busy_ns", "Busy", "time in which kernels, copies or sets run", Column::Type::kReal), [](const StreamLine& l) { return l.time(&StreamLine::busy_ns); }},
    {Column::time("idle_ns", "Idle", "time between the first start and the last end of each capture, minus busy time", Column::Type::kReal), [](const StreamLine& l) { return l.time(&StreamLine::idle_ns); }},
    {Column::instant("first_ns", "First", "start of the first, since the start of the trace").drop(3), [](const StreamLine& l) { return l.time(&StreamLine::first_ns); }},
    {Column::instant("last_ns", "Last", "end of the last, since the start of the trace").drop(2), [](const StreamLine& l) { return l.time(&StreamLine::last_ns); }},
}};
// clang-format on

ReportInfo streams_info() {
  ReportInfo info{.name = "streams",
                  .help = "work, busy time and idle time of each stream of each GPU, busiest first",
                  .rows = kGpuWork.names.many,
                  .has_steps = kGpuWork.has_steps(),
                  .has_ranges = kGpuWork.has_ranges()};
  for (const Field& field : kGpuWork.fields) info.row_words.push_back(field.column.word);
  add_columns(kStreamColumns, info, "device,stream,kernels,copies,busy_ns,idle_ns,first_ns,last_ns",
              "trace,rank");
  return info;
}

class StreamsReport : public Report {
 public:
  StreamsReport() : Report(streams_info()) {}

  Status run(const RowInput& input, const Request& request, RowSink& sink) const override {
    std::vector<StreamLine> lines;
    PROF_TRY(read(OwnTally(input).input(), lines));
    std::ranges::sort(lines, {}, &StreamLine::place);
    LineWriter<StreamLine> writer(kStreamColumns, request, sink);
    for (const StreamLine& line : lines) {
      if (!writer.write(line)) break;
    }
    return {};
  }

 private:
  static Status read(const RowInput& input, std::vector<StreamLine>& lines) {
    RowsOf<WorkRow> rows(kGpuWork, input);
    std::optional<TraceStreams> streams;
    while (const WorkRow* const work = rows.next()) {
      if (streams && &streams->trace() != &work->trace()) {
        PROF_TRY(streams->move_to(lines));
        streams.reset();
      }
      if (!streams) streams.emplace(work->trace());
      PROF_TRY(streams->add(*work));
    }
    PROF_TRY(rows.status());
    return streams ? streams->move_to(lines) : Status();
  }
};

}  // namespace

void register_streams(Registry& registry) { registry.add(std::make_unique<StreamsReport>()); }

}  // namespace prof::reports
