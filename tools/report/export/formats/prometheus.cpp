// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Format `prometheus`: sums by layer and direction and what a step takes, as gauges in Prometheus'
// text format, for the textfile collector of its node exporter. Names of kernels are no labels:
// each set of labels is a time series, and there would be thousands.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libprof/base/count_text.hpp"
#include "libprof/base/statistics.hpp"
#include "tools/report/export/formats/registry.hpp"
#include "tools/report/export/formats/utf8_text.hpp"
#include "tools/report/export/formats/work_stacks.hpp"
#include "tools/report/rows/gpu_work.hpp"
#include "tools/report/rows/rank_waits.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/table/owned_cells.hpp"
#include "tools/report/table/value_text.hpp"

namespace prof::formats {
namespace {

using reports::Row;

/// `{host="a",rank="0"`, without the closing brace.
class Labels {
 public:
  Labels& add(std::string_view name, std::string_view value) {
    if (value.empty()) return *this;
    fmt::format_to(std::back_inserter(text_), "{}{}=\"", text_.empty() ? "{" : ",", name);
    for (const char c : exports::utf8_text(value, valid_)) {
      if (c == '"' || c == '\\') text_ += '\\';
      if (c == '\n') text_ += "\\n";
      if (c != '\n') text_ += c;
    }
    text_ += '"';
    return *this;
  }
  [[nodiscard]] std::string text() const { return text_.empty() ? "" : text_ + "}"; }

 private:
  std::string text_, valid_;
};

/// The labels that say which GPU, made once for each.
class GpuLabels {
 public:
  explicit GpuLabels(const TraceSet& traces) : traces_(traces) {}

  const Labels& of(const TraceIdentity& trace, std::uint32_t device) {
    const auto [found, is_new] = known_.try_emplace({&trace, device});
    if (is_new) add(trace, device, found->second);
    return found->second;
  }

 private:
  void add(const TraceIdentity& trace, std::uint32_t device, Labels& labels) {
    labels.add("run", trace.run).add("host", trace.host);
    if (trace.rank) labels.add("rank", std::to_string(*trace.rank));
    labels.add("gpu", std::to_string(device));
    // Processes of a host may each have a GPU 0.
    const TraceMember& member = traces_.members()[exports::place_of(traces_, trace)];
    for (const DeviceRow& row : member.reader.devices()) {
      if (row.device == device) labels.add("uuid", row.uuid);
    }
  }

  const TraceSet& traces_;
  std::map<reports::DeviceOfTrace, Labels> known_;
};

/// Values by labels, in order.
using Values = std::map<std::string, double>;

struct Metric {
  std::string_view name, help;
  Values values = {};
};

void write(const Metric& metric, tools::Output& output) {
  if (metric.values.empty()) return;
  std::string& out = output.buffer();
  fmt::format_to(std::back_inserter(out), "# HELP {0} {1}\n# TYPE {0} gauge\n", metric.name,
                 metric.help);
  for (const auto& [labels, value] : metric.values) {
    out.append(metric.name).append(labels).append(" ");
    reports::append_real(value, out);
    out += '\n';
  }
  output.commit();
}

/// By layer and direction.
class WorkMetrics {
 public:
  Status read(const reports::RowInput& input) {
    GpuLabels gpus(input.traces);
    reports::RowsOf<reports::WorkRow> rows(reports::kGpuWork, input);
    while (reports::WorkRow* const row = rows.next()) {
      add(*row, gpus.of(row->trace(), row->row().device));
    }
    return rows.status();
  }
  /// Times are summed up in nanoseconds, exactly.
  void write_to(tools::Output& output) {
    for (auto& [labels, time] : time_.values) time /= 1e9;
    for (const Metric* metric :
         {&time_, &kernels_, &flops_, &bytes_, &flops_unknown_, &bytes_unknown_, &estimated_}) {
      write(*metric, output);
    }
  }
  [[nodiscard]] std::uint64_t without_time() const { return without_time_; }

 private:
  void add(reports::WorkRow& row, Labels all) {
    const std::string labels =
        all.add("layer", row.op().layer).add("dir", name(row.op().direction)).text();
    if (!row.row().has_times()) {
      ++without_time_;
    } else {
      time_.values[labels] += static_cast<double>(row.row().duration_ns);
    }
    if (!row.is_kernel()) {
      bytes_.values[labels] += static_cast<double>(row.row().bytes);
      return;
    }
    const auto& cost = row.attribution().cost;
    ++kernels_.values[labels];
    if (cost.flops) flops_.values[labels] += *cost.flops;
    if (cost.bytes) bytes_.values[labels] += *cost.bytes;
    flops_unknown_.values[labels] += cost.flops ? 0 : 1;
    bytes_unknown_.values[labels] += cost.bytes ? 0 : 1;
    const bool is_known = cost.flops || cost.bytes;
    const Basis basis = row.attribution().basis;
    const bool is_sure = basis != Basis::kEstimated && basis != Basis::kUpperBound;
    estimated_.values[labels] += is_known && !is_sure ? 1 : 0;
  }

