// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// StreamWaits: which work waits for work of another stream. Traces do not say which event a stream
// waits for, so this is an estimate: in nine of ten steps the same work, though launched and first
// in its stream, starts only when the same other work has ended. Where a call that makes the stream
// wait is recorded before it, nine of ten of the steps in which it is late are enough; and if there
// is but one other stream, it waits for what that was given before the event was recorded, unless a
// step contradicts. Nothing is said of programs with more than 64 streams.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include "analyzers/whatif/recorded_run.hpp"

namespace prof::whatif {

class StreamWaits {
 public:
  StreamWaits(const RecordedRun& run, std::span<const std::uint32_t> works_by_call);

  /// The work that this one waits for; absent: none is known.
  [[nodiscard]] std::optional<std::uint32_t> before(std::uint32_t work) const {
    const auto found = before_.find(work);
    return found != before_.end() ? std::optional(found->second) : std::nullopt;
  }

 private:
  std::unordered_map<std::uint32_t, std::uint32_t> before_;
};

}  // namespace prof::whatif
