// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// IdleCauses: why a GPU is idle, from what the thread that launches its next work does meanwhile:
// its CUDA calls, the way between its ops, and other things that it does. An idle stretch is split
// where the reason changes. idle_cause.hpp has the words. Pure but for reading the trace's CUDA
// calls once, and keeping those that may keep a thread from launching (timeline/call_log.hpp).
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analyzers/timeline/call_log.hpp"
#include "analyzers/timeline/host_activities.hpp"
#include "analyzers/timeline/idle_cause.hpp"
#include "analyzers/timeline/launch_path.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

/// A host without a sign of life for at least this long does something else than launch. A shorter
/// time is the ordinary way from one launch to the next: with a framework that reports its ops,
/// Python takes 5 to 100 us from op to op; without, there is no evidence of more than back to back.
inline constexpr std::int64_t kQuietNs = 200'000, kQuietWithoutOpsNs = 50'000;

/// How far the clocks of GPU and host may differ.
inline constexpr std::int64_t kClockSlackNs = 20'000;

/// The work that ends an idle stretch, and its launch.
struct NextWork {
  bool launched = false;
  bool is_other_stream = false;  ///< Another stream than that of the work before the stretch.
  ThreadId thread;
  ThreadId before;                       ///< The thread that launched the work before the stretch.
  IdleCause call = IdleCause::kUnknown;  ///< Cause that its launching call indicates.
  std::int64_t launch_begin_ns = 0, launch_end_ns = 0;
  WayToLaunch way;  ///< Before that.
};

class IdleCauses {
 public:
  /// Reads the trace's calls.
  explicit IdleCauses(TraceReader& trace);
  IdleCauses() = default;

  /// A call of the thread; for a trace it is the constructor's part.
  void add_call(ThreadId thread, std::int64_t begin_ns, std::int64_t end_ns, IdleCause cause);
  void add_activity(ThreadId thread, std::int64_t begin_ns, std::int64_t end_ns, IdleCause cause) {
    activities_.add(thread, begin_ns, end_ns, cause);
  }
  /// After the last call and activity.
  void finish();

  /// The parts of an idle stretch in order; they fill it. Valid until the next call.
  const std::vector<IdlePart>& of(std::int64_t begin_ns, std::int64_t end_ns, const NextWork& next);
  /// How much of the time a thread waited for the GPU, in calls that synchronize.
  [[nodiscard]] std::int64_t waited_ns(std::int64_t begin_ns, std::int64_t end_ns) const;
  /// Whether a call synchronizes: of a program that never waits, and where such are not recorded,
  /// none does.
  [[nodiscard]] bool has_waits() const { return has_waits_; }
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  void before_launch(std::int64_t begin_ns, std::int64_t end_ns, const NextWork& next);
  /// Up to a call or the launch, `next_cause`'s; `called_ns`: when the call before ended.
  void host_time(std::int64_t begin_ns, std::int64_t end_ns, std::int64_t called_ns,
                 IdleCause next_cause, const NextWork& next);
  void on_the_way(std::int64_t begin_ns, std::int64_t end_ns, const NextWork& next);
  [[nodiscard]] bool waited(ThreadId thread, std::int64_t begin_ns) const;
  void put(std::int64_t begin_ns, std::int64_t end_ns, IdleCause cause);

  std::unordered_map<std::uint32_t, CallLog> calls_;  // by thread
  HostActivities activities_;
  std::vector<IdlePart> parts_;
  bool ran_dry_ = false;  // the GPU, while a call waited for it
  bool has_waits_ = false;
  Status status_;
};

}  // namespace prof
