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
/// Texts have low ids; others are in damaged traces.
constexpr std::uint32_t kMaxKinds = 1U << 20;

constexpr std::string_view kEngineCall = "autograd::engine::evaluate_function";

/// True for the texts of PyTorch's ops from emit_nvtx and op facts.
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

LaunchPath::Kind LaunchPath::read_kind(const RangeRow& range) {
  if (range.text.starts_with(kEngineCall)) return Kind::kNode;
  if (has_text_of_code(range.text)) return Kind::kCode;
  const bool is_op = range.op.signature || range.op.sequence || has_text_of_op(range.text);
  return is_op ? Kind::kOp : Kind::kOther;
}

LaunchPath::Kind LaunchPath::kind_of(const RangeRow& range) {
  if (range.template_id >= kMaxKinds) return read_kind(range);
  if (range.template_id >= kinds_.size()) kinds_.resize(range.template_id + std::size_t{1});
  Kind& known = kinds_[range.template_id];
  if (known == Kind::kUnknown) known = read_kind(range);
  return known;
}

void LaunchPath::Stack::push(const Around& range) {
  ranges.push_back(range);
  if (range.kind == Kind::kCode) code.push_back(range);
  has_ops = has_ops || is_op(range);
}

void LaunchPath::Stack::cut(std::size_t first, Stack& left) {
  left.ranges.clear();
  left.code.clear();
  for (std::size_t i = first; i < ranges.size(); ++i) left.push(ranges[i]);
  ranges.resize(first);
  code.resize(code.size() - left.code.size());
}

bool LaunchPath::Stack::is_in_code(std::int64_t begin_ns, std::int64_t end_ns) const {
  for (const Around& range : code) {
    if (range.begin_ns > begin_ns) break;  // as those inside
    if (range.end_ns >= end_ns) return true;
  }
  return false;
}

/// A parent's id is below its child's (docs/formats/stream.md).
std::size_t LaunchPath::enter(const GpuRow& work, Stack& stack) {
  entered_.clear();
  std::size_t common = work.stack == 0 ? 0 : stack.ranges.size();
  for (RangeId id = work.stack; id != 0;) {
    while (common > 0 && stack.ranges[common - 1].id > id) --common;
    if (common > 0 && stack.ranges[common - 1].id == id) break;
    const RangeRef range = entered_.size() < kMaxAround ? trace_.range(id) : nullptr;
    if (range == nullptr || range->parent == 0 || range->parent >= id) common = 0;
    if (range == nullptr) break;
    entered_.push_back({id, range->start_ns, range->end_ns.value_or(INT64_MAX), kind_of(*range)});
    id = range->parent < id ? range->parent : 0;
  }
  stack.cut(common, left_);
  for (std::size_t i = entered_.size(); i-- > 0;) stack.push(entered_[i]);
  return common;
}

WayToLaunch LaunchPath::to(const GpuRow& work) {
  Stack& stack = stacks_[work.thread.value];
  const std::size_t common = enter(work, stack);
  const auto before = stacks_.find(thread_.value);
  const bool is_other_thread = work.thread != thread_ && before != stacks_.end();
  const Stack& left = is_other_thread ? before->second : left_;
  WayToLaunch way;
  way.has_ops = stack.has_ops;
  find_quiet(stack, left, common, work.launch_start_ns, way);
  find_python(stack, left, common, work.launch_start_ns, way);
  thread_ = work.thread;
  launched_ns_ =
      std::max(launched_ns_, sum_of_times(work.launch_start_ns, work.launch_duration_ns));
  return way;
}

void LaunchPath::find_quiet(const Stack& stack, const Stack& left, std::size_t common,
                            std::int64_t launch_ns, WayToLaunch& way) const {
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
  way.is_quiet_in_code = stack.is_in_code(way.quiet_begin_ns, way.quiet_end_ns) ||
                         left.is_in_code(way.quiet_begin_ns, way.quiet_end_ns);
}

void LaunchPath::find_python(const Stack& stack, const Stack& left, std::size_t common,
                             std::int64_t launch_ns, WayToLaunch& way) const {
  if (!is_python_ || !stack.has_ops || launched_ns_ == INT64_MIN) return;
  std::int64_t begin = launched_ns_, end = launch_ns;
  std::size_t ops_left = 0, ops_entered = 0;
  for (auto at = left.ranges.rbegin(); at != left.ranges.rend() && is_op(*at); ++at, ++ops_left) {
    begin = std::max(begin, at->end_ns);
    if (begin >= end) return;
  }
  const Around* outermost = nullptr;
  for (std::size_t i = stack.ranges.size(); i > common && is_op(stack.ranges[i - 1]); --i) {
    outermost = &stack.ranges[i - 1];
    end = std::min(end, outermost->begin_ns);
    ++ops_entered;
  }
  if (&left == &left_) {
    const bool stays_inside = ops_left == left.ranges.size() &&
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
