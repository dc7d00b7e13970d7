// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// LiveGraphs: knowledge about the CUDA graphs that exist, so that a capture can attribute replays
// of graphs that were made before it. It learns from the records of one session (a standby or a
// capture) and gives the next session the records that it needs: nodes, executables, updates and
// ends of graphs that live or that living ones were made of, and the ranges around them; in
// addition, the last ranges with numbers in their texts, for backward work whose forward op ran
// before. Its memory is bounded by these, by the open ranges and, until the session's end, by the
// session's texts.
//
// Threads: one at a time (the recorder's worker; between sessions the thread that controls
// captures).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "collectors/core/activity_sink.hpp"
#include "libprof/model/records.hpp"
#include "libprof/source/record_batch.hpp"

namespace prof::collectors {

class LiveGraphs {
 public:
  /// Learns from a batch of the running session. A range comes in the batch of the graph records
  /// under it or in a later one.
  void learn(const RecordBatch& batch);
  /// The function that a kernel node runs, where the node's own record does not name it. `function`
  /// is an id of the session.
  struct Kernel {
    std::uint64_t node = 0;
    StringId function{};
    Dim3 grid{0, 0, 0};
  };
  void learn(const Kernel& kernel);
  /// Ends the session and its ranges. The next session counts from `end_ns` on.
  void end_session(std::int64_t end_ns);
  /// Everything that the session has recorded is in the trace that the next session writes to.
  void mark_recorded();
  /// Passes everything that is not marked as recorded on to a new session, and forgets it: it is
  /// learned again from that session's records. Records under unknown ranges are left out.
  void record(ActivitySink& sink);
  /// Forgets everything: events were missed, so that the knowledge may be wrong.
  void forget();

  /// Number of graphs and executables that are kept.
  [[nodiscard]] std::size_t graphs() const { return graphs_.size(); }
  [[nodiscard]] std::size_t ranges() const { return ranges_.size(); }
  [[nodiscard]] std::size_t texts() const { return texts_.size(); }

 private:
  template <typename Record>
  struct Known : Record {
    Known(const Record& record) : Record(record) {}  // NOLINT: it is the record.
    bool is_recorded = false;
  };
  struct Updates {
    /// The last update that took over another node's work.
    std::optional<Known<GraphUpdateRecord>> like;
    /// Parameters that calls have stated since then.
    std::vector<Known<GraphUpdateRecord>> stated;
  };
  struct Graph {
    std::vector<Known<GraphNodeRecord>> nodes;
    std::unordered_map<std::uint64_t, Kernel> kernels;  ///< By node.
    std::map<std::uint64_t, Updates> updates;           ///< By node.
    std::optional<Known<GraphExecRecord>> exec;
    std::optional<Known<GraphEndRecord>> end;
  };
  struct Range {
    RangeRecord record;
    std::string numbers;
    bool is_recorded = false;
  };
  using Ranges = std::unordered_map<RangeId, Range>;

  void learn_graphs(const RecordBatch& batch);
  void learn(const GraphUpdateRecord& update);
  void learn(const RangeRecord& record);
  void want(RangeId stack);
  void forget_old_numbers();
  [[nodiscard]] const Range* find(RangeId range) const;
  /// Whether all ranges of the stack are known.
  [[nodiscard]] bool is_whole(RangeId stack) const;

  /// Forgets graphs that no living one depends on and that ended at `until_ns` or before, with
  /// their ranges.
  void sweep(std::int64_t until_ns);
  /// The graphs that a graph was made of, with those that ended in its instantiation.
  [[nodiscard]] std::vector<std::uint32_t> sources_of(const Graph& graph) const;
  [[nodiscard]] std::unordered_set<std::uint32_t> living() const;
  void forget_ranges();
  void forget_texts();

  template <typename Action>
  void each_stack(Action action) const;
  template <typename TextOf>
  void record(Graph& graph, ActivitySink& sink, TextOf text_of);
  void forget_unrecorded();

  std::unordered_map<std::uint32_t, Graph> graphs_;
  std::unordered_map<std::uint32_t, ThreadRecord> threads_;  ///< All that the session has recorded.
  /// All texts that the session has recorded, by StringId.
  std::unordered_map<std::uint32_t, std::string> texts_;
  std::set<RangeId> numbered_;  ///< The last ranges with numbers that have ended.
  /// Stacks of graph records and ranges with numbers, with all that is below them.
  std::unordered_set<RangeId> wanted_;
  Ranges ranges_;  ///< The wanted ranges that have ended.
  Ranges open_;    ///< All ranges that were recorded while open.
  std::int64_t newest_ns_ = 0;
  std::size_t sweep_at_ = 64;  ///< Number of graphs at which the next sweep is due.
};

}  // namespace prof::collectors
