// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/whatif/stream_waits.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace prof::whatif {
namespace {

/// A start that much later than launch and stream allow has another reason.
constexpr std::int64_t kLateNs = 5'000;
/// What ended at most so long before may be that reason.
constexpr std::int64_t kRightBehindNs = 5'000;
/// And so long after it, as clocks are read apart.
constexpr std::int64_t kClockSkewNs = 500;
constexpr std::size_t kLeastVotes = 3;
/// Each late work is compared with every stream.
constexpr std::uint16_t kMostStreams = 64;

/// A work of a step: on which stream, and how many there are before it in the step.
struct PlaceInStep {
  std::uint16_t stream = 0;
  std::uint32_t index = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm about what the compiler writes
  friend auto operator<=>(const PlaceInStep&, const PlaceInStep&) = default;
};

struct Candidate {
  std::size_t steps = 0, late = 0, behind_wait = 0;
  std::map<PlaceInStep, std::size_t> right_behind;
  std::map<PlaceInStep, std::size_t> stated;  ///< By calls, with one other stream.
};

/// The place with the most votes.
const std::pair<const PlaceInStep, std::size_t>* most_of(
    const std::map<PlaceInStep, std::size_t>& votes) {
  const auto most = std::ranges::max_element(votes, {}, [](const auto& one) { return one.second; });
  return most != votes.end() ? &*most : nullptr;
}

class Finding {
 public:
  Finding(const RecordedRun& run, std::span<const std::uint32_t> order) : run_(run) {
    place(order);
    for (std::size_t i = 0; i < order.size(); ++i) look_at(order[i]);
  }

  std::unordered_map<std::uint32_t, std::uint32_t> edges() const {
    std::unordered_map<std::uint32_t, std::uint32_t> found;
    for (const auto& [waiting, candidate] : candidates_) {
      if (const auto* const stated = most_of(candidate.stated)) {
        const bool is_always = stated->second * 10 >= candidate.steps * 9;
        if (is_always && add(waiting, stated->first, found)) continue;
      }
      const auto* const most = most_of(candidate.right_behind);
      if (most == nullptr || most->second < kLeastVotes) continue;
      const bool has_wait = candidate.behind_wait * 10 >= candidate.steps * 9;
      const std::size_t of = has_wait ? candidate.late : candidate.steps;
      if (most->second * 10 < of * 9) continue;
      add(waiting, most->first, found);
    }
    return found;
  }

 private:
  struct Place {
    std::uint32_t step = 0;
    PlaceInStep in;
  };
  using Key = std::pair<std::uint32_t, PlaceInStep>;

  /// The place of each work in its step, which begins with its first work. Works before the first
  /// step have none.
  void place(std::span<const std::uint32_t> order);
  void look_at(std::uint32_t at);
  void read_call(const RunCall& call);
  void count_stated(const RunWork& work, const Place& place, Candidate& candidate);
  /// Adds the edge in all steps, unless many contradict it.
  bool add(const PlaceInStep& waiting, const PlaceInStep& before,
           std::unordered_map<std::uint32_t, std::uint32_t>& to) const;

  const RecordedRun& run_;
  std::vector<std::optional<Place>> places_;  // by work
  std::map<Key, std::uint32_t> works_;
  std::uint32_t steps_ = 0;
  std::map<PlaceInStep, Candidate> candidates_;
  std::vector<std::vector<std::uint32_t>> streams_;  // the works so far
  std::size_t calls_read_ = 0;
  std::vector<bool> is_to_wait_;  // by stream
  // The last work of each stream when an event was last recorded.
  std::optional<std::vector<std::optional<std::uint32_t>>> recorded_;
  std::vector<std::optional<std::uint32_t>> stated_;  // by stream, what it was made to wait for
};

void Finding::place(std::span<const std::uint32_t> order) {
  places_.resize(run_.works.size());
  std::map<std::pair<std::uint32_t, std::int64_t>, bool> begins;
  for (const RunStep& step : run_.steps)
    begins.emplace(std::pair{step.device, step.begin_ns}, true);
  std::map<std::uint32_t, std::map<std::uint16_t, std::uint32_t>> counts;  // by GPU and stream
  std::map<std::uint32_t, std::uint32_t> step_of;                          // by GPU
  for (const std::uint32_t at : order) {
    const RunWork& work = run_.works[at];
    if (begins.contains({work.device, work.start_ns})) {
      ++step_of[work.device];
      counts[work.device].clear();
    }
    const std::uint32_t step = step_of[work.device];
    if (step == 0) continue;
    const PlaceInStep in{work.stream, counts[work.device][work.stream]++};
    places_[at] = Place{step, in};
    works_.emplace(Key{step, in}, at);
    steps_ = std::max(steps_, step);
  }
}

void Finding::read_call(const RunCall& call) {
  const auto last_works = [&] {
    std::vector<std::optional<std::uint32_t>> last(streams_.size());
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      if (!streams_[i].empty()) last[i] = streams_[i].back();
    }
    return last;
  };
  if (call.kind == CallKind::kRecordEvent) recorded_ = last_works();
  if (call.kind != CallKind::kStreamWait || !call.stream) return;
  const std::size_t stream = *call.stream;
  if (stream >= is_to_wait_.size()) is_to_wait_.resize(stream + 1);
  if (stream >= stated_.size()) stated_.resize(stream + 1);
  is_to_wait_[stream] = true;
  stated_[stream].reset();
  const std::vector<std::optional<std::uint32_t>> last = recorded_ ? *recorded_ : last_works();
  std::size_t others = 0;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    if (i == stream || streams_[i].empty()) continue;
    ++others;
    stated_[stream] = i < last.size() ? last[i] : std::nullopt;
  }
  if (others != 1) stated_[stream].reset();
}

