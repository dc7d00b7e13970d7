// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/graphs/body_launches.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace prof {

BodyLaunches::BodyLaunches(TraceReader& reader, TraceReader::Work work) {
  const std::unique_ptr<GpuCursor> rows = reader.gpu_work(work);
  // Work without a correlation comes first.
  while (const GpuRow* const row = rows->next()) {
    if (row->correlation != 0) break;
    if (!is_body_work(*row)) continue;
    any_ = true;
    execs_[row->graph];
  }
  status_ = rows->status();
  if (!any_ || !status_) return;
  find_launches(reader);
  find_other_work(reader, work);
  if (status_) learn(reader, work);
}

void BodyLaunches::find_launches(TraceReader& reader) {
  const auto calls = reader.graph_launches();
  while (const GraphLaunchRow* const call = calls->next()) {
    const auto exec = execs_.find(call->graph_exec);
    if (exec == execs_.end() || !call->launched) continue;
    exec->second.launches.push_back(launches_.size());
    launches_.push_back({*call});
  }
  if (!calls->status()) status_ = calls->status();
}

void BodyLaunches::find_other_work(TraceReader& reader, TraceReader::Work work) {
  const std::unique_ptr<GpuCursor> rows = reader.gpu_work(work);
  auto launch = launches_.begin();
  while (const GpuRow* const row = rows->next()) {
    if (row->graph_node == 0) continue;
    while (launch != launches_.end() && launch->call.correlation < row->correlation) ++launch;
    if (launch == launches_.end()) break;
    if (launch->call.correlation != row->correlation) continue;
    launch->first_ns = std::min(launch->first_ns, row->start_ns);
    launch->last_ns = std::max(launch->last_ns, row->start_ns);
  }
  if (!rows->status()) status_ = rows->status();
  for (auto& [graph, exec] : execs_) {
    const auto has_work = [this](std::size_t i) { return launches_[i].has_work(); };
    if (std::ranges::any_of(exec.launches, has_work)) {
      std::erase_if(exec.launches, [&](std::size_t i) { return !has_work(i); });
    }
  }
}

void BodyLaunches::learn(TraceReader& reader, TraceReader::Work work) {
  for (const bool counts : {false, true}) {
    const std::unique_ptr<GpuCursor> rows = reader.gpu_work(work);
    const GpuRow* row = nullptr;
    while ((row = rows->next()) != nullptr && row->correlation == 0) {
      if (!is_body_work(*row)) continue;
      if (counts) {
        if (Launch* const launch = find_next(*row).launch) ++launch->bodies;
        continue;
      }
      const Position at = position_of(*row);
      if ((at.before != nullptr) == (at.after != nullptr)) continue;
      sides_[row->graph_node] |= at.is_inner ? kInner : at.before != nullptr ? kAfter : kBefore;
    }
    if (!rows->status()) status_ = rows->status();
    rewind();
  }
}

void BodyLaunches::rewind() {
  for (auto& [graph, exec] : execs_) exec.next = 0;
}

BodyLaunches::Position BodyLaunches::position_of(const GpuRow& body) {
  const auto found = execs_.find(body.graph);
  if (found == execs_.end()) return {};
  Exec& exec = found->second;
  const auto began = [&](std::size_t i) {
    const Launch& launch = launches_[exec.launches[i]];
    return (launch.has_work() ? launch.first_ns : launch.call.start_ns) <= body.start_ns;
  };
  while (exec.next < exec.launches.size() && began(exec.next)) ++exec.next;
  Position at;
  if (exec.next > 0) at.before = &launches_[exec.launches[exec.next - 1]];
  if (at.before != nullptr && !at.before->has_work()) {
    // Launches that ran nothing else: an earlier one may not have ended when the next was made.
    if (exec.next > 1) at.stand_in = std::exchange(at.before, nullptr);
    return at;
  }
  at.is_inner = at.before != nullptr && body.start_ns <= at.before->last_ns;
  if (at.is_inner || exec.next == exec.launches.size()) return at;
  Launch& after = launches_[exec.launches[exec.next]];
  (after.call.start_ns <= body.start_ns ? at.after : at.stand_in) = &after;
  return at;
}

BodyLaunches::Found BodyLaunches::find_next(const GpuRow& body) {
  const Position at = position_of(body);
  if (at.before == nullptr && at.after == nullptr) return {at.stand_in, false};
  if (at.before == nullptr) return {at.after, true};
  if (at.after == nullptr) return {at.before, true};
  const auto side = sides_.find(body.graph_node);
  if (side != sides_.end() && side->second == kAfter) return {at.before, true};
  return {at.after, side != sides_.end() && side->second == kBefore};
}

}  // namespace prof
