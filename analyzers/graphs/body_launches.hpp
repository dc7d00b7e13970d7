// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// BodyLaunches: which launch of an executable ran work in the body of a conditional node. CUPTI
// gives such work no correlation, but an executable never overlaps itself: work that starts between
// the first and the last other work of a launch belongs to that launch. At the edges it belongs to
// the launch before or to the one after; the side on which a node runs is learned from launches
// that are far from others. Work that stays ambiguous has no launch. Reads the trace's work once if
// there is any such work, otherwise only its first row. Memory: a row for each launch of such
// executables. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "libprof/base/result.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

/// Work in the body of a conditional node.
inline bool is_body_work(const GpuRow& row) { return row.correlation == 0 && row.graph_node != 0; }

class BodyLaunches {
 public:
  struct Launch {
    GraphLaunchRow call;
    std::int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;  ///< Starts of its other work.
    std::uint64_t bodies = 0;  ///< Pieces of work that find_next() finds here.
    [[nodiscard]] bool has_work() const { return first_ns <= last_ns; }
  };
  /// The launch that ran a piece of work. Where it is ambiguous or not recorded: the last one that
  /// may have, or else the next of the executable; null: there is none.
  struct Found {
    Launch* launch = nullptr;
    bool is_certain = false;
  };

  BodyLaunches(TraceReader& reader, TraceReader::Work work);

  /// There is such work.
  [[nodiscard]] bool any() const { return any_; }
  /// Finds the launch of a body's work, which must come in the order of its starts.
  Found find_next(const GpuRow& body);
  /// The next work is the first again.
  void rewind();

  /// Launches in their order; those of executables without such bodies are left out.
  [[nodiscard]] std::vector<Launch>& launches() { return launches_; }
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  enum Side : std::uint8_t { kInner = 1, kBefore = 2, kAfter = 4 };
  /// Where work lies among the launches of its executable: in `before`, or at its end, or at the
  /// beginning of `after`. Null: there is no such launch, or it was made later.
  struct Position {
    Launch* before = nullptr;
    Launch* after = nullptr;
    bool is_inner = false;
    Launch* stand_in = nullptr;  // where work stands that has neither
  };
  struct Exec {
    std::vector<std::size_t> launches;  // with other work; if there is none, all
    std::size_t next = 0;               // the first that began later than the last work
  };

  void find_launches(TraceReader& reader);
  void find_other_work(TraceReader& reader, TraceReader::Work work);
  void learn(TraceReader& reader, TraceReader::Work work);
  Position position_of(const GpuRow& body);

  bool any_ = false;
  std::vector<Launch> launches_;
  std::unordered_map<std::uint32_t, Exec> execs_;
  std::unordered_map<std::uint64_t, std::uint8_t> sides_;  // by node
  Status status_;
};

}  // namespace prof
