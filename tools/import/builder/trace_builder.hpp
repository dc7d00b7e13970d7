// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// TraceBuilder: makes records of what other profilers' files hold. Slices of host threads and GPU
// work arrive in any order; finish() passes them on with ids and parents, ranges in time order
// (libprof/model/range_ids.hpp), calls and GPU work in the order of their correlations. What does
// not fit in memory is sorted in files without names in the scratch folder. Records without a time
// (devices, facts about the capture) go to the sink directly. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "libprof/base/result.hpp"
#include "libprof/model/records.hpp"
#include "libprof/model/times.hpp"
#include "libprof/source/record_sink.hpp"
#include "libprof/source/string_interner.hpp"
#include "tools/import/builder/external_sort.hpp"
#include "tools/import/builder/flow_ties.hpp"
#include "tools/import/builder/forward_threads.hpp"
#include "tools/import/builder/op_places.hpp"
#include "tools/import/builder/slice.hpp"
#include "tools/import/builder/stream_order.hpp"
#include "tools/import/builder/thread_stacks.hpp"

namespace prof::importers {

/// Everything with a time that is not on a host thread's stack.
using Event = std::variant<KernelRecord, MemcpyRecord, MemsetRecord, SyncRecord, OverheadRecord>;

class TraceBuilder {
 public:
  /// The start and the end of GPU work of which the file has no times.
  static constexpr std::int64_t kNoTime = INT64_MIN;

  /// `buffer_bytes` bounds the memory of each of four sorts that are used at a time.
  TraceBuilder(RecordSink& sink, const std::string& scratch_folder,
               std::size_t buffer_bytes = ExternalSort<Slice>::kDefaultBufferBytes);

  StringId text(std::string_view text) { return texts_.intern(text, sink_); }
  /// The thread of a process; equal ids for equal arguments.
  ThreadId thread(std::uint64_t process, std::uint64_t os_tid);
  /// Names a thread, which need not have slices.
  void name_thread(std::uint64_t process, std::uint64_t os_tid, std::string_view name);

  /// Sets the text of a range or a mark, split as texts are in a trace (text_template.hpp): texts
  /// of ops that differ in their numbers alone are kept once.
  Status set_text(Slice& slice, std::string_view text);

  /// Sets the binary payload of a range or a mark.
  Status set_payload(Slice& slice, std::uint64_t schema, std::string_view bytes);

  /// `slice.order` is set here: by the order of the calls.
  Status add(Slice slice);
  /// `op`: the file's number of the op that launched it (Slice::op), 0: not stated. It counts where
  /// no call under an op is known: then the op itself launches the work, at its start.
  Status add(const Event& event, std::uint64_t op = 0);

  /// Flows stand for the sequence numbers of ops and nodes that state none.
  Status add(const Flow& flow) { return flows_.add(flow); }
  /// As if no flow had been added.
  void forget_flows() { uses_flows_ = false; }

  /// Asked of each op with a sequence number when all is added: the signature that it is passed
  /// with, which later events may have completed.
  using Complete = std::function<StringId(StringId signature, std::uint64_t sequence)>;
  void complete_signatures(Complete complete) { complete_ = std::move(complete); }

  struct Counts {
    std::uint64_t records = 0;  ///< Passed to the sink by finish().
    /// GPU work whose call is under another op than the file states.
    std::uint64_t under_another_op = 0;
    std::uint64_t overlapping_slices = 0;
    std::uint64_t overlapping_too_deep = 0;
    std::uint64_t unclosed_ranges = 0;
    std::uint64_t without_times = 0;
    /// GPU work that lasts while later work of its stream begins and ends.
    std::uint64_t impossible_durations = 0;
    /// GPU work whose correlation several calls of different threads have: it has no launch.
    std::uint64_t ambiguous_launches = 0;
  };
  /// Passes everything on, once, with losses for what `Counts` counts. Does not end the capture.
  /// All times given before count from `base_ns`. If the first one is then not above 0, which would
  /// mean "unknown" to readers, it becomes 1 ns and all others move with it.
  Result<Counts> finish(std::int64_t base_ns = 0);

 private:
  /// A call of which the stack is known.
  struct Call {
    ApiRecord record;
    std::uint64_t op_around = 0, annotation_around = 0;
    bool launches_graph = false;
    bool operator<(const Call& other) const;
  };
  struct Work {
    Event event;
    OpPlace op;  // the file's, with its range once that is known
    bool operator<(const Work& other) const;
  };
  /// The calls of one correlation.
  struct Launch {
    std::vector<Call> calls;
    std::uint64_t op_around = 0, annotation_around = 0;  // of the outermost one
    bool is_ambiguous = false;
    bool is_passed = false;
  };
  struct Thread {
    ThreadId id;  // none: no slices
    std::string name;
  };

  Status pass_threads();
  Status pass_ranges();
  Status pass_slice(const Slice& slice, const ThreadStacks::Placed& placed);
  /// Sets what a range and a mark have in common. Its numbers are valid until the next call.
  template <typename Record>
  Status fill_nvtx(const Slice& slice, Record& record);
  Status pass_range(const Slice& slice, RangeId id, RangeId parent, RangeId alias_of = 0);
  Status pass_payload(const Slice& slice, RangeId range);
  OpFact fact_of(const Slice& slice);
  Status pass_mark(const Slice& slice, RangeId parent);
  void pass_graph_node(const Slice& slice, RangeId stack);
  void pass_os_call(const Slice& slice, RangeId stack);
  void add_flow(const Slice& slice, OpFact& fact);
  Status find_ops();
  Status pass_work();
  /// Passes all calls before those of the correlation, and takes these.
  void take_launch(Correlation correlation);
  void pass_launch(const Work& work);
  void pass_launched(const Work& work);
  void report_losses();
  /// A file's time as the sink gets it.
  [[nodiscard]] std::int64_t absolute(std::int64_t time_ns) const {
    return sum_of_times(base_ns_, time_ns);
  }
  template <typename Record>
  void pass(Record record) {
    if constexpr (requires { record.start_ns; }) {
      const bool started = record.start_ns != kNoTime;
      record.start_ns = started ? absolute(record.start_ns) : 0;
      const bool ended = started && record.end_ns != Slice::kNeverEnded;
      record.end_ns = ended ? absolute(record.end_ns) : 0;
    }
    sink_.on(record);
    ++counts_.records;
  }

  RecordSink& sink_;
  StringInterner texts_;
  ByteStore numbers_;  // of texts
  ByteStore payloads_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Thread> threads_;  // by process and thread
  std::uint32_t next_thread_ = 1;
  std::uint64_t next_order_ = 0;
  std::int64_t first_ns_ = INT64_MAX, last_ns_ = INT64_MIN;
  std::int64_t base_ns_ = 0;

  ForwardThreads forward_threads_;
  FlowTies flow_ties_;
  bool uses_flows_ = true;
  ExternalSort<Flow> flows_;
  ExternalSort<Slice> slices_;
  ExternalSort<Call> calls_;
  Complete complete_;
  const Call* next_call_ = nullptr;
  Launch launch_;  // of the work that is being passed
  OpPlaces<Work> op_places_;
  ExternalSort<Work> work_;
  StreamOrder stream_order_;
  Counts counts_;
};

}  // namespace prof::importers
