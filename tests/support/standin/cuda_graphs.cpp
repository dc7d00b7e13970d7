// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The stand-in driver's graphs, with CUPTI's callbacks as CUDA 13.0's driver 580 makes them: a
// node's type is told only where its creation starts, with the nodes of a child graph inside that;
// instantiation clones graph after graph, makes a copy of everything that is announced but mostly
// not created, and then moves the nodes of embedded graphs into the executable, which gives them
// new ids and ends their graphs. A refused update makes no callback.
#include "cuda_graphs.hpp"

#include <cuda.h>
#include <cupti.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "cuda_call.hpp"

namespace standin {
namespace {

constexpr int kUpdateFailure = 910;

thread_local GraphBody* capturing = nullptr;
thread_local bool in_callback = false;

CUgraphNode handle(NodeWork* node) {
  return reinterpret_cast<CUgraphNode>(static_cast<GraphNode*>(node));
}
CUgraph graph_handle(Graph* graph) { return reinterpret_cast<CUgraph>(graph); }
CUgraphExec exec_handle(Graph* executable) { return reinterpret_cast<CUgraphExec>(executable); }

void tell(const CuptiHooks* hooks, const GraphEvent& event) {
  if (hooks == nullptr) return;
  in_callback = true;
  hooks->graph(event);
  in_callback = false;
}

GraphBody* new_graph(const CuptiHooks* hooks) {
  auto* graph = new GraphBody;
  graph->id = driver_state().graphs.fetch_add(1) + 1;
  tell(hooks, {.cbid = CUPTI_CBID_RESOURCE_GRAPH_CREATED, .graph = graph});
  return graph;
}

void starts(const CuptiHooks* hooks, GraphBody* graph, std::uint32_t type) {
  tell(hooks,
       {.cbid = CUPTI_CBID_RESOURCE_GRAPHNODE_CREATE_STARTING, .graph = graph, .type = type});
}

void append(GraphBody& graph, NodeWork* node) {
  node->id = std::uint64_t{graph.id} << 32U | graph.nodes.size();
  graph.nodes.push_back(node);
}

void created(const CuptiHooks* hooks, GraphBody* graph, NodeWork* node) {
  tell(hooks, {.cbid = CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, .graph = graph, .node = node});
}

void ends(const CuptiHooks* hooks, GraphBody* graph) {
  tell(hooks, {.cbid = CUPTI_CBID_RESOURCE_GRAPH_DESTROY_STARTING, .graph = graph});
}

NodeWork* add_node(GraphBody& graph, std::uint32_t type, const CuptiHooks* hooks) {
  auto* node = new NodeWork;
  node->type = type;
  starts(hooks, &graph, type);
  append(graph, node);
  return node;
}

void clone_nodes(GraphBody& copy, GraphBody& original, const CuptiHooks* hooks) {
  for (NodeWork* source : original.nodes) {
    NodeWork* node = add_node(copy, source->type, hooks);
    node->work = source->work;
    node->original = source;
    node->runs = source->runs;
    for (GraphBody* inner : source->inside) {
      node->inside.push_back(new_graph(hooks));
      clone_nodes(*node->inside.back(), *inner, hooks);
    }
    created(hooks, &copy, node);
    tell(hooks, {.cbid = CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED,
                 .graph = &copy,
                 .original_graph = &original,
                 .node = node,
                 .original_node = source});
  }
}

/// What CUDA keeps beside an executable: of its nodes only those with graphs inside are created.
GraphBody* hidden_copy(const GraphBody& original, const CuptiHooks* hooks) {
  GraphBody* copy = new_graph(hooks);
  for (const NodeWork* source : original.nodes) {
    NodeWork* node = add_node(*copy, source->type, hooks);
    for (const GraphBody* inner : source->inside) hidden_copy(*inner, hooks);
    if (!source->inside.empty()) created(hooks, copy, node);
  }
  return copy;
}

/// Moves the nodes of the graphs inside a node into the executable.
void flatten(GraphBody& executable, const NodeWork& outer, const CuptiHooks* hooks) {
  for (GraphBody* inner : outer.inside) {
    for (NodeWork* node : inner->nodes) append(executable, node);
    ends(hooks, inner);
  }
  for (const GraphBody* inner : outer.inside) {
    for (const NodeWork* node : inner->nodes) flatten(executable, *node, hooks);
  }
}

/// What CUDA adds to an executable for a conditional node: announced as kernels, in no record.
void add_hidden_nodes(GraphBody& executable, const CuptiHooks* hooks) {
  for (int i = 0; i < 2; ++i) {
    starts(hooks, &executable, CU_GRAPH_NODE_TYPE_KERNEL);
    auto* node = new NodeWork;
    node->type = CU_GRAPH_NODE_TYPE_EMPTY;
    append(executable, node);
    created(hooks, &executable, node);
  }
}

/// The nodes of a graph in the order that flatten() gives them.
void list_inner(const NodeWork& outer, std::vector<NodeWork*>& nodes) {
  for (const GraphBody* inner : outer.inside) {
    nodes.insert(nodes.end(), inner->nodes.begin(), inner->nodes.end());
  }
  for (const GraphBody* inner : outer.inside) {
    for (const NodeWork* node : inner->nodes) list_inner(*node, nodes);
  }
}
std::vector<NodeWork*> all_nodes(const GraphBody& graph) {
  std::vector<NodeWork*> nodes = graph.nodes;
  for (const NodeWork* node : graph.nodes) list_inner(*node, nodes);
  return nodes;
}

bool has_work(const NodeWork& node) {
  return node.type == CU_GRAPH_NODE_TYPE_KERNEL || node.type == CU_GRAPH_NODE_TYPE_MEMCPY ||
         node.type == CU_GRAPH_NODE_TYPE_MEMSET;
}

int begin_capture(Graph* into) {
  const CallNames names = into == nullptr
                              ? CallNames{STANDIN_RT(cudaStreamBeginCapture, _v10000),
                                          STANDIN_DR(cuStreamBeginCapture_v2)}
                              : CallNames{STANDIN_RT(cudaStreamBeginCaptureToGraph, _v12030),
                                          STANDIN_DR(cuStreamBeginCaptureToGraph)};
  const Call call(names, nullptr, capturing != nullptr ? kErrorInvalidValue : kSuccess);
  if (call.status() != kSuccess) return call.status();
  capturing = into != nullptr ? static_cast<GraphBody*>(into) : new_graph(call.hooks());
  return kSuccess;
}

int end_capture(Graph** graph) {
  const CallNames names{STANDIN_RT(cudaStreamEndCapture, _v10000), STANDIN_DR(cuStreamEndCapture)};
  CUgraph made = graph_handle(capturing);
  cuStreamEndCapture_params parameters{};
  parameters.phGraph = &made;
  const Call call(names, nullptr, capturing == nullptr ? kErrorInvalidValue : kSuccess,
                  &parameters);
  *graph = capturing;
  capturing = nullptr;
  return call.status();
}

/// The graph, made if it is null; null if that fails.
GraphBody* made(Graph** graph) {
  if (*graph == nullptr) {
    const CallNames names{STANDIN_RT(cudaGraphCreate, _v10000), STANDIN_DR(cuGraphCreate)};
    const Call call(names, nullptr, kSuccess);
    if (call.status() == kSuccess) *graph = new_graph(call.hooks());
  }
  return static_cast<GraphBody*>(*graph);
}

int add_kernel(Graph** graph, const char* kernel, Size3 grid, Size3 block) {
  GraphBody* body = made(graph);
  const CallNames names{STANDIN_RT(cudaGraphAddKernelNode, _v10000),
                        STANDIN_DR(cuGraphAddKernelNode_v2)};
  const Call call(names, nullptr, body == nullptr ? kErrorInvalidValue : kSuccess);
  if (call.status() != kSuccess) return call.status();
  NodeWork* node = add_node(*body, CU_GRAPH_NODE_TYPE_KERNEL, call.hooks());
  node->work.name = keep_name(kernel);
  node->work.grid = grid;
  node->work.block = block;
  created(call.hooks(), body, node);
  return kSuccess;
}

int add_child(Graph** graph, Graph* child) {
  GraphBody* body = made(graph);
  const CallNames names{STANDIN_RT(cudaGraphAddChildGraphNode, _v10000),
                        STANDIN_DR(cuGraphAddChildGraphNode)};
  const Call call(names, nullptr, body == nullptr ? kErrorInvalidValue : kSuccess);
  if (call.status() != kSuccess) return call.status();
  NodeWork* node = add_node(*body, CU_GRAPH_NODE_TYPE_GRAPH, call.hooks());
  node->inside.push_back(new_graph(call.hooks()));
  clone_nodes(*node->inside.back(), *static_cast<GraphBody*>(child), call.hooks());
  created(call.hooks(), body, node);
  return kSuccess;
}

int add_conditional(Graph** graph, std::uint32_t runs, Graph** inner) {
  GraphBody* body = made(graph);
  const CallNames names{STANDIN_RT(cudaGraphAddNode, _v12020), STANDIN_DR(cuGraphAddNode_v2)};
  const Call call(names, nullptr, body == nullptr ? kErrorInvalidValue : kSuccess);
  if (call.status() != kSuccess) return call.status();
  NodeWork* node = add_node(*body, CU_GRAPH_NODE_TYPE_CONDITIONAL, call.hooks());
  node->runs = runs;
  node->inside.push_back(new_graph(call.hooks()));
  created(call.hooks(), body, node);
  *inner = node->inside.back();
  return kSuccess;
}

std::uint32_t attachment(const CuptiHooks* hooks) {
  return hooks != nullptr ? hooks->attachment() : 0;
}

int instantiate(Graph* graph, Graph** executable, std::uint64_t flags) {
  cuGraphInstantiateWithFlags_params with_flags{};
  with_flags.flags = flags;
  CUDA_GRAPH_INSTANTIATE_PARAMS stated{};
  stated.flags = flags;
  cuGraphInstantiateWithParams_params with_stated{};
  with_stated.instantiateParams = &stated;
  // Only that call has a stream to upload in.
  const bool uploads = (flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD) != 0;
  const CallNames names = uploads ? CallNames{STANDIN_RT(cudaGraphInstantiateWithParams, _v12000),
                                              STANDIN_DR(cuGraphInstantiateWithParams)}
                                  : CallNames{STANDIN_RT(cudaGraphInstantiate, _v12000),
                                              STANDIN_DR(cuGraphInstantiateWithFlags)};
  const void* parameters = uploads ? static_cast<const void*>(&with_stated) : &with_flags;
  const Call call(names, nullptr, graph == nullptr ? kErrorInvalidValue : kSuccess, parameters);
  if (call.status() != kSuccess || graph == nullptr) return call.status();
  auto* source = static_cast<GraphBody*>(graph);
  GraphBody* exec = new_graph(call.hooks());
  clone_nodes(*exec, *source, call.hooks());
  exec->copy = hidden_copy(*source, call.hooks());
  exec->attachment = attachment(call.hooks());
  tell(call.hooks(), {.cbid = CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATE_STARTING, .graph = graph});
  const std::vector<NodeWork*> outer = exec->nodes;
  for (const NodeWork* node : outer) flatten(*exec, *node, call.hooks());
  for (const NodeWork* node : outer) {
    if (node->type == CU_GRAPH_NODE_TYPE_CONDITIONAL) add_hidden_nodes(*exec, call.hooks());
  }
  tell(call.hooks(),
       {.cbid = CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED, .graph = graph, .executable = exec});
  *executable = exec;
  return kSuccess;
}

/// What a launch runs.
struct Run {
  const GraphBody* executable;
  const CuptiHooks* hooks;
  std::uint32_t correlation;  ///< 0: of the body of a conditional node, whose work has none.
  /// CUPTI was there when the executable was made. Else it tells each node of a body once.
  bool is_watched;
  bool is_unwatched_body = false;
  bool never_ran = false;
};

void run_nodes(const std::vector<NodeWork*>& nodes, const Run& run);

void run_bodies(const NodeWork& node, Run run) {
  std::uint32_t times = node.runs;
  if (node.type == CU_GRAPH_NODE_TYPE_CONDITIONAL && run.is_watched) run.correlation = 0;
  if (node.type == CU_GRAPH_NODE_TYPE_CONDITIONAL && !run.is_watched) {
    run.is_unwatched_body = true;
    run.never_ran = times == 0;
    times = 1;
  }
  for (; times != 0; --times) {
    for (const GraphBody* inner : node.inside) run_nodes(inner->nodes, run);
  }
}

void run_nodes(const std::vector<NodeWork*>& nodes, const Run& run) {
  for (const NodeWork* node : nodes) {
    run_bodies(*node, run);
    if (!has_work(*node)) continue;
    Work work = node->work;
    work.correlation = run.correlation;
    work.graph = run.is_unwatched_body ? 0 : run.executable->id;
    work.graph_node = node->id;
    work.never_ran = run.never_ran;
    set_times(work, driver_state().kernel_ns);
    if (run.hooks != nullptr) run.hooks->work(work);
  }
}

/// The nodes of the graph itself, which come first in its executable.
std::vector<NodeWork*> outer_nodes(const GraphBody& executable) {
  std::vector<NodeWork*> nodes;
  for (NodeWork* node : executable.nodes) {
    if (nodes.size() == executable.copy->nodes.size()) break;
    nodes.push_back(node);
  }
  return nodes;
}

Work whole_graph(const Graph* executable, std::uint32_t correlation) {
  Work work;
  work.kind = WorkKind::kGraph;
  work.correlation = correlation;
  work.graph = executable->id;
  set_times(work, driver_state().kernel_ns);
  return work;
}

int launch(Graph* executable) {
  const CallNames names{STANDIN_RT(cudaGraphLaunch, _v10000), STANDIN_DR(cuGraphLaunch)};
  cuGraphLaunch_params parameters{};
  parameters.hGraph = exec_handle(executable);
  const Call call(names, nullptr, executable == nullptr ? kErrorInvalidValue : kSuccess,
                  &parameters);
  if (call.status() != kSuccess || executable == nullptr) return call.status();
  Work whole = whole_graph(executable, call.correlation());
  const auto& body = *static_cast<GraphBody*>(executable);
  const std::uint32_t now = attachment(call.hooks());
  run_nodes(outer_nodes(body),
            {&body, call.hooks(), call.correlation(), now != 0 && now == body.attachment});
  whole.end_ns = driver_state().busy_until_ns[whole.stream % kStreams].load();
  if (call.hooks() != nullptr) call.hooks()->work(whole);
  return kSuccess;
}

int launch_by_kernel(Graph* executable) {
  const CuptiHooks* hooks = driver_state().hooks.load(std::memory_order_acquire);
  if (hooks != nullptr) hooks->work(whole_graph(executable, 0));
  return kSuccess;
}

void tell_parameters(const CuptiHooks* hooks, Graph* executable, NodeWork* node) {
  tell(hooks, {.cbid = CUPTI_CBID_RESOURCE_GRAPH_NODE_SET_PARAMS,
               .node = node,
               .original_node = node->original,
               .executable = executable});
}

bool are_alike(const std::vector<NodeWork*>& updated, const std::vector<NodeWork*>& nodes) {
  if (updated.size() < nodes.size()) return false;
  for (std::size_t i = 0; i < updated.size(); ++i) {
    const std::uint32_t type = updated[i]->type;
    if (i < nodes.size() ? type != nodes[i]->type : type != CU_GRAPH_NODE_TYPE_EMPTY) return false;
  }
  return true;
}

int update(Graph* executable, Graph* graph) {
  const std::vector<NodeWork*>& updated = static_cast<GraphBody*>(executable)->nodes;
  const std::vector<NodeWork*> nodes = all_nodes(*static_cast<GraphBody*>(graph));
  const CallNames names{STANDIN_RT(cudaGraphExecUpdate, _v10020), STANDIN_DR(cuGraphExecUpdate_v2)};
  const Call call(names, nullptr, are_alike(updated, nodes) ? kSuccess : kUpdateFailure);
  if (call.status() != kSuccess) return call.status();
  for (std::size_t i = nodes.size(); i-- != 0;) {
    if (!has_work(*nodes[i])) continue;
    updated[i]->work = nodes[i]->work;
    tell(call.hooks(), {.cbid = CUPTI_CBID_RESOURCE_GRAPH_NODE_UPDATED,
                        .node = nodes[i],
                        .original_node = updated[i],
                        .executable = executable});
    tell_parameters(call.hooks(), executable, updated[i]);
  }
  return kSuccess;
}

int set_executable_node(Graph* executable, Graph* graph, std::uint32_t index, Size3 grid) {
  NodeWork* node = static_cast<GraphBody*>(executable)->nodes.at(index);
  const CallNames names{STANDIN_RT(cudaGraphExecKernelNodeSetParams, _v10010),
                        STANDIN_DR(cuGraphExecKernelNodeSetParams_v2)};
  cuGraphExecKernelNodeSetParams_v2_params parameters{};
  parameters.hGraphExec = exec_handle(executable);
  parameters.hNode = handle(static_cast<GraphBody*>(graph)->nodes.at(index));
  const Call call(names, nullptr, kSuccess, &parameters);
  if (call.status() != kSuccess) return call.status();
  node->work.grid = grid;
  tell_parameters(call.hooks(), executable, node);
  return kSuccess;
}

int set_node(Graph* graph, std::uint32_t index, Size3 grid) {
  NodeWork* node = static_cast<GraphBody*>(graph)->nodes.at(index);
  const CallNames names{STANDIN_RT(cudaGraphKernelNodeSetParams, _v10000),
                        STANDIN_DR(cuGraphKernelNodeSetParams_v2)};
  cuGraphKernelNodeSetParams_v2_params parameters{};
  parameters.hNode = handle(node);
  const Call call(names, nullptr, kSuccess, &parameters);
  if (call.status() == kSuccess) node->work.grid = grid;
  return call.status();
}

int destroy_executable(Graph* executable) {
  const CallNames names{STANDIN_RT(cudaGraphExecDestroy, _v10000), STANDIN_DR(cuGraphExecDestroy)};
  const Call call(names, nullptr, kSuccess);
  if (call.status() != kSuccess) return call.status();
  tell(call.hooks(),
       {.cbid = CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING, .executable = executable});
  auto* exec = static_cast<GraphBody*>(executable);
  ends(call.hooks(), exec);
  ends(call.hooks(), exec->copy);
  return kSuccess;
}

int destroy(Graph* graph) {
  const CallNames names{STANDIN_RT(cudaGraphDestroy, _v10000), STANDIN_DR(cuGraphDestroy)};
  const Call call(names, nullptr, kSuccess);
  if (call.status() == kSuccess) ends(call.hooks(), static_cast<GraphBody*>(graph));
  return call.status();
}

/// The real driver holds locks inside these callbacks: calling it there may never return.
void check_no_callback(const char* function) {
  if (!in_callback) return;
  std::fprintf(stderr, "standin libcuda: %s called in a callback of a graph\n", function);
  std::abort();
}

}  // namespace

bool is_capturing() { return capturing != nullptr; }

bool capture_node(const Work& work, std::uint32_t node_type, const CuptiHooks* hooks) {
  if (capturing == nullptr) return false;
  NodeWork* node = add_node(*capturing, node_type, hooks);
  node->work = work;
  created(hooks, capturing, node);
  return true;
}

const GraphCalls kGraphCalls{
    begin_capture,      end_capture, add_kernel,      add_child,           add_conditional,
    instantiate,        launch,      update,          set_executable_node, set_node,
    destroy_executable, destroy,     launch_by_kernel};

}  // namespace standin

