// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/explain/work_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "analyzers/devices/device_peaks.hpp"
#include "libprof/base/count_text.hpp"
#include "tools/report/rows/loss_lines.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/table/time_text.hpp"
#include "tools/report/table/value_text.hpp"

namespace prof::reports {
namespace {

struct SectionColumns {
  std::string_view name;
  std::array<std::string_view, 18> columns;  ///< As many as there are.
};
constexpr std::array<SectionColumns, 4> kSections = {{
    {"launch",
     {"launch", "origin", "thread", "tid", "device", "device_name", "stream", "step", "launch_ns",
      "launch_time_ns", "queue_ns", "start_ns", "time_ns", "grid", "block", "correlation",
      "graph_node", "launch_layer"}},
    {"attribution",
     {"layer", "op", "op_inner", "op_id", "ops", "layers", "dir", "part", "params", "dtype",
      "recompute", "source", "mod", "seq", "contradicts", "provenance"}},
    {"cost",
     {"flops", "bytes", "bytes_read", "bytes_written", "alg_gb_per_s", "bus_gb_per_s", "role",
      "share"}},
    {"limit",
     {"intensity", "tflop_per_s", "peak_at_clock_tflop_per_s", "gb_per_s", "peak_at_clock_gb_per_s",
      "sm_clock_mhz", "l2_bytes", "roofline_pct", "bound", "latency_by"}},
}};

constexpr std::array<std::pair<std::string_view, ProvenanceField>, 7> kProvenances = {{
    {"layer", ProvenanceField::kLayer},
    {"op", ProvenanceField::kOp},
    {"dir", ProvenanceField::kDirection},
    {"params", ProvenanceField::kShapes},
    {"dtype", ProvenanceField::kDType},
    {"flops", ProvenanceField::kFlops},
    {"bytes", ProvenanceField::kBytes},
}};

/// For people: with its unit and how it is known, or why it is absent.
std::string text_of(const WorkRow& row, const Column& column, const Cell& cell) {
  std::string text;
  if (const auto* none = std::get_if<Absent>(&cell)) {
    const std::string_view why = text_of(none->why);
    return why.empty() ? text : "- (" + std::string(why) + ")";
  }
  if (std::holds_alternative<Words>(cell)) return text;  // beside each fact
  append_value(cell, column, NumberStyle::kForEyes, text);
  if (!column.shown_unit().empty()) text.append(" ").append(column.shown_unit());
  for (const auto& [word, field] : kProvenances) {
    if (word != column.word) continue;
    text.append(" (").append(name(row.provenance(field))).append(")");
  }
  return text;
}

void add_time(std::string_view key, const std::optional<double>& time_ns, std::string_view what,
              ShownSection& to) {
  to.add(key, real(time_ns), time_ns ? ms_text(*time_ns) + " ms" + std::string(what) : "");
}

std::string peaks_from(const DeviceRow* device) {
  if (device == nullptr) return "the GPU is not in the trace";
  const devices::DevicePeaks peaks = devices::device_peaks(*device);
  if (peaks.source().empty()) return "none are known of this GPU";
  std::string text(peaks.source());
  if (text == "derived") text = "derived from the GPU's multiprocessors and clocks";
  if (!peaks.nearest().empty()) text.append(", as those of ").append(peaks.nearest());
  return text;
}

std::string_view why_bound(const devices::RooflineTimes& times, std::int64_t duration_ns) {
  switch (devices::bound(times, duration_ns)) {
    case devices::Bound::kCompute:
      return "of its limits, the FLOPs at the peak take longest";
    case devices::Bound::kMemory:
      return "of its limits, the bytes from the memory take longest";
    case devices::Bound::kL2:
      return "of its limits, the bytes from the L2 take longest";
    case devices::Bound::kLatency:
      return duration_ns < devices::kLatencyNs ? "it takes less than 3 us"
                                               : "no limit takes 10 % of its time";
    case devices::Bound::kUnknown:
      break;
  }
  return {};
}

void add_limits(WorkRow& row, ShownSection& limit) {
  const devices::RooflineTimes& times = row.roofline();
  add_time("compute_ns", times.compute_ns, " for the FLOPs", limit);
  add_time("memory_ns", times.memory_ns, " for the bytes", limit);
  if (times.l2_ns > 0) {
    add_time(
        "l2_ns", times.l2_ns,
        times.is_l2_estimated ? " for the bytes in the L2 (estimated)" : " for the bytes in the L2",
        limit);
  }
  limit.add_text("bound_by", why_bound(times, row.row().duration_ns));
  limit.add_text("peaks_from", peaks_from(row.device()));
}

/// "512 x 2 read, 64 written".
std::string operand_text(const std::vector<Operand>& operands) {
  std::string text;
  for (const Operand& operand : operands) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        grouped(static_cast<std::uint64_t>(operand.bytes)),
                        operand.is_read && operand.is_written ? "read and written"
                        : operand.is_read                     ? "read"
                                                              : "written");
  }
  return text;
}

