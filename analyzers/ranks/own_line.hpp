// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// OwnLine: what the collectives and the own work of a rank wait for, from one trace: for own work
// before them, for the host's launch, for a collective before them. Notes the waits of own work and
// of the host (OwnWait, HostWait), and for each collective what it may have waited for, so that a
// step can be replayed with other times (replay.hpp). Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "analyzers/ranks/rank_summary.hpp"

namespace prof::ranks {

class OwnLine {
 public:
  /// How long the host waits for the GPU between two times; null: the trace does not say.
  using Waited = std::function<std::int64_t(std::int64_t begin_ns, std::int64_t end_ns)>;

  explicit OwnLine(Waited waited) : waited_(std::move(waited)) {}

  struct Launched {
    std::int64_t start_ns = 0, end_ns = 0;          ///< On the GPU.
    std::int64_t launch_ns = kNever, call_ns = 0;   ///< The call, and how long it took.
    std::int64_t host_ns = 0, own_end_ns = kNever;  ///< Filled in by launch(): as RankCollective's.
    std::int64_t way_ns = 0;    ///< Likewise: of the host to the launch, without waits for the GPU.
    HostGap gap = {};           ///< Likewise.
    std::uint32_t stretch = 0;  ///< Likewise: launches without a collective or a wait between.
    std::uint32_t stream = 0;
    bool is_collective = false;
  };

  /// In launch order.
  void launch(Launched& work);
  /// In the order of starts; `busy_until_ns`: with own work that started before.
  void begin_own(const Launched& work, std::int64_t busy_until_ns);
  void begin_collective(const Launched& work, RankCollective& made, std::uint32_t index);
  /// Sets the positions of the summary's collectives, and its waits.
  void finish(RankSummary& summary);

 private:
  static constexpr std::size_t kRecent = 64;

  void add_host_time(Launched& work);
  [[nodiscard]] std::int64_t waited_ns(std::int64_t launch_ns, std::int64_t from_ns) const;
  void wait_of_host(std::int64_t after_ns, std::int64_t waited_ns, std::int64_t gpu_ns);

  Waited waited_;

  // State after the launches so far.
  std::int64_t launched_ns_ = kNever, launch_end_ns_ = kNever, host_ns_ = 0;
  HostGap gap_;
  std::int64_t own_end_ns_ = kNever, collective_end_ns_ = kNever;
  std::array<std::int64_t, kRecent> own_ends_{};  // of the last launches
  std::size_t own_launches_ = 0;
  std::uint32_t stretch_ = 0;
  std::vector<std::pair<HostWait, std::int64_t>> host_waits_;  // with the collective's end

  // State after the starts so far.
  std::vector<OwnWait> own_waits_;
  std::uint32_t last_stretch_ = UINT32_MAX;  // of the last wait for the host
  std::int64_t own_begin_ns_ = kNever;       // of all own work
  struct Started {
    std::int64_t end_ns = 0;
    std::uint32_t index = 0, stream = 0;
  };
  std::vector<Started> collectives_;  // that own work may wait for
  std::map<std::uint32_t, Started> last_of_stream_;
};

/// Position of own work at a time: it goes on but for its waits.
std::int64_t own_position(const RankSummary& summary, std::int64_t time_ns);

}  // namespace prof::ranks
