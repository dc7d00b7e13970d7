// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Report `critical`: the critical path of the steady steps, summed up by what is on it. The path
// goes back from the end of a step along what each piece waited for last (analyzers/whatif), so its
// lines add up to the step. What is not on it has slack: making that shorter gains nothing. What is
// on it gains until another path is the longest: each line is replayed without its time.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "analyzers/whatif/critical_path.hpp"
#include "analyzers/whatif/gain.hpp"
#include "analyzers/whatif/held_out.hpp"
#include "libprof/base/count_text.hpp"
#include "libprof/base/ordered_bits.hpp"
#include "tools/report/builtin/registry.hpp"
#include "tools/report/builtin/row_report.hpp"
#include "tools/report/filter/gpu_filter.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/rows/rows_by_trace.hpp"
#include "tools/report/rows/sum_parts.hpp"
#include "tools/report/rows/sums.hpp"
#include "tools/report/rows/time_cells.hpp"
#include "tools/report/rows/traced_graph.hpp"

namespace prof::reports {
namespace {

using whatif::NodeId;
using whatif::PathKind;
using whatif::PathPiece;
using whatif::StepMark;

/// So many nodes are replayed at most, at 15 ns each: the smallest lines of a large graph have no
/// gain.
constexpr std::size_t kReplayedNodes = 200'000'000;
/// Of a step: if the check is off by more, or more of the path is unexplained, gains say nothing.
constexpr double kMostOff = 0.1;

/// What is a line of the report, as long as nobody asks for more keys.
struct PathKey {
  std::uint32_t device = 0;
  PathKind kind = PathKind::kKernel;
  std::string_view op, function;
  Direction direction = Direction::kNone;
  // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm about what the compiler writes
  friend auto operator<=>(const PathKey&, const PathKey&) = default;
};

struct PathLine {
  std::int64_t time_ns = 0;
  std::uint64_t pieces = 0;
  std::vector<NodeId> takes, waits;  ///< Nodes whose time, and whose lag, is on the path.
  bool has_tail = false;             ///< Which no replay is without.
  std::optional<double> gain_ns;
};

/// Of a GPU of a trace.
struct SteadySteps {
  std::size_t count = 0;
  double time_ns = 0;  ///< Of all.
};

/// A piece of a step's critical path.
class PathRow final : public Row {
 public:
  explicit PathRow(const TraceMember& trace) : trace_(trace) {}
  void set(const TracedGraph& graph, const StepMark& step, const PathPiece& piece,
           const PathLine& line, const SteadySteps& steps) {
    graph_ = &graph;
    step_ = &step;
    piece_ = piece;
    line_ = &line;
    steps_ = steps;
  }

  [[nodiscard]] const TraceIdentity& trace() const override { return trace_.identity; }
  [[nodiscard]] std::optional<std::uint32_t> capture() const override { return step_->capture; }
  [[nodiscard]] const StepMark& step() const { return *step_; }
  [[nodiscard]] std::string_view kind() const { return name(piece_.kind); }
  [[nodiscard]] std::int64_t time_ns() const {
    return difference_of_times(piece_.end_ns, piece_.begin_ns);
  }
  /// A part of the mean over the steady steps of the GPU.
  [[nodiscard]] double step_ns() const {
    return static_cast<double>(time_ns()) / static_cast<double>(steps_.count);
  }
  /// Of the steady steps of the GPU.
  [[nodiscard]] double part() const {
    return steps_.time_ns > 0 ? static_cast<double>(time_ns()) / steps_.time_ns : 0;
  }
  [[nodiscard]] double pieces() const { return 1.0 / static_cast<double>(steps_.count); }
  [[nodiscard]] const OpAttribution* op() const { return graph_->op_of(piece_.node); }
  /// The line that it is in, unless more keys are asked for.
  [[nodiscard]] const PathLine& line() const { return *line_; }
  [[nodiscard]] std::string_view function() const { return graph_->function_of(piece_.node); }

