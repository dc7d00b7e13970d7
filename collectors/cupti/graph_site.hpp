// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CUPTI's reports about CUDA graphs, without its types.
#pragma once

#include <cstdint>
#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof::collectors {

/// CUgraphNodeType of the nodes that are handled separately.
inline constexpr std::uint32_t kKernelNode = 0, kConditionalNode = 13;

/// A change to a graph, at the moment it happens on the calling thread.
struct GraphSite {
  enum class What : std::uint8_t {
    kNodeStarts,  ///< A node of `type` is about to be created in `graph`.
    kNode,        ///< `node` was created in `graph`.
    kClone,       ///< `node`, in `graph`, is a copy of `other`. It was usually created just before.
    kUpdate,      ///< `node`, of an executable, takes over the work of `other`.
    kParameters,  ///< `node`, of an executable, gets parameters: by an update, or stated in a call.
    kExecStarts,  ///< An executable is about to be made of `graph`.
    kExec,        ///< `exec` was made of `graph`.
    kEnd,         ///< `graph`, which may be an executable, is about to be destroyed.
  };
  What what = What::kNode;
  std::uint64_t node = 0;
  std::uint64_t other = 0;
  std::uint32_t graph = 0;
  std::uint32_t exec = 0;
  std::uint32_t type = 0;        ///< CUgraphNodeType; see StartingNodes.
  const void* handle = nullptr;  ///< kNode: CUDA's handle of the node.
};

/// The function that a kernel node runs. The name is valid until the thread's next CUDA call.
struct NodeKernel {
  std::string_view name;  ///< Mangled; empty: unknown.
  Dim3 grid{0, 0, 0};
};

}  // namespace prof::collectors