void Finding::count_stated(const RunWork& work, const Place& place, Candidate& candidate) {
  if (work.stream >= stated_.size() || !stated_[work.stream]) return;
  const std::optional<Place>& other = places_[*stated_[work.stream]];
  if (other && other->step == place.step) ++candidate.stated[other->in];
}

void Finding::look_at(std::uint32_t at) {
  const RunWork& work = run_.works[at];
  if (work.stream >= streams_.size()) streams_.resize(work.stream + std::size_t{1});
  is_to_wait_.resize(std::max(is_to_wait_.size(), streams_.size()));
  for (; work.call && calls_read_ < *work.call; ++calls_read_) {
    read_call(run_.calls[calls_read_]);
  }
  const bool is_behind_wait = is_to_wait_[work.stream];
  is_to_wait_[work.stream] = false;
  const bool is_first = streams_[work.stream].empty();
  const std::int64_t free_ns =
      is_first ? INT64_MIN : run_.works[streams_[work.stream].back()].end_ns;
  streams_[work.stream].push_back(at);
  if (!places_[at] || !work.call || work.is_of_graph) return;
  Candidate& candidate = candidates_[places_[at]->in];
  ++candidate.steps;
  if (is_behind_wait) {
    ++candidate.behind_wait;
    count_stated(work, *places_[at], candidate);
  }
  const std::int64_t ready = std::max(run_.calls[*work.call].end_ns, free_ns);
  if (difference_of_times(work.start_ns, ready) < kLateNs) return;
  ++candidate.late;
  std::optional<std::uint32_t> last;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    if (i == work.stream) continue;
    // Of a stream, works end in order: the last that ended by then.
    const auto behind = std::ranges::partition_point(streams_[i], [&](std::uint32_t one) {
      return run_.works[one].end_ns <= sum_of_times(work.start_ns, kClockSkewNs);
    });
    if (behind == streams_[i].begin()) continue;
    const std::uint32_t one = *(behind - 1);
    if (!last || run_.works[one].end_ns > run_.works[*last].end_ns) last = one;
  }
  if (!last || !places_[*last] || places_[*last]->step != places_[at]->step) return;
  if (difference_of_times(work.start_ns, run_.works[*last].end_ns) > kRightBehindNs) return;
  ++candidate.right_behind[places_[*last]->in];
}

bool Finding::add(const PlaceInStep& waiting, const PlaceInStep& before,
                  std::unordered_map<std::uint32_t, std::uint32_t>& to) const {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  std::size_t both = 0;
  for (std::uint32_t step = 1; step <= steps_; ++step) {
    const auto work = works_.find({step, waiting}), other = works_.find({step, before});
    if (work == works_.end() || other == works_.end()) continue;
    ++both;
    const RunWork &one = run_.works[work->second], &first = run_.works[other->second];
    const bool is_launched_before = one.call && first.call && *first.call < *one.call;
    if (!is_launched_before || first.end_ns > sum_of_times(one.start_ns, kClockSkewNs)) continue;
    edges.emplace_back(work->second, other->second);
  }
  if (edges.size() * 10 < both * 9) return false;
  for (const auto& [work, other] : edges) to.emplace(work, other);
  return true;
}

}  // namespace

StreamWaits::StreamWaits(const RecordedRun& run, std::span<const std::uint32_t> works_by_call) {
  std::set<std::uint16_t> streams;
  for (const RunWork& work : run.works) streams.insert(work.stream);
  if (streams.size() > 1 && streams.size() <= kMostStreams)
    before_ = Finding(run, works_by_call).edges();
}

}  // namespace prof::whatif