#define STANDIN_EXPORT extern "C" __attribute__((visibility("default")))

/// Raises callbacks as every call does, also when it is the profiler that calls.
#undef cuGraphKernelNodeGetParams
STANDIN_EXPORT CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode handle,
                                                      CUDA_KERNEL_NODE_PARAMS_v2* parameters) {
  using namespace standin;
  check_no_callback(__func__);
  const auto* node = static_cast<NodeWork*>(reinterpret_cast<GraphNode*>(handle));
  const bool is_kernel = node->type == CU_GRAPH_NODE_TYPE_KERNEL;
  const Call call({kNoApi, STANDIN_DR(cuGraphKernelNodeGetParams_v2)}, nullptr,
                  is_kernel ? kSuccess : kErrorInvalidValue);
  if (call.status() != kSuccess) return static_cast<CUresult>(call.status());
  *parameters = {};
  parameters->func = reinterpret_cast<CUfunction>(const_cast<char*>(node->work.name));
  parameters->gridDimX = node->work.grid.x;
  parameters->gridDimY = node->work.grid.y;
  parameters->gridDimZ = node->work.grid.z;
  return CUDA_SUCCESS;
}

STANDIN_EXPORT CUresult cuGraphGetNodes(CUgraph handle, CUgraphNode* nodes, std::size_t* count) {
  using namespace standin;
  check_no_callback(__func__);
  const Call call({kNoApi, STANDIN_DR(cuGraphGetNodes)}, nullptr, kSuccess);
  const auto& all = static_cast<GraphBody*>(reinterpret_cast<Graph*>(handle))->nodes;
  if (nodes == nullptr) {
    *count = all.size();
    return CUDA_SUCCESS;
  }
  *count = std::min(*count, all.size());
  for (std::size_t i = 0; i < *count; ++i) nodes[i] = standin::handle(all[i]);
  return CUDA_SUCCESS;
}

/// A function's handle is its name.
STANDIN_EXPORT CUresult cuFuncGetName(const char** name, CUfunction function) {
  standin::check_no_callback(__func__);
  *name = reinterpret_cast<const char*>(function);
  return CUDA_SUCCESS;
}
