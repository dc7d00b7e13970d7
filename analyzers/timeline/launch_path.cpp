// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/timeline/launch_path.hpp"

#include <algorithm>
#include <string_view>

#include "libprof/model/times.hpp"

namespace prof {
namespace {

/// Deeper stacks are cut off: recursion, or a damaged trace.
constexpr std::size_t kMaxAround = 256;

constexpr std::string_view kEngineCall = "autograd::engine::evaluate_function";

/// What emit_nvtx and op facts have of PyTorch's ops.
bool has_text_of_op(std::string_view text) {
  return text.starts_with("aten::") || text.starts_with("torch::autograd::") ||
         text.find(", seq = ") != text.npos;
}

/// Calls of modules and optimizers, as prof_torch and torch's profiler write them.
bool has_text_of_code(std::string_view text) {
  return text.starts_with("layer:") || text.starts_with("nn.Module: ") ||
         text.starts_with("Optimizer.");
}

/// Also where the trace does not say: a framework's ops are in it.
bool may_be_python(std::string_view executable) {
  const std::string_view file = executable.substr(executable.rfind('/') + 1);
  return file.empty() || file.starts_with("python") || file.starts_with("pypy");
}

}  // namespace

LaunchPath::LaunchPath(TraceReader& trace)
    : trace_(trace), is_python_(may_be_python(trace.meta("executable"))) {}

LaunchPath::Kind LaunchPath::kind_of(const RangeRow& range) {
  const auto [known, is_new] = kinds_.try_emplace(range.template_id, Kind::kOther);
  if (!is_new) return known->second;
  if (range.text.starts_with(kEngineCall)) {
    known->second = Kind::kNode;
  } else if (has_text_of_code(range.text)) {
    known->second = Kind::kCode;
  } else if (range.op.signature || range.op.sequence || has_text_of_op(range.text)) {
    known->second = Kind::kOp;
  }
  return known->second;
}

std::size_t LaunchPath::enter(const GpuRow& work, Stack& stack) {
  std::vector<Around> entered;
  std::size_t common = 0;
  for (RangeId id = work.stack; id != 0 && entered.size() < kMaxAround;) {
    const auto known =
        std::ranges::find(stack.ranges.rbegin(), stack.ranges.rend(), id, &Around::id);
    if (known != stack.ranges.rend()) {
      common = static_cast<std::size_t>(known.base() - stack.ranges.begin());
      break;
    }
    const RangeRef range = trace_.range(id);
    if (range == nullptr) break;
    entered.push_back({id, range->start_ns, range->end_ns.value_or(INT64_MAX), kind_of(*range)});
    id = range->parent;
  }
  const auto kept = stack.ranges.begin() + static_cast<std::ptrdiff_t>(common);
  left_.assign(kept, stack.ranges.end());
  stack.ranges.erase(kept, stack.ranges.end());
  stack.ranges.insert(stack.ranges.end(), entered.rbegin(), entered.rend());
  stack.has_ops = stack.has_ops || std::ranges::any_of(entered, is_op);
  return common;
}

WayToLaunch LaunchPath::to(const GpuRow& work) {
  const bool is_same_thread = work.thread == thread_;
  Stack& stack = stacks_[work.thread.value];
  const std::size_t common = enter(work, stack);
  if (!is_same_thread) {
    const auto before = stacks_.find(thread_.value);
    left_.clear();
    if (before != stacks_.end()) left_ = before->second.ranges;
  }
  WayToLaunch way;
  way.has_ops = stack.has_ops;
  find_quiet(stack, common, work.launch_start_ns, way);
  find_python(stack, common, is_same_thread, work.launch_start_ns, way);
  thread_ = work.thread;
  launched_ns_ =
      std::max(launched_ns_, sum_of_times(work.launch_start_ns, work.launch_duration_ns));
  return way;
}

void LaunchPath::find_quiet(const Stack& stack, std::size_t common, std::int64_t launch_ns,
                            WayToLaunch& way) const {
  std::int64_t later = launch_ns;
  const auto sign = [&](std::int64_t time_ns) {
    if (difference_of_times(later, time_ns) >
        difference_of_times(way.quiet_end_ns, way.quiet_begin_ns)) {
      way.quiet_begin_ns = time_ns;
      way.quiet_end_ns = later;
    }
    later = time_ns;
  };
  for (std::size_t i = stack.ranges.size(); i > common; --i) {
    const Around& range = stack.ranges[i - 1];
    if (range.begin_ns <= launched_ns_) break;
    if (range.begin_ns < later) sign(range.begin_ns);
  }
  if (launched_ns_ != INT64_MIN && launched_ns_ < later) sign(launched_ns_);
  const auto is_around = [&](const Around& range) {
    return range.kind == Kind::kCode && range.begin_ns <= way.quiet_begin_ns &&
           range.end_ns >= way.quiet_end_ns;
  };
  way.is_quiet_in_code =
      std::ranges::any_of(stack.ranges, is_around) || std::ranges::any_of(left_, is_around);
}

void LaunchPath::find_python(const Stack& stack, std::size_t common, bool is_same_thread,
                             std::int64_t launch_ns, WayToLaunch& way) const {
  if (!is_python_ || !stack.has_ops || launched_ns_ == INT64_MIN) return;
  std::int64_t begin = launched_ns_, end = launch_ns;
  std::size_t ops_left = 0, ops_entered = 0;
  for (auto at = left_.rbegin(); at != left_.rend() && is_op(*at); ++at, ++ops_left) {
    begin = std::max(begin, at->end_ns);
  }
  const Around* outermost = nullptr;
  for (std::size_t i = stack.ranges.size(); i > common && is_op(stack.ranges[i - 1]); --i) {
    outermost = &stack.ranges[i - 1];
    end = std::min(end, outermost->begin_ns);
    ++ops_entered;
  }
  if (is_same_thread) {
    const bool stays_inside = ops_left == left_.size() &&
                              ops_entered == stack.ranges.size() - common && common != 0 &&
                              is_op(stack.ranges[common - 1]);
    // From node to node goes autograd's engine.
    const bool is_engine = outermost != nullptr && outermost->kind == Kind::kNode;
    if (stays_inside || is_engine) return;
  }
  if (begin >= end) return;
  way.python_begin_ns = begin;
  way.python_end_ns = end;
}

}  // namespace prof
