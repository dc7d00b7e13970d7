// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// IdleCauses: why a GPU is idle, from what the thread that launches its next work does meanwhile.
// An idle stretch is split where the reason changes. docs/conventions.md has the rules. Pure but
// for reading the trace's CUDA calls once, and keeping those that may keep a thread from launching
// (timeline/call_log.hpp).
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzers/timeline/call_log.hpp"
#include "libprof/store/trace_reader.hpp"

namespace prof {

enum class IdleCause : std::uint8_t {
  kTurnaround,   ///< The next work was queued already.
  kStream,       ///< So it was, on another stream than the work before: it waited for that.
  kLaunch,       ///< The host was about to launch it.
  kSynchronize,  ///< A call waited for the GPU until it ran dry, and the host is on its way again.
  kCopy,         ///< It was in a call that copies or sets memory.
  kAllocate,     ///< It was in a call that allocates or frees memory.
  kGraph,        ///< It was making or launching a CUDA graph.
  kLoad,         ///< It was loading a module or looking a kernel up.
  kHost,         ///< For a while it neither launched nor called nor ran an op: nothing was asked.
  kUnknown,      ///< The launch of the next work was not recorded.
};
std::string_view name(IdleCause cause);

/// What keeps a thread from launching, by the name of the CUDA function; kUnknown: nothing.
IdleCause cause_of_call(std::string_view function);

/// A host without a sign of life for at least this long asks nothing of the GPU; a shorter time is
/// the ordinary way from one launch to the next: Python takes 5 to 100 us from op to op.
inline constexpr std::int64_t kQuietNs = 200'000;

/// How far the clocks of GPU and host may differ.
inline constexpr std::int64_t kClockSlackNs = 20'000;

/// The work that ends an idle stretch, and its launch.
struct NextWork {
  bool launched = false;
  bool is_other_stream = false;  ///< Than that of the work before the stretch.
  ThreadId thread;
  ThreadId before;                       ///< That launched the work before the stretch.
  IdleCause call = IdleCause::kUnknown;  ///< Of its launching call.
  std::int64_t launch_begin_ns = 0, launch_end_ns = 0;
  /// The longest time before the launch in which the host gave no sign: from one to the next of the
  /// end of the launch before it (of any thread), the begins of the ranges around it that were
  /// opened since, and itself.
  std::int64_t quiet_begin_ns = 0, quiet_end_ns = 0;
};

struct IdlePart {
  std::int64_t begin_ns = 0, end_ns = 0;
  IdleCause cause = IdleCause::kUnknown;
};

class IdleCauses {
 public:
  /// Reads the trace's calls.
  explicit IdleCauses(TraceReader& trace);
  IdleCauses() = default;

  /// A call of the thread; for a trace it is the constructor's part.
  void add_call(ThreadId thread, std::int64_t begin_ns, std::int64_t end_ns, IdleCause cause);
  /// After the last call.
  void finish();

  /// The parts of an idle stretch in order; they fill it. Valid until the next call.
  const std::vector<IdlePart>& of(std::int64_t begin_ns, std::int64_t end_ns, const NextWork& next);
  /// How much of the time a thread waited for the GPU, in calls that synchronize.
  [[nodiscard]] std::int64_t waited_ns(std::int64_t begin_ns, std::int64_t end_ns) const;
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  void before_launch(std::int64_t begin_ns, std::int64_t end_ns, const NextWork& next);
  /// `called_ns`: when the call before ended.
  void host_time(std::int64_t begin_ns, std::int64_t end_ns, std::int64_t called_ns,
                 const NextWork& next);
  [[nodiscard]] bool waited(ThreadId thread, std::int64_t begin_ns) const;
  void put(std::int64_t begin_ns, std::int64_t end_ns, IdleCause cause);

  std::unordered_map<std::uint32_t, CallLog> calls_;  // by thread
  std::vector<IdlePart> parts_;
  IdleCause on_its_way_ = IdleCause::kLaunch;  // of a host that will launch the next work
  Status status_;
};

}  // namespace prof
