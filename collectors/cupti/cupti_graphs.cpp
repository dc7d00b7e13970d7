// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/cupti_graphs.hpp"

#include <cupti.h>
#include <dlfcn.h>

#include <algorithm>

#include "collectors/cupti/activity_driver.hpp"
#include "collectors/cupti/cupti_decode.hpp"

namespace prof::collectors {
namespace {

constexpr CuptiGraphs::Callback kCallbacks[] = {
    {CUPTI_CBID_RESOURCE_GRAPH_DESTROY_STARTING, GraphSite::What::kEnd, kOldestCupti},
    {CUPTI_CBID_RESOURCE_GRAPHNODE_CREATE_STARTING, GraphSite::What::kNodeStarts, kOldestCupti},
    {CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, GraphSite::What::kNode, kOldestCupti},
    {CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING, GraphSite::What::kExecStarts, kOldestCupti},
    {CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED, GraphSite::What::kExec, kOldestCupti},
    {CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, GraphSite::What::kClone, kOldestCupti},
    {CUPTI_CBID_RESOURCE_GRAPH_NODE_UPDATED, GraphSite::What::kUpdate, kReportsGraphUpdates},
    {CUPTI_CBID_RESOURCE_GRAPH_NODE_SET_PARAMS, GraphSite::What::kParameters, kReportsGraphUpdates},
};

}  // namespace

void CuptiGraphs::load(void* library) {
  node_id_ = dlsym(library, "cuptiGetGraphNodeId");
  graph_id_ = dlsym(library, "cuptiGetGraphId");
  exec_id_ = dlsym(library, "cuptiGetGraphExecId");
}

std::span<const CuptiGraphs::Callback> CuptiGraphs::callbacks() { return kCallbacks; }

template <typename Id, typename Handle>
Id CuptiGraphs::id_of(void* function, Handle handle) noexcept {
  using Ask = CUptiResult (*)(Handle, Id*);
  Id id = 0;
  if (handle != nullptr && function != nullptr) reinterpret_cast<Ask>(function)(handle, &id);
  return id;
}

std::optional<GraphSite> CuptiGraphs::site(std::uint32_t cbid, const void* graph_data) noexcept {
  const auto* callback = std::find_if(std::begin(kCallbacks), std::end(kCallbacks),
                                      [&](const auto& known) { return known.cbid == cbid; });
  const auto* graph = static_cast<const CUpti_GraphData*>(graph_data);
  if (callback == std::end(kCallbacks) || graph == nullptr) return std::nullopt;
  const auto node = [this](CUgraphNode handle) { return id_of<std::uint64_t>(node_id_, handle); };
  // Only the members that CUPTI fills in for the callback are read.
  GraphSite site;
  site.what = callback->what;
  switch (site.what) {
    case GraphSite::What::kNodeStarts:
      site.type = static_cast<std::uint32_t>(graph->nodeType);
      if (site.type == kConditionalNode) note_conditionals();
      break;
    case GraphSite::What::kClone:
      site.other = node(graph->originalNode);
      [[fallthrough]];
    case GraphSite::What::kNode:
      site.node = node(graph->node);
      site.handle = graph->node;
      site.type = static_cast<std::uint32_t>(graph->nodeType);
      if (site.node == 0) return std::nullopt;
      break;
    case GraphSite::What::kUpdate:  // CUPTI calls the node that is updated the original.
      site.node = node(graph->originalNode);
      site.other = node(graph->node);
      return site.node != 0 ? std::optional(site) : std::nullopt;
    case GraphSite::What::kParameters:
      site.node = node(graph->node);
      return site.node != 0 ? std::optional(site) : std::nullopt;
    case GraphSite::What::kExec:
      site.exec = id_of<std::uint32_t>(exec_id_, graph->graphExec);
      break;
    case GraphSite::What::kExecStarts:
    case GraphSite::What::kEnd:
      break;
  }
  site.graph = id_of<std::uint32_t>(graph_id_, graph->graph);
  return site;
}

std::uint64_t CuptiGraphs::object_of(CallClass call, const void* parameters) noexcept {
  const bool is_set = call == CallClass::kNodeSet;
  const bool is_launch = call == CallClass::kGraphLaunch && has_conditionals();
  if ((!is_set && !is_launch) || parameters == nullptr) return 0;
  // The handle is the first parameter of all these functions.
  if (is_set) return id_of<std::uint64_t>(node_id_, *static_cast<const CUgraphNode*>(parameters));
  return id_of<std::uint32_t>(exec_id_, *static_cast<const CUgraphExec*>(parameters));
}

const void* CuptiGraphs::captured_graph(const void* parameters) noexcept {
  if (parameters == nullptr) return nullptr;
  // The variant for per-thread default streams has the same members.
  const CUgraph* graph = static_cast<const cuStreamEndCapture_params*>(parameters)->phGraph;
  return graph != nullptr ? *graph : nullptr;
}

std::uint64_t CuptiGraphs::node_id(const void* handle) noexcept {
  return id_of<std::uint64_t>(node_id_, static_cast<CUgraphNode>(const_cast<void*>(handle)));
}

bool CuptiGraphs::instantiates_for_kernels(std::uint32_t cbid, const void* parameters) noexcept {
  if (parameters == nullptr) return false;
  std::uint64_t flags = 0;
  if (cbid == CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags) {
    flags = static_cast<const cuGraphInstantiateWithFlags_params*>(parameters)->flags;
  } else if (cbid == CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams ||
             cbid == CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithParams_ptsz) {
    const auto* stated =
        static_cast<const cuGraphInstantiateWithParams_params*>(parameters)->instantiateParams;
    if (stated != nullptr) flags = stated->flags;
  }
  return (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != 0;
}

}  // namespace prof::collectors
