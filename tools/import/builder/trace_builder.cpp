// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/builder/trace_builder.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <type_traits>

#include "libprof/model/losses.hpp"

namespace prof::importers {
namespace {

Correlation correlation_of(const Event& event) {
  return std::visit(
      [](const auto& record) -> Correlation {
        if constexpr (requires { record.correlation; }) return record.correlation;
        return 0;
      },
      event);
}

std::int64_t start_of(const Event& event) {
  return std::visit([](const auto& record) { return record.start_ns; }, event);
}

std::int64_t end_of(const Event& event) {
  return std::visit([](const auto& record) { return record.end_ns; }, event);
}

/// CUPTI's: the upper half of a node's id is that of its graph.
constexpr std::uint32_t graph_of(std::uint64_t node) {
  return static_cast<std::uint32_t>(node >> 32);
}

/// Name of a launch that the file does not have.
constexpr std::string_view kNoCall = "(launch not recorded)";

/// No CUgraphNodeType: files name the function that made a node, if anything.
constexpr std::uint32_t kUnknownNodeType = UINT32_MAX;

}  // namespace

bool TraceBuilder::Call::operator<(const Call& other) const {
  const auto key = [](const ApiRecord& call) {
    return std::tuple(call.correlation, call.depth, call.start_ns);
  };
  return key(record) < key(other.record);
}

bool TraceBuilder::Work::operator<(const Work& other) const {
  const auto key = [](const Event& of) { return std::tuple(correlation_of(of), start_of(of)); };
  return key(event) < key(other.event);
}

TraceBuilder::TraceBuilder(RecordSink& sink, const std::string& scratch_folder,
                           std::size_t buffer_bytes)
    : sink_(sink),
      numbers_(scratch_folder),
      payloads_(scratch_folder),
      flows_(scratch_folder, buffer_bytes),
      slices_(scratch_folder, buffer_bytes),
      calls_(scratch_folder, buffer_bytes),
      op_places_(scratch_folder, buffer_bytes),
      work_(scratch_folder, buffer_bytes) {}

ThreadId TraceBuilder::thread(std::uint64_t process, std::uint64_t os_tid) {
  ThreadId& id = threads_[{process, os_tid}].id;
  if (!id) id = ThreadId{next_thread_++};
  return id;
}

void TraceBuilder::name_thread(std::uint64_t process, std::uint64_t os_tid, std::string_view name) {
  threads_[{process, os_tid}].name = name;
}

Status TraceBuilder::add(Slice slice) {
  slice.order = next_order_++;
  first_ns_ = std::min(first_ns_, slice.start_ns);
  const bool ended = slice.end_ns != Slice::kNeverEnded;
  if (!ended) ++counts_.unclosed_ranges;
  last_ns_ = std::max(last_ns_, ended ? slice.end_ns : slice.start_ns);
  return slices_.add(slice);
}

Status TraceBuilder::set_text(Slice& slice, std::string_view text) {
  const StringInterner::Split split = texts_.intern_split(text, sink_);
  slice.name = split.text;
  slice.numbers = {};
  if (split.numbers.empty()) return {};
  const Result<ByteStore::Place> place = numbers_.add(split.numbers);
  if (!place) return place.error();
  slice.numbers = *place;
  return {};
}

Status TraceBuilder::set_payload(Slice& slice, std::uint64_t schema, std::string_view bytes) {
  const Result<ByteStore::Place> place = payloads_.add(bytes);
  if (!place) return place.error();
  slice.schema = schema;
  slice.bytes = *place;
  return {};
}

Status TraceBuilder::pass_payload(const Slice& slice, RangeId range) {
  if (slice.schema == 0) return {};
  const auto bytes = payloads_.get(slice.bytes);
  if (!bytes) return bytes.error();
  pass(PayloadBlobRecord{range, slice.domain, slice.schema, *bytes});
  return {};
}

Status TraceBuilder::add(const Event& event, std::uint64_t op) {
  if (start_of(event) == kNoTime) {
    ++counts_.without_times;
  } else {
    first_ns_ = std::min(first_ns_, start_of(event));
    last_ns_ = std::max(last_ns_, end_of(event));
  }
  return op_places_.add(Work{event, {op, 0, {}, 0}});
}

Result<TraceBuilder::Counts> TraceBuilder::finish(std::int64_t base_ns) {
  base_ns_ = base_ns;
  if (first_ns_ != INT64_MAX) {
    if (absolute(first_ns_) <= 0) base_ns_ = difference_of_times(1, first_ns_);
    const std::string start = std::to_string(absolute(first_ns_));
    pass(MetaRecord{"start_realtime_ns", start});
  }
  PROF_TRY(pass_threads());
  PROF_TRY(pass_ranges());
  PROF_TRY(find_ops());
  PROF_TRY(pass_work());
  report_losses();
  PROF_TRY(sink_.status());
  return counts_;
}

Status TraceBuilder::pass_threads() {
  std::map<std::uint32_t, std::uint32_t> seen;  // by os_tid
  for (const auto& [key, thread] : threads_) {
    if (!thread.id) continue;
    ThreadRecord record;
    record.id = thread.id;
    // Some files have a number here that no system call gives.
    const bool is_tid = key.second <= std::numeric_limits<std::uint32_t>::max();
    record.os_tid = is_tid ? static_cast<std::uint32_t>(key.second) : 0;
    record.generation = seen[record.os_tid]++;
    record.name = text(thread.name);
    pass(record);
  }
  return sink_.status();
}

template <typename Record>
Status TraceBuilder::fill_nvtx(const Slice& slice, Record& record) {
  const auto numbers = numbers_.get(slice.numbers);
  if (!numbers) return numbers.error();
  record.thread = slice.thread;
  record.domain = slice.domain;
  record.text = slice.name;
  record.numbers = *numbers;
  record.category = slice.category;
  record.color_argb = slice.color_argb;
  record.payload = slice.payload;
  return {};
}

Status TraceBuilder::pass_range(const Slice& slice, RangeId id, RangeId parent, RangeId alias_of) {
  RangeRecord record;
  record.id = id;
  record.parent = parent;
  record.alias_of = alias_of;
  if (alias_of != 0) {
    record.kind = RangeRecord::Kind::kAlias;
  } else {
    record.op = fact_of(slice);
  }
  if (slice.kind == Slice::Kind::kProcessRange) {
    record.kind = RangeRecord::Kind::kStartEnd;
    record.parent = 0;
  }
  record.end_thread = slice.end_thread ? slice.end_thread : slice.thread;
  PROF_TRY(fill_nvtx(slice, record));
  record.start_ns = slice.start_ns;
  record.end_ns = slice.end_ns;
  pass(record);
  return alias_of == 0 ? pass_payload(slice, id) : Status{};
}

Status TraceBuilder::pass_mark(const Slice& slice, RangeId parent) {
  MarkRecord record;
  PROF_TRY(fill_nvtx(slice, record));
  record.parent = parent;
  record.time_ns = absolute(slice.start_ns);
  pass(record);
  return pass_payload(slice, 0);
}

void TraceBuilder::pass_graph_node(const Slice& slice, RangeId stack) {
  GraphNodeRecord record;
  record.graph_node = slice.op;
  record.graph = graph_of(slice.op);
  record.original_node = slice.sequence;
  record.node_type = kUnknownNodeType;
  record.thread = slice.thread;
  record.stack = stack;
  record.time_ns = absolute(slice.start_ns);
  pass(record);
}

void TraceBuilder::pass_os_call(const Slice& slice, RangeId stack) {
  OsCallRecord record;
  record.thread = slice.thread;
  record.stack = stack;
  record.function = slice.name;
  record.start_ns = slice.start_ns;
  record.end_ns = slice.end_ns;
  pass(record);
}

OpFact TraceBuilder::fact_of(const Slice& slice) {
  if (!slice.signature) return {};
  OpFact fact;
  fact.signature = slice.signature;
  if (uses_flows_) add_flow(slice, fact);
  if (slice.has_sequence) {
    fact.sequence = slice.sequence;
    if (complete_) fact.signature = complete_(slice.signature, slice.sequence);
    if (slice.forward_thread == 0) {
      forward_threads_.saw(slice.sequence, slice.thread);
    } else {
      fact.forward_thread = forward_threads_.thread_of(slice.forward_thread, slice.sequence);
    }
  }
  return fact;
}

void TraceBuilder::add_flow(const Slice& slice, OpFact& fact) {
  const auto next = [this] { return flows_.next(); };
  if (const auto tie = flow_ties_.at(slice.start_ns, slice.thread, next)) {
    fact.sequence = tie->id;
    fact.forward_thread = tie->forward_thread;
  }
}

Status TraceBuilder::pass_ranges() {
  ThreadStacks stacks;
  while (const Slice* slice = slices_.next()) {
    const ThreadStacks::Placed& placed = stacks.place(*slice);
    for (const ThreadStacks::Alias& alias : placed.aliases) {
      PROF_TRY(pass_range(alias.slice, alias.id, alias.parent, alias.alias_of));
    }
    PROF_TRY(pass_slice(*slice, placed));
    PROF_TRY(sink_.status());
  }
  PROF_TRY(flows_.status());
  counts_.overlapping_slices = stacks.overlapping();
  counts_.overlapping_too_deep = stacks.overlapping_too_deep();
  return slices_.status();
}

Status TraceBuilder::pass_slice(const Slice& slice, const ThreadStacks::Placed& placed) {
  switch (slice.kind) {
    case Slice::Kind::kRange:
      if (slice.op != 0) {
        PROF_TRY(op_places_.add(OpPlace{slice.op, placed.id, slice.thread, slice.start_ns}));
      }
      return pass_range(slice, placed.id, placed.stack);
    case Slice::Kind::kProcessRange:
      return pass_range(slice, placed.id, placed.stack);
    case Slice::Kind::kMark:
      return pass_mark(slice, placed.stack);
    case Slice::Kind::kGraphNode:
      pass_graph_node(slice, placed.stack);
      return {};
    case Slice::Kind::kOsCall:
      pass_os_call(slice, placed.stack);
      return {};
    case Slice::Kind::kRuntimeCall:
    case Slice::Kind::kDriverCall:
      break;
  }
  Call call;
  call.record.correlation = slice.correlation;
  call.record.depth = placed.depth;
  call.record.domain = slice.kind == Slice::Kind::kDriverCall ? ApiRecord::Domain::kDriver
                                                              : ApiRecord::Domain::kRuntime;
  call.record.function = slice.name;
  call.record.thread = slice.thread;
  call.record.stack = placed.stack;
  call.record.status = slice.status;
  call.record.start_ns = slice.start_ns;
  call.record.end_ns = slice.end_ns;
  call.op_around = placed.op_around;
  call.annotation_around = placed.annotation_around;
  call.launches_graph = slice.launches_graph;
  return calls_.add(call);
}

Status TraceBuilder::find_ops() {
  while (const Work* work = op_places_.next()) PROF_TRY(work_.add(*work));
  return op_places_.status();
}

Status TraceBuilder::pass_work() {
  next_call_ = calls_.next();
  while (const Work* work = work_.next()) {
    take_launch(correlation_of(work->event));
    if (!launch_.is_passed) pass_launch(*work);
    pass_launched(*work);
    PROF_TRY(sink_.status());
  }
  take_launch(std::numeric_limits<Correlation>::max());
  if (!launch_.is_passed) pass_launch({});
  PROF_TRY(work_.status());
  return calls_.status();
}

void TraceBuilder::take_launch(Correlation correlation) {
  if (!launch_.calls.empty() && launch_.calls.front().record.correlation == correlation) return;
  launch_.calls.clear();
  launch_.is_passed = launch_.is_ambiguous = false;
  while (next_call_ != nullptr && next_call_->record.correlation < correlation) {
    pass(next_call_->record);
    next_call_ = calls_.next();
  }
  ThreadId caller;
  while (next_call_ != nullptr && next_call_->record.correlation == correlation) {
    const bool is_outermost = next_call_->record.depth == 0;
    const ThreadId thread = next_call_->record.thread;
    launch_.is_ambiguous |= is_outermost && caller && caller != thread;
    if (is_outermost) caller = thread;
    launch_.calls.push_back(*next_call_);
    next_call_ = calls_.next();
  }
  launch_.op_around = launch_.calls.empty() ? 0 : launch_.calls.front().op_around;
  launch_.annotation_around = launch_.calls.empty() ? 0 : launch_.calls.front().annotation_around;
}

/// Under the op that the file names, if the calls are under none.
void TraceBuilder::pass_launch(const Work& work) {
  launch_.is_passed = true;
  const Correlation correlation = correlation_of(work.event);
  const bool is_told = work.op.range != 0 && correlation != 0 && !launch_.is_ambiguous;
  if (launch_.calls.empty() && is_told) {
    Call call;
    call.record.correlation = correlation;
    call.record.function = text(kNoCall);
    call.record.thread = work.op.thread;
    call.record.start_ns = call.record.end_ns = work.op.start_ns;
    launch_.calls.push_back(call);
  }
  for (Call& call : launch_.calls) {
    if (is_told && launch_.op_around == 0) call.record.stack = work.op.range;
    pass(call.record);
  }
  if (is_told && launch_.op_around == 0) launch_.op_around = work.op.op;
}

void TraceBuilder::pass_launched(const Work& work) {
  const bool both_known = launch_.op_around != 0 && work.op.op != 0;
  if (launch_.is_ambiguous) {
    ++counts_.ambiguous_launches;
  } else if (both_known && launch_.op_around != work.op.op &&
             launch_.annotation_around != work.op.op) {
    ++counts_.under_another_op;
  }
  const bool is_graph = std::ranges::any_of(launch_.calls, &Call::launches_graph);
  std::visit(
      [&](auto record) {
        if constexpr (std::is_base_of_v<GpuWork, decltype(record)>) {
          if (launch_.is_ambiguous) record.correlation = 0;
          if (is_graph && record.origin == Origin::kApi) record.origin = Origin::kGraph;
          const bool has_times = record.start_ns != kNoTime;
          if (has_times && stream_order_.proves_impossible(record)) ++counts_.impossible_durations;
        }
        pass(record);
      },
      work.event);
}

void TraceBuilder::report_losses() {
  texts_.report_losses(sink_, last_ns_ == INT64_MIN ? 0 : absolute(last_ns_));
  const auto report = [this](Loss loss, std::uint64_t count) {
    if (count == 0) return;
    LossRecord record;
    record.what = info(loss).word;
    record.count = count;
    sink_.on(record);
  };
  report(Loss::kOverlappingSlice, counts_.overlapping_slices);
  report(Loss::kOverlapTooDeep, counts_.overlapping_too_deep);
  report(Loss::kUnclosedRange, counts_.unclosed_ranges);
  report(Loss::kUnderAnotherOp, counts_.under_another_op);
  report(Loss::kZeroTimestamp, counts_.without_times);
  report(Loss::kImpossibleDuration, counts_.impossible_durations);
  report(Loss::kAmbiguousLaunch, counts_.ambiguous_launches);
}

}  // namespace prof::importers
