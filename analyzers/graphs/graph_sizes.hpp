// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GraphSizes: how many nodes the executables of CUDA graphs have. Reads what happened to graphs
// once, to its end, because a launch by a kernel has no place in the order of launches. Memory: a
// number for each executable.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "libprof/base/result.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

class GraphSizes {
 public:
  explicit GraphSizes(TraceReader& reader);

  /// The number of nodes, those of child graphs and bodies among them; absent: the making of the
  /// executable is not in the trace.
  [[nodiscard]] std::optional<std::uint32_t> of(std::uint32_t exec) const;
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  void learn(const GraphEventRow& event);
  /// A graph that ends while its thread makes an executable has moved into that one.
  void end(const GraphEventRow& event);

  std::unordered_map<std::uint32_t, std::uint32_t> nodes_;   // by graph or executable
  std::unordered_map<std::uint32_t, std::uint32_t> making_;  // the executables, by thread
  std::unordered_set<std::uint32_t> execs_;
  Status status_;
};

}  // namespace prof