std::string json_of(const Cell& cell) {
  std::string json;
  append_json(cell, json);
  return json;
}

void add_loss(const LossLine& loss, ShownSection& to) {
  std::string text = loss.line;
  if (!loss.advice.empty()) text.append(" (").append(loss.advice).append(")");
  to.add_text(loss.word, text);
}

std::string what_lacks(const Attribution& work) {
  std::string text;
  const auto add = [&](bool lacks, std::string_view what) {
    if (lacks) text.append(text.empty() ? "no " : ", no ").append(what);
  };
  const OpAttribution& op = *work.op;
  add(op.layer.empty(), "layer");
  add(op.direction == Direction::kNone && !work.is_whole_graph, "direction");
  add(!op.known_op && !work.is_whole_graph, "op that a model knows");
  return text;
}

}  // namespace

void ShownSection::add(std::string_view key, const Cell& cell, std::string text) {
  facts.push_back({std::string(key), json_of(cell), std::move(text)});
  const auto* none = std::get_if<Absent>(&cell);
  if (none == nullptr || reports::text_of(none->why).empty()) return;
  absent += fmt::format("{}{}:{}", absent.empty() ? "" : ",", json_of(reports::text(key)),
                        json_of(reports::text(reports::text_of(none->why))));
}

void ShownSection::add_text(std::string_view key, std::string_view text) {
  add(key, reports::text(text), std::string(text));
}

std::vector<ShownSection> work_facts(WorkRow& row) {
  std::vector<ShownSection> sections;
  for (const SectionColumns& from : kSections) {
    ShownSection& section = sections.emplace_back(ShownSection{.name = from.name});
    for (const std::string_view word : from.columns) {
      const Field* const field = word.empty() ? nullptr : kKernels.find(word);
      if (field == nullptr) continue;
      const Cell cell = field->value(row);
      section.add(word, cell, text_of(row, field->column, cell));
    }
  }
  if (row.is_kernel()) add_limits(row, sections.back());
  return sections;
}

void add_cost(const Explanation& explained, const OpAttribution& op, ShownSection& cost) {
  ShownSection before{.name = cost.name};
  const ExplainedCost& made = explained.cost;
  before.add_text("cost_of", made.op);
  before.add_text("model", made.model);
  before.add_text("file", made.file);
  before.add_text("formula", made.flops);
  before.add_text("formula_with_numbers", made.numbers);
  before.add_text("bytes_formula", made.bytes);
  before.add_text("operand_bytes", operand_text(op.operands));
  const auto add_number = [&](std::string_view key, const std::optional<double>& value) {
    before.add(key, real(value), value ? grouped(static_cast<std::uint64_t>(*value)) : "");
  };
  if (!made.op.empty()) {
    add_number("op_flops", op.cost.flops);
    add_number("op_bytes", op.cost.bytes);
  }
  std::ranges::move(cost.facts, std::back_inserter(before.facts));
  before.absent = std::move(cost.absent);
  cost = std::move(before);
  cost.add_text("why_share", made.why);
}

std::vector<ShownSection> loss_facts(const Explanation& explained, const Attribution& work,
                                     TraceReader& trace) {
  ShownSection own{.name = "losses"}, somewhere{.name = "losses_of_the_trace"};
  if (const std::string lacks = what_lacks(work); !lacks.empty()) {
    own.add_text(kUnattributed, lacks);
  }
  Tally::OfTrace alone;
  alone.analysis = explained.counts;
  for (const LossLine& loss : attribution_losses(alone)) add_loss(loss, own);
  for (const LossLine& loss : recorded_losses(trace)) {
    if (loss.kind == LossKind::kLost) add_loss(loss, somewhere);
  }
  return {std::move(own), std::move(somewhere)};
}

}  // namespace prof::reports
