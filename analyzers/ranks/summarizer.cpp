// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ranks/summarizer.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "analyzers/ranks/join.hpp"
#include "libprof/model/times.hpp"

namespace prof::ranks {
namespace {

/// How far the launch order may differ from the order of launch times across threads.
constexpr std::int64_t kOrderSlackNs = 1'000'000;
constexpr std::size_t kMaxOps = 4096;
constexpr std::uint32_t kMostPlaces = (1U << 30) - 1;  // what fits in a Piece

/// FLOPs show how much there was to do better than bytes do.
double amount_of(const AttributedRow& row) {
  if (row.gpu.kind != GpuRow::Kind::kKernel) return static_cast<double>(row.gpu.bytes);
  const Quantities& cost = row.attribution.cost;
  return cost.flops && *cost.flops > 0 ? *cost.flops : cost.bytes.value_or(0);
}

/// Rows of the input or its gradient: in cuBLAS's terms the columns of the result. A bias has no k,
/// and the rows of a weight's gradient are added up.
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

Summarizer::Summarizer(std::uint32_t device, Stated stated, OwnLine::Waited waited)
    : stated_(std::move(stated)), line_(std::move(waited)) {
  made_.device = device;
}

void Summarizer::add(const AttributedRow& row, std::optional<std::uint32_t> capture) {
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
  work.step = {capture, row.attribution.step};
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
  steps_[work.step].flops += row.attribution.cost.flops.value_or(0);
  work.launched = {.start_ns = work.start_ns,
                   .end_ns = work.end_ns,
                   .launch_ns = work.launch_ns.value_or(kNever),
                   .call_ns = gpu.launch_duration_ns,
                   .stream = gpu.stream,
                   .is_collective = work.is_collective};
  line_.launch(work.launched);
  waiting_.push(work);
  if (!work.launch_ns) return;
  if (work.launched.way_ns > 0) {
    add_piece(work, Activity::kLaunching, work.launched.way_ns, 0);
  }
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
  // A collective of the program may be messages to the library.
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

void Summarizer::take(const Work& work) {
  end_collectives(work.start_ns);
  add_host_time(work);
  if (work.is_collective) return take_collective(work);
  line_.begin_own(work.launched, own_until_ns_);
  own_until_ns_ = std::max(own_until_ns_, work.end_ns);
  const std::int64_t from_ns = std::max(work.start_ns, busy_until_ns_.value_or(INT64_MIN));
  const std::int64_t own_ns = std::max<std::int64_t>(0, difference_of_times(work.end_ns, from_ns));
  const std::int64_t beside_ns = own_ns > 0 ? in_collectives(from_ns, work.end_ns) : 0;
  add_piece(work, work.activity, own_ns, work.amount, beside_ns);
  if (work.activity == Activity::kKernels) computing_.add(work.start_ns, work.end_ns);
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
  made.step = work.step.second;
  made.bytes = work.amount;
  made.bus_bytes = work.bus_bytes;
  made.communicator = work.communicator;
  made.place = work.place;
  made.peer = work.peer;
  made.root = work.root;
  line_.begin_collective(work.launched, made, static_cast<std::uint32_t>(made_.collectives.size()));
  running_.push_back({made_.collectives.size(), work.end_ns, computing_.until(work.start_ns)});
  made_.collectives.push_back(made);
  std::erase_if(recent_,
                [&](const auto& one) { return busy_until_ns_ && one.second <= *busy_until_ns_; });
  recent_.emplace_back(work.start_ns, work.end_ns);
}

void Summarizer::end_collectives(std::int64_t time_ns) {
  std::erase_if(running_, [&](const Running& one) {
    if (one.end_ns > time_ns) return false;
    RankCollective& ended = made_.collectives[one.index];
    const std::int64_t hidden_ns = computing_.until(one.end_ns) - one.computed_ns;
    ended.exposed_ns = std::max<std::int64_t>(0, ended.duration_ns() - hidden_ns);
    return true;
  });
}

void Summarizer::add_piece(const Work& work, Activity activity, std::int64_t time_ns, double amount,
                           std::int64_t beside_ns) {
  Piece& piece = steps_[work.step].pieces[{work.place, activity}];
  piece.place = work.place & kMostPlaces;
  piece.activity = static_cast<std::uint32_t>(activity) & 3U;
  piece.time_ns = sum_of_times(piece.time_ns, time_ns);
  piece.amount += static_cast<float>(amount);
  if (activity == Activity::kKernels) piece.rows += static_cast<float>(work.rows);
  piece.beside_ns += static_cast<float>(beside_ns);
  ++piece.count;
}

RankSummary Summarizer::finish(std::span<const StepOfCapture> steps) {
  while (!waiting_.empty()) {
    take(waiting_.top());
    waiting_.pop();
  }
  end_collectives(INT64_MAX);
  line_.finish(made_);
  for (const StepOfCapture& one : steps) {
    made_.steps.push_back(one.step);
    RankStep& step = made_.steps.back();
    const auto found = steps_.find({one.capture, one.step.step});
    if (found != steps_.end()) {
      step.flops = found->second.flops;
      for (const auto& [place, piece] : found->second.pieces) made_.pieces.push_back(piece);
    }
    step.pieces_end = static_cast<std::uint32_t>(made_.pieces.size());
  }
  return std::move(made_);
}

}  // namespace prof::ranks