 private:
  const TraceMember& trace_;
  const TracedGraph* graph_ = nullptr;
  const StepMark* step_ = nullptr;
  PathPiece piece_;
  const PathLine* line_ = nullptr;
  SteadySteps steps_;
};

/// The lines of a trace, and what a step gains without each.
class PathLines {
 public:
  PathLines(const TracedGraph& traced, const whatif::Times& times) : traced_(traced) {
    for (const StepMark& step : traced.graph().steps) {
      if (!step.is_steady) continue;
      walk_path(traced.graph(), times, step, [&](const PathPiece& piece) {
        PathLine& line = lines_[key_of(step, piece)];
        add_time(line.time_ns, difference_of_times(piece.end_ns, piece.begin_ns));
        ++line.pieces;
        line.has_tail |= piece.is_tail;
        (piece.is_lag ? line.waits : line.takes).push_back(piece.node);
      });
    }
  }

  /// Replays the GPU's largest lines. Returns why it does not; empty: it does.
  std::string_view find_gains(std::uint32_t device, std::size_t steps);
  /// The gains of the GPU that was asked for last.
  [[nodiscard]] bool lives_on_queue() const { return lives_on_queue_; }
  [[nodiscard]] const PathLine& of(const StepMark& step, const PathPiece& piece) const {
    return lines_.at(key_of(step, piece));
  }

 private:
  [[nodiscard]] PathKey key_of(const StepMark& step, const PathPiece& piece) const {
    const OpAttribution* const op = traced_.op_of(piece.node);
    PathKey key{step.device, piece.kind, {}, traced_.function_of(piece.node)};
    if (op == nullptr) return key;
    key.op = op->op;
    key.direction = op->direction;
    return key;
  }

  const TracedGraph& traced_;
  std::map<PathKey, PathLine> lines_;
  bool lives_on_queue_ = false;
};

std::string_view PathLines::find_gains(std::uint32_t device, std::size_t steps) {
  const whatif::StepGraph& graph = traced_.graph();
  whatif::Gains gains(graph, device);
  if (!gains.why_not().empty()) return gains.why_not();
  std::vector<PathLine*> largest;
  for (auto& [key, line] : lines_) {
    if (key.device == device && !line.has_tail) largest.push_back(&line);
  }
  std::ranges::stable_sort(largest, std::greater{}, &PathLine::time_ns);
  largest.resize(std::min(largest.size(), kReplayedNodes / std::max<std::size_t>(1, graph.size())));
  lives_on_queue_ = !gains.begins_empty();
  whatif::Overlay without = whatif::apply(graph, {});
  for (PathLine* const line : largest) {
    for (const NodeId node : line->takes) without.durations_ns[node] = 0;
    for (const NodeId node : line->waits) without.uses[node] = whatif::NodeUse::kNoLag;
    // Of all steady steps, as its time: the replay may leave the first one out.
    const double most = static_cast<double>(line->time_ns) / static_cast<double>(steps);
    if (const auto gain = gains.mean_of(without)) line->gain_ns = std::clamp(*gain, 0.0, most);
    for (const NodeId node : line->takes) {
      without.durations_ns[node] = graph.nodes[node].duration_ns;
    }
    for (const NodeId node : line->waits) without.uses[node] = whatif::NodeUse::kUsual;
  }
  return {};
}

class PathsOfTrace final : public RowsOfTrace {
 public:
  PathsOfTrace(const TraceMember& trace, const RowInput& input) : row_(trace) {
    const std::size_t remarks = input.tally.remarks.size();
    Result<std::unique_ptr<TracedGraph>> graph = TracedGraph::read(trace, input);
    if (!graph) {
      status_ = graph.error();
      return;
    }
    graph_ = std::move(*graph);
    times_ = whatif::replay(graph_->graph());
    lines_.emplace(*graph_, times_);
    for (std::size_t i = 0; i < graph_->graph().steps.size(); ++i) {
      const StepMark& step = graph_->graph().steps[i];
      if (!step.is_steady) continue;
      SteadySteps& of = steps_[step.device];
      ++of.count;
      of.time_ns += static_cast<double>(times_.periods_ns[i]);
    }
    for (const auto& [device, steps] : steps_) remark(device, input.tally);
    if (input.traces.size() == 1) return;
    for (std::size_t i = remarks; i < input.tally.remarks.size(); ++i) {
      input.tally.remarks[i].insert(0, trace.identity.name + ": ");
    }
  }
  PathRow* next() override {
    while (graph_ != nullptr && at_ == pieces_.size()) {
      if (step_ == graph_->graph().steps.size()) return nullptr;
      take_step(graph_->graph().steps[step_++]);
    }
    if (graph_ == nullptr) return nullptr;
    const StepMark& step = graph_->graph().steps[step_ - 1];
    const PathPiece& piece = pieces_[at_++];
    row_.set(*graph_, step, piece, lines_->of(step, piece), steps_.at(step.device));
    return &row_;
  }
  [[nodiscard]] Status status() const override { return status_; }

