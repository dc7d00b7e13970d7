// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ranks/summarizer.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "analyzers/devices/roofline.hpp"
#include "analyzers/ranks/join.hpp"
#include "libprof/model/times.hpp"
#include "libprof/store/read/record_cursor.hpp"

namespace prof::ranks {
namespace {

/// How far the launch order may differ from the order of launch times across threads.
constexpr std::int64_t kOrderSlackNs = 1'000'000;
constexpr std::size_t kMaxOps = 4096;
constexpr std::uint32_t kMostPlaces = (1U << 30) - 1;  // what fits in a Piece

/// FLOPs tell how much there was to do better than bytes do.
double amount_of(const AttributedRow& row) {
  if (row.gpu.kind != GpuRow::Kind::kKernel) return static_cast<double>(row.gpu.bytes);
  const Quantities& cost = row.attribution.cost;
  return cost.flops && *cost.flops > 0 ? *cost.flops : cost.bytes.value_or(0);
}

/// Of the input or its gradient: in cuBLAS's terms the columns of the result. A bias has no k, and
/// of a weight's gradient the rows are added up.
double rows_of(const AttributedRow& row) {
  const OpAttribution& op = *row.attribution.op;
  if (!row.attribution.main || !op.gemm || !op.gemm->k || op.part == Part::kWeight) return 0;
  return static_cast<double>(op.gemm->n) * static_cast<double>(op.gemm->batch);
}

std::optional<std::uint32_t> small(const std::optional<std::int64_t>& number) {
  if (!number || *number < 0 || *number > INT32_MAX) return std::nullopt;
  return static_cast<std::uint32_t>(*number);
}

std::int32_t or_none(const std::optional<std::uint32_t>& number) {
  return number && *number <= INT32_MAX ? static_cast<std::int32_t>(*number) : -1;
}

}  // namespace

Summarizer::Summarizer(std::uint32_t device, Stated stated, const devices::DevicePeaks& peaks)
    : stated_(std::move(stated)), peaks_(peaks) {
  made_.device = device;
}

void Summarizer::add(const AttributedRow& row) {
  const GpuRow& gpu = row.gpu;
  // Copies and sets that a collective's op makes are the rank's own.
  const bool is_wanted = gpu.kind == GpuRow::Kind::kKernel && is_collective(row.attribution);
  if (!gpu.has_times() || gpu.duration_ns <= 0) {
    made_.untimed += is_wanted ? 1 : 0;
    return;
  }
  Work work;
  work.start_ns = gpu.start_ns;
  work.end_ns = sum_of_times(gpu.start_ns, gpu.duration_ns);
  work.launch_ns = gpu.launch_time_ns();
  work.step = row.attribution.step;
  work.place = place_of(row.attribution.op);
  work.is_collective = is_wanted;
  work.activity = gpu.kind == GpuRow::Kind::kKernel ? Activity::kKernels : Activity::kCopies;
  if (is_wanted) {
    describe(row, work);
  } else {
    work.amount = amount_of(row);
    work.rows = rows_of(row);
  }
  if (gpu.kind == GpuRow::Kind::kKernel) ++made_.kernels;
  add_to_step(row);
  waiting_.push(work);
  if (!work.launch_ns) return;
  add_launch(row, work);
  launched_ns_ = std::max(launched_ns_, *work.launch_ns);
  const std::int64_t settled_ns = difference_of_times(launched_ns_, kOrderSlackNs);
  while (!waiting_.empty() && waiting_.top().start_ns < settled_ns) {
    take(waiting_.top());
    waiting_.pop();
  }
}

std::uint32_t Summarizer::place_of(const std::shared_ptr<const OpAttribution>& op) {
  const auto known = places_by_op_.find(op.get());
  if (known != places_by_op_.end()) return known->second.second;
  const auto [found, is_new] = places_.try_emplace(Place{op->layer, op->op, op->direction},
                                                   static_cast<std::uint32_t>(made_.places.size()));
  if (is_new) made_.places.push_back(found->first);
  // Ops are shared and forgotten by the attributor: kept here, their addresses stay theirs.
  if (places_by_op_.size() >= kMaxOps) places_by_op_.clear();
  places_by_op_.emplace(op.get(), std::pair(op, found->second));
  return found->second;
}

void Summarizer::describe(const AttributedRow& row, Work& work) {
  const CommunicationGroup& group = row.attribution.op->group;
  const CollectiveRecord* const stated = row.gpu.launched ? stated_(row.gpu.launch) : nullptr;
  work.communicator = communicator_of(group, stated);
  work.amount = row.attribution.op->cost.algorithm_bytes.value_or(0);
  work.bus_bytes = row.attribution.op->cost.bus_bytes.value_or(0);
  work.peer = or_none(small(group.peer));
  work.root = or_none(small(group.root));
  if (stated == nullptr) return;
  if (stated->root) work.root = or_none(stated->root);
  // What is a collective to the program may be messages to the library.
  const bool is_pair = wait_rule(row.attribution.op->op) == WaitRule::kPair;
  if (is_pair && stated->peer) work.peer = or_none(stated->peer);
  if (stated->sequence && stated->peer.has_value() == is_pair) {
    work.sequence = *stated->sequence;
    work.has_sequence = true;
  }
}

std::uint32_t Summarizer::communicator_of(const CommunicationGroup& group,
                                          const CollectiveRecord* stated) {
  RankCommunicator made;
  made.ranks = small(group.ranks);
  made.rank = small(group.rank);
  if (group.communicator) made.id = static_cast<std::uint64_t>(*group.communicator);
  if (stated != nullptr) {
    made.id = stated->communicator;
    if (stated->ranks) made.ranks = stated->ranks;
    if (stated->rank) made.rank = stated->rank;
  }
  // Without an id, one for each number of ranks.
  const auto key =
      made.id ? std::pair(std::int64_t{-1}, static_cast<std::int64_t>(*made.id))
              : std::pair(static_cast<std::int64_t>(made.ranks.value_or(0)), std::int64_t{0});
  const auto [found, is_new] =
      communicators_.try_emplace(key, static_cast<std::uint32_t>(made_.communicators.size()));
  if (is_new) made_.communicators.push_back(made);
  return found->second;
}

void Summarizer::add_to_step(const AttributedRow& row) {
  RankStep& step = steps_[row.attribution.step].sums;
  const std::int64_t end_ns = sum_of_times(row.gpu.start_ns, row.gpu.duration_ns);
  step.begin_ns = step.end_ns == 0 ? row.gpu.start_ns : std::min(step.begin_ns, row.gpu.start_ns);
  step.end_ns = step.end_ns == 0 ? end_ns : std::max(step.end_ns, end_ns);
  step.flops += row.attribution.cost.flops.value_or(0);
  if (!row.attribution.op->is_product || !row.attribution.main) return;
  if (row.attribution.op->is_recomputed) return;
  step.product_ns += devices::times_at_peaks(row.attribution, peaks_).compute_ns.value_or(0);
}

/// Of whatever thread: one launches at a time, as a rule. A call that waits for the GPU's queue is
/// not the host's own time, so the way begins where the call before ended.
void Summarizer::add_launch(const AttributedRow& row, const Work& work) {
  if (row.gpu.launch == last_launch_) return;  // of a graph, whose work is launched at once
  last_launch_ = row.gpu.launch;
  const std::int64_t way_ns =
      launch_end_ns_ ? difference_of_times(*work.launch_ns, *launch_end_ns_) : 0;
  if (way_ns > 0) add_piece(work, Activity::kLaunching, way_ns, 0);
  const std::int64_t end_ns = sum_of_times(*work.launch_ns, row.gpu.launch_duration_ns);
  launch_end_ns_ = std::max(launch_end_ns_.value_or(INT64_MIN), end_ns);
}

void Summarizer::take(const Work& work) {
  end_collectives(work.start_ns);
  add_host_time(work);
  if (work.is_collective) return take_collective(work);
  const std::int64_t from_ns = std::max(work.start_ns, busy_until_ns_.value_or(INT64_MIN));
  const std::int64_t own_ns = std::max<std::int64_t>(0, difference_of_times(work.end_ns, from_ns));
  const std::int64_t beside_ns = own_ns > 0 ? in_collectives(from_ns, work.end_ns) : 0;
  add_piece(work, work.activity, own_ns, work.amount, beside_ns);
  computed_ns_ = sum_of_times(computed_ns_, own_ns);
  busy_until_ns_ = std::max(busy_until_ns_.value_or(INT64_MIN), work.end_ns);
}

/// From the end of all work so far until the launch, without what collectives take: then the rank
/// waits for others.
void Summarizer::add_host_time(const Work& next) {
  if (!busy_until_ns_ || !next.launch_ns) return;
  const std::int64_t from_ns = *busy_until_ns_;
  const std::int64_t to_ns = std::min(*next.launch_ns, next.start_ns);
  if (to_ns <= from_ns) return;
  const std::int64_t idle_ns = difference_of_times(to_ns, from_ns) - in_collectives(from_ns, to_ns);
  if (idle_ns > 0) add_piece(next, Activity::kIdle, idle_ns, 0);
  // A collective that comes next does not end the stretch, but what is before it is counted.
  if (next.is_collective) busy_until_ns_ = to_ns;
}

std::int64_t Summarizer::in_collectives(std::int64_t from_ns, std::int64_t to_ns) const {
  std::int64_t covered_ns = 0;
  std::int64_t until_ns = from_ns;
  for (const auto& [begin_ns, end_ns] : recent_) {
    const std::int64_t from = std::max(begin_ns, until_ns);
    const std::int64_t to = std::min(end_ns, to_ns);
    if (to <= from) continue;
    covered_ns += to - from;
    until_ns = to;
  }
  return covered_ns;
}

void Summarizer::take_collective(const Work& work) {
  RankCollective made;
  made.start_ns = work.start_ns;
  made.end_ns = work.end_ns;
  if (work.has_sequence) made.sequence = work.sequence;
  made.step = work.step;
  made.bytes = work.amount;
  made.bus_bytes = work.bus_bytes;
  made.communicator = work.communicator;
  made.place = work.place;
  made.peer = work.peer;
  made.root = work.root;
  running_.push_back({made_.collectives.size(), work.end_ns, computed_until(work.start_ns)});
  made_.collectives.push_back(made);
  std::erase_if(recent_,
                [&](const auto& one) { return busy_until_ns_ && one.second <= *busy_until_ns_; });
  recent_.emplace_back(work.start_ns, work.end_ns);
}

/// How long the GPU has computed by then, which is not before the last start.
std::int64_t Summarizer::computed_until(std::int64_t time_ns) const {
  if (!busy_until_ns_ || *busy_until_ns_ <= time_ns) return computed_ns_;
  return difference_of_times(computed_ns_, difference_of_times(*busy_until_ns_, time_ns));
}

void Summarizer::end_collectives(std::int64_t time_ns) {
  std::erase_if(running_, [&](const Running& one) {
    if (one.end_ns > time_ns) return false;
    RankCollective& ended = made_.collectives[one.index];
    const std::int64_t hidden_ns = computed_until(one.end_ns) - one.computed_ns;
    ended.exposed_ns = std::max<std::int64_t>(0, ended.duration_ns() - hidden_ns);
    steps_[ended.step].sums.exposed_ns += ended.exposed_ns;
    return true;
  });
}

void Summarizer::add_piece(const Work& work, Activity activity, std::int64_t time_ns, double amount,
                           std::int64_t beside_ns) {
  OfStep& step = steps_[work.step];
  RankStep& sums = step.sums;
  if (activity == Activity::kKernels) sums.kernels_ns = sum_of_times(sums.kernels_ns, time_ns);
  if (activity == Activity::kCopies) sums.copies_ns = sum_of_times(sums.copies_ns, time_ns);
  if (activity == Activity::kIdle) sums.idle_ns = sum_of_times(sums.idle_ns, time_ns);
  Piece& piece = step.pieces[{work.place, activity}];
  piece.place = work.place & kMostPlaces;
  piece.activity = static_cast<std::uint32_t>(activity) & 3U;
  piece.time_ns = sum_of_times(piece.time_ns, time_ns);
  piece.amount += static_cast<float>(amount);
  if (activity == Activity::kKernels) piece.rows += static_cast<float>(work.rows);
  piece.beside_ns += static_cast<float>(beside_ns);
  ++piece.count;
}

RankSummary Summarizer::finish() {
  while (!waiting_.empty()) {
    take(waiting_.top());
    waiting_.pop();
  }
  end_collectives(INT64_MAX);
  // Where there are steps, work of none is what starts and ends the program.
  if (steps_.size() > 1) steps_.erase(std::nullopt);
  std::vector<OfStep*> steps;
  for (auto& [number, step] : steps_) {
    step.sums.step = number;
    if (step.sums.end_ns != 0) steps.push_back(&step);
  }
  std::ranges::sort(steps, {}, [](const OfStep* step) { return step->sums.begin_ns; });
  for (std::size_t i = 0; i < steps.size(); ++i) {
    RankStep& step = steps[i]->sums;
    step.is_whole = i + 1 < steps.size();
    if (step.is_whole) step.end_ns = steps[i + 1]->sums.begin_ns;
    for (const auto& [place, piece] : steps[i]->pieces) made_.pieces.push_back(piece);
    step.pieces_end = static_cast<std::uint32_t>(made_.pieces.size());
    made_.steps.push_back(step);
  }
  return std::move(made_);
}

namespace {

/// Whether both sides of a group of sends and receives number it by this one.
bool goes_to_higher_rank(const CollectiveRecord& message, TraceReader& trace) {
  const bool is_sent = trace.string(message.operation) == "Send";
  return message.rank && message.peer && is_sent == (*message.rank < *message.peer);
}

/// Calls of a group come in the same order on all ranks, so the first one stands for them. Sends
/// and receives between two ranks are known by the first message to the higher rank.
void join_group(const CollectiveRecord& next, TraceReader& trace, CollectiveRecord& group) {
  if (!group.peer && !next.peer) return;
  if (group.peer != next.peer || group.communicator != next.communicator) {
    group.peer.reset();
    group.sequence.reset();
  } else if (!goes_to_higher_rank(group, trace) && goes_to_higher_rank(next, trace)) {
    group = next;
  }
}

/// What the library states, by launch.
Result<std::unordered_map<Correlation, CollectiveRecord>> stated_in(TraceReader& trace) {
  std::unordered_map<Correlation, CollectiveRecord> found;
  const auto records = records_of<CollectiveRecord>(trace);
  while (const CollectiveRecord* record = records->next()) {
    if (record->correlation == 0) continue;
    const auto [group, is_new] = found.try_emplace(record->correlation, *record);
    if (!is_new) join_group(*record, trace, group->second);
  }
  PROF_TRY(records->status());
  return found;
}

/// Clocks and memory of the GPUs.
Status add_states(TraceReader& trace, std::vector<RankSummary>& to) {
  std::map<std::uint32_t, std::pair<double, double>> clocks;  // by device: sum, count
  const auto states = records_of<DeviceStateRecord>(trace);
  while (const DeviceStateRecord* state = states->next()) {
    for (RankSummary& summary : to) {
      if (summary.device != state->device) continue;
      if (state->sm_clock_mhz) {
        clocks[state->device].first += *state->sm_clock_mhz;
        clocks[state->device].second += 1;
      }
      if (state->memory_used_bytes) {
        const auto used = static_cast<double>(*state->memory_used_bytes);
        summary.memory_bytes = std::max(summary.memory_bytes.value_or(0), used);
      }
    }
  }
  for (RankSummary& summary : to) {
    const auto found = clocks.find(summary.device);
    if (found != clocks.end()) summary.sm_mhz = found->second.first / found->second.second;
  }
  return states->status();
}

}  // namespace

Result<std::vector<RankSummary>> summarize(TraceReader& trace, AttributedWork& work) {
  const auto stated = stated_in(trace);
  if (!stated) return stated.error();
  std::map<std::uint32_t, devices::DevicePeaks> peaks;
  for (const DeviceRow& device : trace.devices()) {
    peaks.emplace(device.device, devices::device_peaks(device));
  }
  const auto stated_of = [&](Correlation launch) -> const CollectiveRecord* {
    const auto found = stated->find(launch);
    return found != stated->end() ? &found->second : nullptr;
  };
  std::map<std::uint32_t, std::unique_ptr<Summarizer>> devices;
  while (const AttributedRow* row = work.next()) {
    std::unique_ptr<Summarizer>& of = devices[row->gpu.device];
    if (!of) of = std::make_unique<Summarizer>(row->gpu.device, stated_of, peaks[row->gpu.device]);
    of->add(*row);
  }
  PROF_TRY(work.status());
  std::vector<RankSummary> made;
  for (auto& [device, summarizer] : devices) made.push_back(summarizer->finish());
  PROF_TRY(add_states(trace, made));
  return made;
}

}  // namespace prof::ranks
