// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RankSummary: what the ranks of a run are compared by: the collectives of one GPU of one trace,
// and what the rank did by itself in each step. Made by the summarizer (summarizer.hpp) from one
// trace alone: some 100 bytes for each collective, and 32 for each place of work in a step. Plain
// data; texts are kept once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzers/timeline/device_timeline.hpp"
#include "libprof/model/tensor.hpp"
#include "libprof/model/times.hpp"

namespace prof::ranks {

/// The place where a program does something. A time of the host belongs to the place of the launch
/// that ends it.
struct Place {
  std::string layer, op;
  Direction direction = Direction::kNone;
  // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm about what the compiler writes
  friend auto operator<=>(const Place&, const Place&) = default;
};

/// The kinds of a rank's own activity. Each instant of a GPU counts once: work that runs beside
/// other work adds the part that lasts longer.
enum class Activity : std::uint8_t {
  kKernels,
  kCopies,  ///< And sets.
  kIdle,    ///< Nothing runs, no collective either, and the next work is not launched yet.
  /// On the host: from the end of the launch before to the launch. Also where the GPU is busy.
  kLaunching,
};
inline constexpr std::size_t kActivities = 4;

/// An activity in a place, in one step.
struct Piece {
  std::int64_t time_ns = 0;
  float amount = 0;  ///< FLOPs of its kernels, or else bytes; bytes of copies. 0: not known.
  std::uint32_t place : 30 = 0;
  std::uint32_t activity : 2 = 0;
  std::uint32_t count = 0;  ///< Kernels, copies, or stretches of idle time.
  float beside_ns = 0;  ///< The part of the time in which collectives run, which make work slower.
  float rows = 0;       ///< Sum of the rows of its products' inputs: for an expert, tokens.

  [[nodiscard]] Activity kind() const { return static_cast<Activity>(activity); }
};

inline constexpr std::uint32_t kNoCollective = UINT32_MAX;
inline constexpr std::int64_t kNever = INT64_MIN;

/// The longest gap of the host between two launches since the collective that is launched before.
struct HostGap {
  std::int64_t ns = 0, end_ns = 0;  ///< End: the position of the host.
};

/// A collective, send or receive as this rank sees it.
struct RankCollective {
  std::int64_t start_ns = 0, end_ns = 0;  ///< On the GPU, since the trace's start.
  std::int64_t exposed_ns = 0;            ///< Time in which the GPU computes nothing.
  /// As the library counts: of its op in the communicator, of a send or receive between the two.
  std::optional<std::uint64_t> sequence;
  std::optional<std::int64_t> step;
  double bytes = 0;                ///< Size of the message; 0: not known.
  double bus_bytes = 0;            ///< Times the share that each link carries; 0: not known.
  std::uint32_t communicator = 0;  ///< Index in RankSummary::communicators.
  std::uint32_t place = 0;         ///< Its op is the collective's word.
  std::int32_t peer = -1, root = -1;
  // The events that it may have waited for before its start: replay.hpp.
  std::uint32_t previous = kNoCollective;  ///< The one before it on its stream.
  /// One on another stream, where it starts when that ends, and later than after all else.
  std::uint32_t follows = kNoCollective;
  std::int64_t own_end_ns = kNever;      ///< End of the own work that it follows.
  std::int64_t launch_ns = kNever;       ///< kNever: not known, as of the above.
  std::int64_t own_ns = 0, host_ns = 0;  ///< Positions by then, as in OwnWait.
  HostGap gap;

  [[nodiscard]] std::int64_t duration_ns() const { return end_ns - start_ns; }
};

/// A rank's own work stops, and goes on when a collective has ended, or the host has launched it.
/// Positions: how long own work has taken so far, without these waits; how long the host has, but
/// for its waits for the GPU.
struct OwnWait {
  std::int64_t after_ns = 0;  ///< When it goes on.
  std::int64_t own_ns = 0;    ///< Position of own work.
  std::int64_t host_ns = 0;   ///< Position of the host at the launch of the work that goes on.
  std::int64_t launch_ns = kNever;
  std::int64_t slack_ns = 0;                 ///< Own work was done so long before.
  std::uint32_t collective = kNoCollective;  ///< kNoCollective: it waited for the host.
};

/// The host waits for the GPU before a launch.
struct HostWait {
  std::int64_t after_ns = 0;                 ///< When it goes on.
  std::int64_t host_ns = 0;                  ///< Its position.
  std::int64_t waited_ns = 0;                ///< For so long.
  std::int64_t own_end_ns = 0;               ///< End of the own work that it waits for.
  std::uint32_t collective = kNoCollective;  ///< The collective that it waits for instead.
};

struct RankCommunicator {
  std::optional<std::uint64_t> id;  ///< Equal on all its ranks; absent: not stated.
  std::optional<std::uint32_t> ranks, rank;
};

/// A step of a GPU, as the timeline has it (analyzers/timeline/judged_steps.hpp).
struct RankStep {
  std::optional<std::int64_t> step;       ///< Absent: all captured time, of a trace without steps.
  std::int64_t begin_ns = 0, end_ns = 0;  ///< Its period.
  std::array<std::int64_t, kDeviceStates> state_ns{};  ///< By DeviceState; the sum is the period.
  double flops = 0;
  double product_ns = 0;         ///< Time of its products at the peak of the GPU.
  bool is_whole = false;         ///< It is known where its period ends.
  bool is_steady = false;        ///< One of the steps that reports describe.
  std::uint32_t pieces_end = 0;  ///< Its pieces are those since the step before it.

  [[nodiscard]] std::int64_t period_ns() const { return difference_of_times(end_ns, begin_ns); }
};

struct RankSummary {
  std::size_t trace = 0;  ///< Index of the trace.
  std::uint32_t device = 0;
  std::vector<Place> places;
  std::vector<RankCommunicator> communicators;
  std::vector<RankCollective> collectives;  ///< By their start.
  std::vector<OwnWait> own_waits;           ///< By the time at which they end.
  std::vector<HostWait> host_waits;         ///< Likewise.
  std::vector<RankStep> steps;              ///< By their begin.
  /// Pieces of the steps, one step after the other; by place, activity.
  std::vector<Piece> pieces;
  std::optional<double> sm_mhz, memory_bytes;  ///< Mean of the samples, and the most.
  std::uint64_t kernels = 0;
  std::uint64_t untimed = 0;  ///< Collectives without times, which are left out.

  [[nodiscard]] std::span<const Piece> pieces_of(std::size_t step) const {
    const std::size_t begin = step == 0 ? 0 : steps[step - 1].pieces_end;
    return std::span(pieces).subspan(begin, steps[step].pieces_end - begin);
  }
};

}  // namespace prof::ranks