 private:
  void take_step(const StepMark& step) {
    pieces_.clear();
    at_ = 0;
    if (!step.is_steady) return;
    walk_path(graph_->graph(), times_, step,
              [&](const PathPiece& piece) { pieces_.push_back(piece); });
  }
  void remark(std::uint32_t device, Tally& tally);

  PathRow row_;
  std::unique_ptr<TracedGraph> graph_;
  whatif::Times times_;
  std::optional<PathLines> lines_;
  std::map<std::uint32_t, SteadySteps> steps_;  // by GPU
  std::size_t step_ = 0;                        // the next one
  std::vector<PathPiece> pieces_;
  std::size_t at_ = 0;
  Status status_;
};

/// What the numbers rest on.
void PathsOfTrace::remark(std::uint32_t device, Tally& tally) {
  const std::string gpu = steps_.size() > 1 ? fmt::format("GPU {}: ", device) : "";
  const whatif::StepGraph& graph = graph_->graph();
  const std::optional<whatif::HeldOut> check = whatif::held_out(graph, device);
  const double unexplained = whatif::unexplained_part(graph, times_, device);
  std::string line = !check ? "not checked: too few steady steps"
                            : fmt::format(
                                  "check: steps predicted from the other steps' delays "
                                  "differ by {:.1f} % (median)",
                                  100 * check->step_error);
  line += fmt::format("; {:.1f} % of the path is unexplained", 100 * unexplained);
  if (const std::size_t wrong = graph.evidence.wrong_edges; wrong > 0) {
    line += fmt::format("; {} began before what they wait for had ended",
                        count_text(wrong, "work", "works"));
  }
  tally.remarks.push_back(gpu + line);
  const bool is_off = unexplained > kMostOff || (check && check->step_error > kMostOff);
  const std::string_view why_not = is_off ? "more than 10 %, so replays say nothing"
                                          : lines_->find_gains(device, steps_.at(device).count);
  if (!why_not.empty()) {
    tally.remarks.push_back(fmt::format("{}no gains: {}", gpu, why_not));
  } else if (lines_->lives_on_queue()) {
    tally.remarks.push_back(gpu + "gains live on launches that were queued before the steps");
  }
}

struct PathSum {
  RealSum step_ns, part, pieces;
  // The line that all pieces are in, and of that: it is the sums' if they have all of it. Null:
  // none, or several.
  const PathLine* line = nullptr;
  std::optional<double> gain_ns;
  std::uint64_t of_line = 0;

  [[nodiscard]] bool is_line() const { return line != nullptr && pieces.count == of_line; }
};

class PathSums final : public PlainSums<PathSums, PathSum> {
 public:
  void add(Row& row) override {
    const auto& piece = static_cast<PathRow&>(row);
    take_line(&piece.line(), piece.line().gain_ns, piece.line().pieces);
    step_ns.add(piece.step_ns());
    part.add(piece.part());
    pieces.add(piece.pieces());
  }
  void merge(const Sums& others) override {
    const auto& other = static_cast<const PathSums&>(others);
    if (other.pieces.count > 0) take_line(other.line, other.gain_ns, other.of_line);
    merge_each<PathSum>(*this, other, &PathSum::step_ns, &PathSum::part, &PathSum::pieces);
  }
  [[nodiscard]] Weight weight() const override {
    return {ordered_bits(step_ns.sum), step_ns.count};
  }

