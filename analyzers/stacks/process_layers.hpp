// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ProcessLayers: the layers that ranges of the process (nvtxRangeStart) name, by time. Such a range
// is on no stack, and stands for what all threads do while it is open. The one that began first is
// the outermost. Immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzers/dialects/registry.hpp"
#include "analyzers/ranges/range_options.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

class ProcessLayers {
 public:
  /// If more are open at once, the inner ones are ignored: a program may leak them.
  static constexpr std::size_t kMaxOpen = 64;

  ProcessLayers(TraceReader& reader, const dialects::Registry& dialects,
                const RangeOptions& options);

  /// The number of the layer that is open at that time; 0: none.
  [[nodiscard]] std::uint32_t at(std::int64_t time_ns) const;
  [[nodiscard]] const std::string& path(std::uint32_t layer) const { return paths_[layer]; }

 private:
  struct Piece {
    std::int64_t start_ns = 0;
    std::uint32_t layer = 0;  // until the next one
  };
  class Sweep;

  std::vector<Piece> pieces_;       // by start
  std::vector<std::string> paths_;  // [0]: none
};

}  // namespace prof