  Metric time_{"prof_gpu_time_seconds", "GPU time of kernels, copies and sets."};
  Metric kernels_{"prof_gpu_kernels", "Kernels."};
  Metric flops_{"prof_gpu_flops", "Floating-point operations, as far as they are known."};
  Metric bytes_{"prof_gpu_bytes",
                "Bytes that ops must move and that are copied, as far as they are known."};
  Metric flops_unknown_{"prof_gpu_flops_unknown_kernels", "Kernels whose FLOPs are not known."};
  Metric bytes_unknown_{"prof_gpu_bytes_unknown_kernels", "Kernels whose bytes are not known."};
  Metric estimated_{"prof_gpu_estimated_kernels", "Kernels whose FLOPs or bytes are estimates."};
  std::uint64_t without_time_ = 0;
};

/// Metrics of steady steps, by GPU.
class StepMetrics {
 public:
  Status read(const reports::RowInput& input) {
    GpuLabels gpus(input.traces);
    const auto rows = reports::kStepTimes.open(input);
    while (Row* const row = rows->next()) add(*row, gpus);
    PROF_TRY(rows->status());
    for (auto& [gpu, steps] : gpus_) finish(gpu, steps);
    return {};
  }
  void write_to(tools::Output& output) const {
    for (const Metric* metric : {&steps_, &period_, &idle_, &exposed_, &mfu_}) {
      write(*metric, output);
    }
  }

 private:
  struct OfGpu {
    std::vector<double> periods_ns;
    double idle_ns = 0, exposed_ns = 0, mfu_ns = 0;
    bool has_mfu = true;
  };

  static std::optional<double> number(Row& row, std::string_view word) {
    const auto value = reports::number_in(reports::kStepTimes.find(word)->value(row));
    return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
  }
  void add(Row& row, GpuLabels& gpus) {
    if (number(row, "is_steady").value_or(0) == 0) return;
    const auto device = static_cast<std::uint32_t>(number(row, "device").value_or(0));
    OfGpu& gpu = gpus_[gpus.of(row.trace(), device).text()];
    const double period_ns = number(row, "period_ns").value_or(0);
    const std::optional<double> mfu_pct = number(row, "mfu_pct");
    gpu.periods_ns.push_back(period_ns);
    gpu.idle_ns += number(row, "idle_ns").value_or(0);
    gpu.exposed_ns += number(row, "collective_ns").value_or(0);
    gpu.mfu_ns += mfu_pct.value_or(0) / 100 * period_ns;
    gpu.has_mfu = gpu.has_mfu && mfu_pct && number(row, "flops_unknown").value_or(0) == 0;
  }
  void finish(const std::string& labels, OfGpu& gpu) {
    double total_ns = 0;
    for (const double period_ns : gpu.periods_ns) total_ns += period_ns;
    steps_.values[labels] = static_cast<double>(gpu.periods_ns.size());
    period_.values[labels] = median(gpu.periods_ns) / 1e9;
    if (total_ns <= 0) return;
    idle_.values[labels] = gpu.idle_ns / total_ns;
    exposed_.values[labels] = gpu.exposed_ns / total_ns;
    if (gpu.has_mfu) mfu_.values[labels] = gpu.mfu_ns / total_ns;
  }

  std::map<std::string, OfGpu> gpus_;
  Metric steps_{"prof_steps", "Steady steps, of which the other figures are."};
  Metric period_{"prof_step_seconds", "Time of a step, the median."};
  Metric idle_{"prof_step_idle_ratio", "Part of the steps in which nothing runs on the GPU."};
  Metric exposed_{"prof_step_exposed_communication_ratio",
                  "Part of the steps in which collectives run and nothing computes."};
  Metric mfu_{"prof_step_mfu_ratio", "Model FLOPs utilization; absent: some FLOPs are not known."};
};

Status write_prometheus(const reports::RowInput& input, tools::Output& output) {
  WorkMetrics work;
  PROF_TRY(work.read(input));
  if (work.without_time() > 0) {
    input.tally.remarks.push_back(
        fmt::format("{} without a time: counted, and not in the sums of times",
                    count_text(work.without_time(), "piece of GPU work", "pieces of GPU work")));
  }
  // The same work is read once more; the notes count it once.
  reports::Tally unused;
  StepMetrics steps;
  PROF_TRY(steps.read({input.traces, input.reading, input.filter, unused, input.find_waits}));
  work.write_to(output);
  steps.write_to(output);
  return {};
}

}  // namespace

void register_prometheus(Registry& registry) {
  registry.add({.word = "prometheus",
                .help = "sums by layer and direction, and steps: Prometheus' text format",
                .extension = "prom",
                .write = write_prometheus});
}

}  // namespace prof::formats
