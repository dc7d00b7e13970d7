// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The types of the graph nodes that a thread is creating. CUPTI states a node's type before it is
// created, with its graph but without its id, and calls every node a kernel afterwards. The nodes
// of a child graph are created between the two callbacks of the node that holds it, and some nodes
// are announced but never created. Plain memory of a fixed size: nothing is allocated.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>

namespace prof::collectors {

class StartingNodes {
 public:
  static constexpr std::uint32_t kMaxDepth = 16;

  void begin(std::uint32_t graph, std::uint32_t type) noexcept {
    // An earlier node of this graph was never created, nor were those inside it.
    (void)take(graph);
    if (size_ == kMaxDepth) {
      // The outermost node was most likely never created.
      std::memmove(&nodes_[0], &nodes_[1], sizeof nodes_ - sizeof nodes_[0]);
      --size_;
    }
    nodes_[size_++] = {graph, type};
  }

  /// Takes the type of the node just created in this graph; none: it was not announced.
  std::optional<std::uint32_t> take(std::uint32_t graph) noexcept {
    for (std::uint32_t i = size_; i != 0; --i) {
      if (nodes_[i - 1].graph != graph) continue;
      size_ = i - 1;
      return nodes_[i - 1].type;
    }
    return std::nullopt;
  }

 private:
  struct Node {
    std::uint32_t graph, type;
  };
  Node nodes_[kMaxDepth] = {};
  std::uint32_t size_ = 0;
};

}  // namespace prof::collectors
