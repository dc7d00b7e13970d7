// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading: what the reports of a run read of its traces. A trace is attributed once, however many
// ask for its work: the first that reads it has it attributed, listeners hear it, and a log keeps
// it for the others (analyzers/log). Timelines are made on demand, and kept where several reports
// want them.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyzers/attributed_work.hpp"
#include "analyzers/log/work_log.hpp"
#include "analyzers/ranges/range_options.hpp"
#include "analyzers/timeline/work_timeline.hpp"
#include "libprof/store/read/trace_reader.hpp"
#include "libprof/store/read/trace_set.hpp"
#include "tools/common/progress.hpp"
#include "tools/report/filter/row_filter.hpp"
#include "tools/report/rows/read_ahead.hpp"
#include "tools/report/rows/read_progress.hpp"

namespace prof::reports {

using AttributeWork =
    std::function<std::unique_ptr<AttributedWork>(TraceReader& trace, TraceReader::Work work)>;

/// Runs the analyzers; `domains` are NVTX domains that are read like the default one.
AttributeWork attribute_by_analyzers(RangeOptions range_options);

/// Hears the work of a trace, its copies and sets too.
class WorkListener {
 public:
  WorkListener() = default;
  WorkListener(const WorkListener&) = delete;
  WorkListener& operator=(const WorkListener&) = delete;
  virtual ~WorkListener() = default;

  virtual void add(const AttributedRow& row) = 0;
  /// After the last row, if all were read.
  virtual void finish(const AttributionCounts& counts) = 0;
};

class Reading {
 public:
  using Listen = std::function<std::unique_ptr<WorkListener>(TraceReader& trace)>;

  /// The most traces of which something is kept: those that were read last.
  static constexpr std::size_t kMostKept = 16;

  enum class Keeps : std::uint8_t {
    kNothing,  ///< Work is read once.
    kWork,     ///< It is read again.
    /// Likewise, and several times as a timeline, which is made of the first reading: the ranges
    /// that causes of idle time are found by are behind it later.
    kTimelines,
  };
  enum class Detail : std::uint8_t {
    kStates,  ///< Without causes: takes a third of the memory.
    kCauses,
  };

  /// `traces`: how many there are. `progress`, if any, shows how much of them is read, and must
  /// outlive it.
  Reading(AttributeWork attribute, Keeps keeps, std::size_t traces,
          tools::Progress* progress = nullptr);
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading();

  /// Lets other threads read the next traces while traces are read one after the other; `jobs`
  /// counts these threads and the caller's. They also make timelines if reports want these. The
  /// traces must outlive it.
  void read_ahead(const TraceSet& traces, std::size_t jobs, bool with_timelines);

  /// The work of a trace in launch order. Threads may read different traces.
  std::unique_ptr<AttributedWork> work(TraceReader& trace, TraceReader::Work wanted);
  /// As work(), for one of more traces than are kept.
  std::unique_ptr<AttributedWork> work_of_one(TraceReader& trace, TraceReader::Work wanted);

  /// The last step in which a kernel was launched: a reading of the work. Absent: none was, in no
  /// step. One thread.
  std::optional<std::int64_t> last_step(TraceReader& trace);

  /// From now on the first reading of each trace is heard; empty: by nobody. One thread.
  void listen(Listen listen);

  /// The timeline of all of a trace's work, complete and at its beginning: the one that is kept, or
  /// else a new one. It has the detail, or more. One thread.
  std::shared_ptr<WorkTimeline> timeline(TraceReader& trace, Detail detail);
  /// A timeline to be given work that is read for the first time.
  std::shared_ptr<WorkTimeline> new_timeline(TraceReader& trace, Detail detail,
                                             WorkTimeline::TakesRange takes_range = {});
  /// Activity of threads besides launching: read once. One thread.
  std::shared_ptr<IdleCauses> idle_causes(TraceReader& trace);

  /// Threads that may read traces at a time.
  [[nodiscard]] std::size_t jobs() const { return jobs_; }
  /// Null: nobody asks.
  [[nodiscard]] ReadProgress* progress() { return progress_ ? &*progress_ : nullptr; }

 private:
  class HeardWork;
  class Logging;
  class Timing;

  ReadAhead::Done read_one(const std::string& path, const std::stop_token& stop);
  std::shared_ptr<const WorkLog> take_ahead(TraceReader& trace);
  void keep_timeline(const TraceReader& trace, std::shared_ptr<WorkTimeline> timeline);
  [[nodiscard]] std::shared_ptr<const WorkLog> find_log(const std::string& path);
  void keep_log(const std::string& path, std::shared_ptr<const WorkLog> log);

  AttributeWork attribute_;
  const Keeps keeps_;
  const std::size_t traces_;
  std::optional<ReadProgress> progress_;
  Listen listen_;
  std::set<const TraceReader*> heard_;

  std::mutex mutex_;                                                          // of the logs
  std::vector<std::pair<std::string, std::shared_ptr<const WorkLog>>> logs_;  // by path
  std::map<const TraceReader*, std::shared_ptr<WorkTimeline>> timelines_;
  std::map<const TraceReader*, std::shared_ptr<IdleCauses>> causes_;
  std::map<const TraceReader*, std::optional<std::int64_t>> last_steps_;

  std::size_t jobs_ = 1;
  bool has_timelines_ = false;      // of what is read ahead
  std::vector<std::string> paths_;  // of the traces that are
  std::map<const TraceReader*, std::size_t> places_;
  std::unique_ptr<ReadAhead> ahead_;  // its threads use the rest; null: nothing is read ahead
};

/// For the filters of rows that --step may choose among.
inline FindLastStep find_last_step(Reading& reading) {
  return [&reading](TraceReader& trace) { return reading.last_step(trace); };
}

}  // namespace prof::reports
