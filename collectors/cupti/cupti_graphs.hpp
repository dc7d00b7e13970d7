// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CuptiGraphs: converts the reports about CUDA graphs in CUPTI's callbacks to GraphSites, with
// CUPTI's ids. Passes CUPTI's structs as pointers, so that no other file needs its headers.
// Threads: load() from one; the rest from any, inside CUPTI's callbacks.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>

#include "collectors/cupti/call_class.hpp"
#include "collectors/cupti/graph_site.hpp"

namespace prof::collectors {

class CuptiGraphs {
 public:
  /// Looks up libcupti's functions for ids. `library`: from dlopen().
  void load(void* library);
  /// Whether CUPTI has ids of nodes; without them nothing is reported.
  [[nodiscard]] bool has_ids() const { return node_id_ != nullptr; }

  struct Callback {
    std::uint32_t cbid;  ///< A CUpti_CallbackIdResource.
    GraphSite::What what;
    std::uint32_t since;  ///< The first cuptiGetVersion() that knows it.
  };
  [[nodiscard]] static std::span<const Callback> callbacks();

  /// `graph_data`: the callback's CUpti_GraphData. None: not about graphs, or without an id.
  [[nodiscard]] std::optional<GraphSite> site(std::uint32_t cbid, const void* graph_data) noexcept;

  /// Whether conditional nodes have been made, or work of their bodies recorded.
  [[nodiscard]] bool has_conditionals() const noexcept {
    return has_conditionals_.load(std::memory_order_relaxed);
  }
  void note_conditionals() noexcept { has_conditionals_.store(true, std::memory_order_relaxed); }

  /// The node or executable that a successful driver call was about, by its parameters; see
  /// CallSite::graph_object.
  [[nodiscard]] std::uint64_t object_of(CallClass call, const void* parameters) noexcept;

  /// The graph into which a successful driver call of class kCaptureEnd captured; null: none.
  [[nodiscard]] static const void* captured_graph(const void* parameters) noexcept;
  /// CUPTI's id of a node, by CUDA's handle.
  [[nodiscard]] std::uint64_t node_id(const void* handle) noexcept;

  /// Whether a driver call instantiates a graph so that kernels can launch it. Runtime calls end up
  /// in these driver calls; older functions have no option for it.
  [[nodiscard]] static bool instantiates_for_kernels(std::uint32_t cbid,
                                                     const void* parameters) noexcept;

 private:
  template <typename Id, typename Handle>
  [[nodiscard]] static Id id_of(void* function, Handle handle) noexcept;

  void* node_id_ = nullptr;  ///< CUPTI's functions; null: this CUPTI has none.
  void* graph_id_ = nullptr;
  void* exec_id_ = nullptr;
  std::atomic<bool> has_conditionals_{false};
};

}  // namespace prof::collectors
