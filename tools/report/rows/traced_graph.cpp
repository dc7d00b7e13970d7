// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/traced_graph.hpp"

#include <utility>

#include "analyzers/whatif/graph_builder.hpp"
#include "analyzers/whatif/recorded_run.hpp"
#include "analyzers/whatif/step_window.hpp"

namespace prof::reports {
namespace {

constexpr std::uint32_t kNoOp = UINT32_MAX;

}  // namespace

std::uint32_t TracedGraph::number_of(const std::shared_ptr<const OpAttribution>& op) {
  const auto next = static_cast<std::uint32_t>(ops_.size());
  const auto [found, is_new] = numbers_.try_emplace(op.get(), next);
  if (is_new) ops_.push_back(op);
  return found->second;
}

Result<std::unique_ptr<TracedGraph>> TracedGraph::read(const TraceMember& trace,
                                                       const RowInput& input) {
  std::unique_ptr<TracedGraph> traced(new TracedGraph(trace.reader));
  ChosenTimeline chosen(trace, input, ChosenTimeline::Detail::kStates);
  chosen.read();
  const JudgedSteps& steps = chosen.steps();
  PROF_TRY(chosen.status());
  for (const auto& [device, of] : steps.devices()) {
    add_remark(of.judged.outside, device, steps.devices().size() > 1, input.tally.remarks);
  }
  std::optional<whatif::StepWindow> window = whatif::choose_window(steps);
  if (!window) return traced;
  whatif::RunRecorder recorder(trace.reader, window->host);
  PROF_TRY(recorder.status());
  const auto work = input.reading.work(trace.reader, TraceReader::Work::kKernelsAndCopies);
  while (const AttributedRow* const row = work->next()) {
    if (!recorder.add(row->gpu, is_collective(row->attribution))) continue;
    traced->op_of_work_.push_back(traced->number_of(row->attribution.op));
  }
  PROF_TRY(work->status());
  const whatif::RecordedRun run = recorder.finish(std::move(window->steps));
  if (run.is_cut)
    input.tally.remarks.emplace_back("the last steps are left out: too many calls or works");
  traced->op_of_call_.assign(run.calls.size(), kNoOp);
  for (std::size_t i = 0; i < run.works.size(); ++i) {
    if (!run.works[i].call) continue;
    std::uint32_t& op = traced->op_of_call_[*run.works[i].call];
    if (op == kNoOp) op = traced->op_of_work_[i];
  }
  traced->functions_.reserve(run.calls.size());
  for (const whatif::RunCall& call : run.calls) traced->functions_.push_back(call.function);
  traced->graph_ = whatif::build_graph(run);
  return traced;
}

const OpAttribution* TracedGraph::op_of(whatif::NodeId node) const {
  const whatif::Node& of = graph_.nodes[node];
  const std::uint32_t op = is_gpu_work(of.kind) ? op_of_work_[of.place] : op_of_call_[of.place];
  return op != kNoOp ? ops_[op].get() : nullptr;
}

std::string_view TracedGraph::function_of(whatif::NodeId node) const {
  const whatif::Node& of = graph_.nodes[node];
  return is_gpu_work(of.kind) ? std::string_view() : trace_.string(functions_[of.place]);
}

}  // namespace prof::reports
