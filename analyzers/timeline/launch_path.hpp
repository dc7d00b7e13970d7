// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// LaunchPath: how the host gets from one launch to the next, from the ranges around both: when it
// leaves the ops of the one and enters those of the other, and when it gives no sign for long. To
// be asked for each work in the order of launches. Reads each range once, and remembers those
// around the last launch of each thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "libprof/store/read/trace_reader.hpp"

namespace prof {

/// Times of the host; an empty stretch: there was none.
struct WayToLaunch {
  /// The longest time before the launch in which the host gave no sign: from one to the next of the
  /// end of the launch before it (of any thread), the begins of the ranges around it that were
  /// opened since, and itself.
  std::int64_t quiet_begin_ns = 0, quiet_end_ns = 0;
  bool is_quiet_in_code = false;  ///< All of that in the call of a module or an optimizer.
  bool has_ops = false;           ///< A framework reports its ops on that thread.
  /// In no op, between those around the launch before and its own. Python programs alone.
  std::int64_t python_begin_ns = 0, python_end_ns = 0;
};

class LaunchPath {
 public:
  explicit LaunchPath(TraceReader& trace);

  /// To a launch that is recorded.
  WayToLaunch to(const GpuRow& work);

 private:
  enum class Kind : std::uint8_t { kUnknown, kOther, kCode, kOp, kNode };
  struct Around {
    RangeId id = 0;
    std::int64_t begin_ns = 0, end_ns = 0;
    Kind kind = Kind::kOther;
  };
  static bool is_op(const Around& range) { return range.kind >= Kind::kOp; }
  /// The outermost first. Programs may leak ranges: no launch looks at all of them.
  struct Stack {
    std::vector<Around> ranges;
    std::vector<Around> code;  ///< Those of Kind::kCode.
    bool has_ops = false;      ///< Any so far.

    void push(const Around& range);
    /// Moves those from `first` on to `left`.
    void cut(std::size_t first, Stack& left);
    [[nodiscard]] bool is_in_code(std::int64_t begin_ns, std::int64_t end_ns) const;
  };

  [[nodiscard]] static Kind read_kind(const RangeRow& range);
  [[nodiscard]] Kind kind_of(const RangeRow& range);
  /// Returns how many of the thread's ranges are also around this launch. The others are left.
  std::size_t enter(const GpuRow& work, Stack& stack);
  /// `left`: what was around the launch before, and not around this one.
  void find_quiet(const Stack& stack, const Stack& left, std::size_t common, std::int64_t launch_ns,
                  WayToLaunch& way) const;
  void find_python(const Stack& stack, const Stack& left, std::size_t common,
                   std::int64_t launch_ns, WayToLaunch& way) const;

  TraceReader& trace_;
  bool is_python_ = false;
  std::vector<Kind> kinds_;                          // by template of the text
  std::unordered_map<std::uint32_t, Stack> stacks_;  // by thread
  std::vector<Around> entered_;                      // the innermost first
  Stack left_;                                       // no longer around its thread's last launch
  ThreadId thread_;                                  // of the launch before
  std::int64_t launched_ns_ = INT64_MIN;             // when it ended
};

}  // namespace prof