 private:
  /// Before its pieces are added.
  void take_line(const PathLine* of, std::optional<double> gain, std::uint64_t all) {
    line = pieces.count == 0 || line == of ? of : nullptr;
    gain_ns = gain;
    of_line = all;
  }
};

// clang-format off
constexpr auto kPathFields = with_trace({
    {Column::integer("device", "Device", "", "CUDA device number of the GPU"), [](PathRow& r) { return number(r.step().device); }, Role::kKey},
});
constexpr Field kPathKeys[] = {
    {Column::text("trace", "Trace", "file name of the trace").cut_end(8), trace_cells::name, Role::kKey},
    {Column::integer("rank", "Rank", "", "rank of the process in its job"), trace_cells::rank, Role::kKey},
    {Column::integer("device", "Device", "", "CUDA device number of the GPU").drop(3), [](PathRow& r) { return number(r.step().device); }, Role::kKey},
    {Column::text("kind", "Kind", "what the step waits for: kernel, transfer (between GPUs), copy, turnaround (the GPU's time between two works), stream (work of another one), launch (the call, and from there to its work), call, host (on its way to a call), wait (until a call returns) or unexplained"), [](PathRow& r) { return text(r.kind()); }, Role::kKey},
    {Column::text("op", "Op", "op of the work, or of the work to whose launch the host is on its way").cut_end(12), [](PathRow& r) { return r.op() != nullptr ? text(r.op()->op) : absent(); }, Role::kKey},
    {Column::text("dir", "Dir", "fprop, bprop or update (the optimizer)").cut_end(5).drop(5), [](PathRow& r) { return r.op() != nullptr ? text(name(r.op()->direction)) : absent(); }, Role::kKey},
    {Column::text("call", "Call", "CUDA function that the host is in, on its way to, or returns from; absent: the line is of the GPU's work, or of a wait for its start").cut_end(14).drop(2), [](PathRow& r) { return text(r.function()); }, Role::kKey},
    {Column::text("layer", "Layer", "path of the layers around the launch").cut_front(14), [](PathRow& r) { return r.op() != nullptr ? text(r.op()->layer) : absent(); }, Role::kOnRequest},
    {Column::integer("step", "Step", "", "number of the step"), [](PathRow& r) { return signed_number(r.step().number); }, Role::kOnRequest},
};
constexpr SumField kPathSumFields[] = {
    {Column::time("step_ns", "On path", "time on the critical path of a step: the mean over the GPU's steady steps", Column::Type::kReal), [](const PathSums& s, const PathSums&) { return s.step_ns.cell(); }},
    {Column::real("share_pct", "Share", "%", "that time as a share of the GPU's step", 1), [](const PathSums& s, const PathSums&) { return s.part.over(1, 100); }},
    {Column::time("gain_ns", "Gain", "what a step gains if that took no time, estimated by a replay: less where another path is then the longest; absent: with other keys, where the check is off, and for the smallest lines of large traces", Column::Type::kReal), [](const PathSums& s, const PathSums&) { return s.is_line() && s.gain_ns ? estimate(*s.gain_ns) : absent(); }},
    {Column::real("pieces", "Pieces", "", "of the path, in a step", 1).drop(1), [](const PathSums& s, const PathSums&) { return s.pieces.cell(); }},
};
// clang-format on

constexpr SumKind kPathSums = {
    .fields = kPathSumFields,
    .empty = []() -> std::unique_ptr<Sums> { return std::make_unique<PathSums>(); },
    .keys = kPathKeys,
};

std::unique_ptr<RowCursor<Row>> open_paths(const RowInput& input);

constexpr RowKind kPathPieces = {
    .names = {"piece of the critical path", "pieces of critical paths", "path_pieces",
              "every piece of the critical paths of steady steps", "there is no steady step"},
    .fields = kPathFields,
    .steps = Steps::kOwn,
    .open = open_paths,
    .reads_work = 2,
    .reads_timeline = true,
};

std::unique_ptr<RowCursor<Row>> open_paths(const RowInput& input) {
  return rows_by_trace<PathsOfTrace>(kPathPieces, input);
}

}  // namespace

void register_critical(Registry& registry) {
  registry.add(make_report(
      {.name = "critical",
       .help = "critical path of the steady steps: what to make shorter, as all else has slack",
       .kind = kPathPieces,
       .form = RowForm::kGroups,
       .table = "device,kind,op,dir,call,step_ns,share_pct,gain_ns,pieces",
       .sums = &kPathSums}));
}

}  // namespace prof::reports
