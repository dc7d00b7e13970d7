// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/compat/op_averages.hpp"

#include <algorithm>
#include <utility>

#include "analyzers/graphs/launched_work.hpp"
#include "libprof/model/times.hpp"
#include "libprof/store/read/record_cursor.hpp"
#include "tools/report/filter/opening.hpp"
#include "tools/report/filter/qualified_text.hpp"
#include "tools/report/rows/range_name.hpp"
#include "tools/report/rows/range_stacks.hpp"
#include "tools/report/rows/row_input.hpp"
#include "tools/report/rows/work_names.hpp"

namespace prof::reports {
OpAverages::Index OpAverages::index_of(std::string_view name, std::string_view inputs) {
  std::string key(name);
  if (keys_.inputs) key.append(1, '\0').append(inputs);
  if (keys_.rank && rank_) key.append(1, '\0').append(std::to_string(*rank_));
  const auto [it, is_new] = by_name_.try_emplace(key, static_cast<Index>(entries_.size()));
  if (is_new) {
    OpAverage& made = entries_.emplace_back();
    made.name = name;
    if (keys_.inputs) made.inputs = inputs;
    if (keys_.rank) made.rank = rank_;
  }
  return it->second;
}

OpAverage& OpAverages::entry(std::string_view name) { return entries_[index_of(name, {})]; }

OpAverages::Index OpAverages::index_of_range(TraceReader& trace, const RangeRow& range) {
  const bool is_plain = range.domain == kDefaultDomain && !keys_.inputs;
  const auto known = is_plain ? by_template_.find(range.template_id) : by_template_.end();
  if (known != by_template_.end()) return known->second;
  RangeName named = name_of_range(range.whole_text());
  if (range.domain != kDefaultDomain) {
    named.name = qualified_text(trace, range.domain, named.name);
  }
  const Index index = index_of(named.name, named.inputs);
  // Texts of one template differ in numbers; the name must have none of them.
  if (is_plain && name_of_range(range.text).name == named.name) {
    by_template_.emplace(range.template_id, index);
  }
  return index;
}

OpAverages::RangeFacts OpAverages::facts_of(TraceReader& trace, RangeId id,
                                            StackFilter& stack_filter) {
  if (const RangeFacts* known = facts_.find(id)) return *known;
  const RangeRef range = trace.range(id);
  return range ? new_facts(trace, range, stack_filter) : RangeFacts{};
}

OpAverages::RangeFacts OpAverages::facts_of_opening(TraceReader& trace, RangeId id,
                                                    StackFilter& stack_filter) {
  const RangeFacts* const known = facts_.find(id);
  if (known != nullptr && known->opening == id) return *known;
  const RangeRef range = trace.range(id);
  if (!range) return {};
  return facts_of(trace, range->alias_of != 0 ? range->alias_of : id, stack_filter);
}

OpAverages::RangeFacts OpAverages::new_facts(TraceReader& trace, const RangeRef& range,
                                             StackFilter& stack_filter) {
  RangeFacts facts{.opening = range->alias_of != 0 ? range->alias_of : range->id,
                   .parent = range->parent < range->id ? range->parent : 0,
                   .start_ns = range->start_ns};
  if (const RangeRef opening = opening_of(trace, range)) {
    const Captures& captures = trace.captures();
    facts.has_time = opening->end_ns.has_value();
    const RangeId push_pop = opening->kind == RangeRecord::Kind::kStartEnd ? 0 : opening->id;
    const auto capture = captures.of_range(opening->start_ns, opening->end_ns, push_pop);
    const bool is_taken =
        stack_filter.takes({range->id, opening->start_ns, opening->thread, capture});
    if (is_taken && captures.lists_range(opening->start_ns, opening->end_ns, push_pop)) {
      facts.entry = index_of_range(trace, *opening);
    }
  } else if (stack_filter.takes({})) {
    facts.entry = index_of("(range not in the trace)", {});
  }
  facts_.put(range->id, facts);
  return facts;
}

OpAverage* OpAverages::entry_of(const RangeFacts& facts) {
  return facts.entry != kNoEntry ? &entries_[facts.entry] : nullptr;
}

void OpAverages::take_time(const RangeFacts& from, std::int64_t time_ns) {
  OpAverage* const average = from.has_time ? entry_of(from) : nullptr;
  if (average == nullptr) return;
  add_time(average->self_cpu_ns, -time_ns);
  add_time(self_cpu_ns_, -time_ns);
}

Status OpAverages::add(const TraceMember& member, const RowInput& input) {
  TraceReader& trace = member.reader;
  rank_ = member.identity.rank;
  progress_ = input.reading.progress();
  if (progress_ != nullptr) place_ = progress_->begin();
  facts_.clear();
  by_template_.clear();
  kernel_names_.clear();
  last_on_thread_.clear();
  joined_.clear();
  StackFilter stack_filter(trace, input.filter, input.tally.filter, find_last_step(input.reading));
  add_ranges(trace, stack_filter);
  stack_filter.begin_pass();
  PROF_TRY(add_host_ops(trace, stack_filter));
  stack_filter.begin_pass();
  PROF_TRY(add_calls(trace, stack_filter));
  join_repeats(trace, stack_filter);
  stack_filter.begin_pass();
  return add_work(trace, stack_filter);
}

void OpAverages::add_ranges(TraceReader& trace, StackFilter& stack_filter) {
  RangeId last = 0;
  while (const RangeRef range = trace.range_after(last)) {
    last = range->id;
    count_row();
    if (range->kind == RangeRecord::Kind::kAlias) continue;
    const RangeId before = std::exchange(last_on_thread_[range->thread.value], range->id);
    const RangeFacts facts = new_facts(trace, range, stack_filter);
    const RangeFacts around = facts_of_opening(trace, range->parent, stack_filter);
    // The first one may be all that the range around it does.
    if (before != around.opening) repeats_.erase(around.opening);
    if (facts.entry == kNoEntry) continue;
    OpAverage& average = entries_[facts.entry];
    ++average.calls;
    average.is_async = range->kind == RangeRecord::Kind::kStartEnd;
    if (!range->end_ns) {
      ++average.unclosed;
      continue;
    }
    const std::int64_t time_ns = difference_of_times(*range->end_ns, range->start_ns);
    add_time(average.cpu_ns, time_ns);
    if (average.is_async) continue;
    // The time between captures cannot be attributed to anything.
    const std::int64_t own_ns = trace.captures().captured_ns(range->start_ns, *range->end_ns);
    add_time(average.self_cpu_ns, own_ns);
    add_time(self_cpu_ns_, own_ns);
    take_time(around, own_ns);
    const bool is_repeat = around.has_time && around.entry == facts.entry;
    if (is_repeat && before == around.opening) repeats_[before] = {range->id, time_ns};
  }
}

Status OpAverages::add_host_ops(TraceReader& trace, StackFilter& stack_filter) {
  const auto all = records_of<HostOpRecord>(trace);
  while (const HostOpRecord* ops = all->next()) {
    count_row();
    const RangeFacts around = facts_of_opening(trace, ops->range, stack_filter);
    repeats_.erase(around.opening);
    const std::int64_t start_ns =
        ops->start_ns == 0 ? around.start_ns
                           : difference_of_times(ops->start_ns, trace.start_realtime_ns());
    const auto capture = trace.captures().at(start_ns);
    if (!stack_filter.takes({ops->range, start_ns, ops->thread, capture})) continue;
    OpAverage& average = entry(trace.string(ops->name));
    average.calls += ops->calls;
    add_time(average.cpu_ns, ops->total_ns);
    add_time(average.self_cpu_ns, ops->self_ns);
    add_time(self_cpu_ns_, ops->self_ns);
    // The times of ops inside others are part of theirs, so those of their own add up to all.
    take_time(around, ops->self_ns);
  }
  return all->status();
}

Status OpAverages::add_calls(TraceReader& trace, StackFilter& stack_filter) {
  const auto calls = trace.api_calls();
  while (const ApiCallRow* call = calls->next()) {
    count_row();
    if (call->depth > 0) continue;  // made by CUDA itself: part of the outer call
    const RangeFacts around = facts_of_opening(trace, call->range, stack_filter);
    repeats_.erase(around.opening);
    const auto capture = trace.captures().at(call->start_ns);
    if (!stack_filter.takes({call->range, call->start_ns, call->thread, capture})) continue;
    OpAverage& average = entry(trace.string(call->function));
    ++average.calls;
    const std::int64_t time_ns = call->duration_ns.value_or(0);
    add_time(average.cpu_ns, time_ns);
    add_time(average.self_cpu_ns, time_ns);
    add_time(self_cpu_ns_, time_ns);
    take_time(around, time_ns);
  }
  return calls->status();
}

void OpAverages::join_repeats(TraceReader& trace, StackFilter& stack_filter) {
  for (const auto& [around, repeat] : repeats_) {
    OpAverage* const average = entry_of(facts_of(trace, around, stack_filter));
    if (average == nullptr) continue;
    --average->calls;
    add_time(average->cpu_ns, -repeat.time_ns);
    joined_.insert(repeat.range);
  }
  repeats_.clear();
}

Status OpAverages::add_work(TraceReader& trace, StackFilter& stack_filter) {
  // A sum goes to the range around when a range is left: stacks may be deep.
  struct WorkStack {
    explicit WorkStack(TraceReader& reader) : ranges(reader) {}
    RangeStack ranges;
    std::vector<Inside> inside;
  };
  std::unordered_map<std::uint32_t, WorkStack> stacks;  // by thread
  const auto work = launched_work(trace, TraceReader::Work::kKernelsAndCopies);
  while (const GpuRow* row = work->next()) {
    count_row();
    const auto launch_ns = row->launch_time_ns();
    const ThreadId thread = row->launched ? row->thread : ThreadId{};
    const auto capture = capture_of(*row, trace.captures());
    if (!stack_filter.takes({row->stack, launch_ns, thread, capture})) continue;
    OpAverage& own = entry(work_name(trace, *row));
    ++own.calls;
    add_time(own.self_cuda_ns, row->duration_ns);
    add_time(own.cuda_ns, row->duration_ns);
    add_time(cuda_ns_, row->duration_ns);
    OpAverage* const direct = entry_of(facts_of(trace, row->stack, stack_filter));
    if (direct != nullptr) add_time(direct->self_cuda_ns, row->duration_ns);
    WorkStack& stack = stacks.try_emplace(row->thread.value, trace).first->second;
    const std::size_t kept = stack.ranges.move_to(row->stack);
    leave_ranges(trace, stack.inside, kept, stack_filter);
    for (const RangeId id : stack.ranges.rows().subspan(kept)) stack.inside.push_back({id, 0});
    if (!stack.inside.empty()) add_time(stack.inside.back().time_ns, row->duration_ns);
  }
  for (auto& [thread, stack] : stacks) leave_ranges(trace, stack.inside, 0, stack_filter);
  return work->status();
}

void OpAverages::leave_ranges(TraceReader& trace, std::vector<Inside>& open, std::size_t kept,
                              StackFilter& stack_filter) {
  while (open.size() > kept) {
    const Inside left = open.back();
    open.pop_back();
    if (!open.empty()) add_time(open.back().time_ns, left.time_ns);
    const RangeFacts facts = facts_of(trace, left.row, stack_filter);
    OpAverage* const around = facts.has_time ? entry_of(facts) : nullptr;
    if (around != nullptr && !joined_.contains(facts.opening)) {
      add_time(around->cuda_ns, left.time_ns);
    }
  }
}

std::string OpAverages::work_name(TraceReader& trace, const GpuRow& row) {
  if (row.kind != GpuRow::Kind::kKernel) return torch_name_of(row);
  return kernel_names_.of(trace, row.config).full;
}

std::vector<const OpAverage*> OpAverages::sorted() const {
  std::vector<const OpAverage*> all;
  for (const OpAverage& average : entries_) all.push_back(&average);
  std::ranges::stable_sort(all, [](const OpAverage* a, const OpAverage* b) {
    return a->cuda_ns != b->cuda_ns ? a->cuda_ns > b->cuda_ns : a->cpu_ns > b->cpu_ns;
  });
  return all;
}

}  // namespace prof::reports
