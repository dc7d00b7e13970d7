// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// TraceSet: the traces that reports read together: one, the ranks of a run, or several runs.
// Identifies each and relates its times to the others'. Ids (strings, configurations, ranges)
// belong to one trace. One thread.
//
// Times. A trace's times count from its own start. Adding TraceIdentity::offset_ns puts the times
// of all traces of one host on one axis, which begins with the host's earliest trace. Traces are of
// one host if their boot ids or their host names are equal. Within one boot, starts are compared by
// CLOCK_MONOTONIC, to which a trace's first clock_sync ties its times: steps of CLOCK_REALTIME
// between two captures have no effect. Across boots, or without a boot id or a clock_sync, starts
// are compared by CLOCK_REALTIME. Assumed: CLOCK_REALTIME does not step between a trace's start and
// its first clock_sync (a second at most), and processes of one boot share one monotonic clock (no
// time namespaces). Times of different hosts are not comparable: how far their clocks differ is not
// recorded in any trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libprof/base/result.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

struct TraceIdentity {
  /// The file's name, with as much of its path as needed to distinguish it within the set.
  std::string name;
  std::optional<std::uint32_t> rank, local_rank, world_size;
  std::string host;  ///< Empty if the trace does not record it.
  std::string run;   ///< See Job::run.
  std::int64_t offset_ns = 0;
};

struct TraceMember {
  TraceReader& reader;
  TraceIdentity identity;
};

class TraceSet {
 public:
  /// Opens the traces in the order of `paths`. An error names a file that does not exist or was
  /// given twice. If there are several, files that cannot be read are left out, unless sides are
  /// compared: the first `base` paths are a side of their own, and a file may be on both.
  static Result<TraceSet> open(std::span<const std::string> paths, std::size_t base = 0);
  /// A set of open readers, which must outlive it.
  static Result<TraceSet> of(std::span<TraceReader* const> readers);

  [[nodiscard]] const std::vector<TraceMember>& members() const { return members_; }
  [[nodiscard]] std::size_t size() const { return members_.size(); }
  /// The reasons why files that open() was given are left out.
  [[nodiscard]] const std::vector<Error>& left_out() const { return left_out_; }
  /// Whether times of two members, offsets added, are on one axis.
  [[nodiscard]] bool comparable(std::size_t a, std::size_t b) const {
    return hosts_[a] == hosts_[b];
  }

 private:
  Status identify();

  std::vector<std::unique_ptr<TraceReader>> owned_;
  std::vector<TraceMember> members_;
  std::vector<std::size_t> hosts_;  // for each member, the first member of its host
  std::vector<Error> left_out_;
};

}  // namespace prof
