// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What the stand-in driver (libcuda.so.1) provides besides the driver's own functions: work for
// test programs, and the hooks used by the stand-in CUPTI (libcupti.so.13). Only for tests: it runs
// nothing on a GPU, it only behaves like the driver towards a profiler. All functions may be called
// from any thread. README.md lists what is imitated and what is not.
#pragma once

#include <cstddef>
#include <cstdint>

namespace standin {

/// The ways a program can launch a kernel: the runtime function and the driver function inside it.
enum class Door : std::uint32_t {
  kRuntime,             ///< cudaLaunchKernel
  kRuntime13,           ///< __cudaLaunchKernel, which nvcc 13's <<<>>> calls
  kRuntimePtsz,         ///< cudaLaunchKernel_ptsz
  kRuntime13Ptsz,       ///< __cudaLaunchKernel_ptsz
  kRuntimeEx,           ///< cudaLaunchKernelExC
  kRuntimeExPtsz,       ///< cudaLaunchKernelExC_ptsz
  kRuntimeCooperative,  ///< cudaLaunchCooperativeKernel
  kDriver,              ///< cuLaunchKernel
  kDriverPtsz,          ///< cuLaunchKernel_ptsz
  kDriverEx,            ///< cuLaunchKernelEx
  kDriverExPtsz,        ///< cuLaunchKernelEx_ptsz
  kDriverCooperative,   ///< cuLaunchCooperativeKernel
  kCount
};

/// kGraph: all the work of one launch of a graph; by a kernel, if `correlation` is 0. kMemory: an
/// allocation or a release.
enum class WorkKind : std::uint8_t { kKernel, kMemcpy, kMemset, kOverhead, kGraph, kMemory };

struct Size3 {
  std::uint32_t x = 1, y = 1, z = 1;
};

/// One thing that the "GPU" did.
struct Work {
  WorkKind kind = WorkKind::kKernel;
  const char* name = "";  ///< Kernel name; lives as long as the process.
  Size3 grid, block;
  std::uint32_t stream = 7;
  std::uint32_t correlation = 0;
  std::uint32_t graph = 0;
  std::uint64_t graph_node = 0;
  std::uint64_t start_ns = 0, end_ns = 0;
  std::uint64_t bytes = 0;
  std::uint64_t address = 0;
  std::uint8_t copy_kind = 0;
  bool async = false;
  bool is_release = false;
  bool is_of_pool = false;
  bool cooperative = false;
  bool never_ran = false;  ///< CUPTI has a record all the same, without times.
};

/// A function of the program or of the runtime, entered or left.
struct ApiSite {
  std::uint32_t domain = 0;  ///< CUpti_CallbackDomain
  std::uint32_t cbid = 0;
  const char* function = "";
  const char* symbol = nullptr;  ///< Kernel name of a launch.
  std::uint32_t correlation = 0;
  std::int32_t status = 0;
  std::uint64_t scratch = 0;         ///< CUpti_CallbackData::correlationData points here.
  const void* parameters = nullptr;  ///< CUpti_CallbackData::functionParams; null: zeros.
};

struct Graph {
  std::uint32_t id = 0;
};

struct GraphNode {
  std::uint64_t id = 0;
};

/// Graph events, as reported by CUPTI's resource callbacks.
struct GraphEvent {
  std::uint32_t cbid = 0;  ///< CUPTI_CBID_RESOURCE_...
  Graph* graph = nullptr;
  Graph* original_graph = nullptr;
  GraphNode* node = nullptr;
  GraphNode* original_node = nullptr;
  Graph* executable = nullptr;
  std::uint32_t type = 0;  ///< CUgraphNodeType; only where a node's creation starts.
};

/// Set by the stand-in CUPTI. All are called on the thread that makes the call.
struct CuptiHooks {
  void (*api)(ApiSite& site, bool enter);
  void (*resource)(std::uint32_t cbid);
  void (*graph)(const GraphEvent& event);
  void (*work)(const Work& work);
  /// Another number each time that CUPTI is attached; 0: it is not.
  std::uint32_t (*attachment)();
};

/// What a program does with graphs. An executable is a Graph, too. Null: not on this machine.
struct GraphCalls {
  /// Between the two, this thread's launches, copies and sets become nodes: of `into`, or of a new
  /// graph.
  int (*begin_capture)(Graph* into);
  int (*end_capture)(Graph** graph);
  /// These three add a node to a graph without capture (null: they make the graph).
  int (*add_kernel)(Graph** graph, const char* kernel, Size3 grid, Size3 block);
  int (*add_child)(Graph** graph, Graph* child);
  /// A conditional node with one body, which every launch runs `runs` times.
  int (*add_conditional)(Graph** graph, std::uint32_t runs, Graph** body);
  /// `flags`: CUgraphInstantiate_flags.
  int (*instantiate)(Graph* graph, Graph** executable, std::uint64_t flags);
  int (*launch)(Graph* executable);
  /// Refused, without a callback, where the graphs differ in their nodes.
  int (*update)(Graph* executable, Graph* graph);
  /// Sets the grid of a kernel node, by its number in the graph: for one executable, or in the
  /// graph.
  int (*set_executable_node)(Graph* executable, Graph* graph, std::uint32_t node, Size3 grid);
  int (*set_node)(Graph* graph, std::uint32_t node, Size3 grid);
  int (*destroy_executable)(Graph* executable);
  int (*destroy)(Graph* graph);
  /// As if a kernel launched it: no call, and no records of what runs in it.
  int (*launch_by_kernel)(Graph* executable);
};

/// The table that standin_driver() returns. Statuses are CUresult values: 0 is success.
struct Driver {
  void (*attach)(const CuptiHooks* hooks);
  int (*launch)(Door door, const char* kernel, Size3 grid, Size3 block, std::uint32_t stream);
  /// A launch that the driver refuses: its status is not 0 and there is no kernel.
  int (*launch_refused)(Door door, const char* kernel);
  int (*copy)(std::uint8_t copy_kind, std::uint64_t bytes, bool async);
  int (*set)(std::uint64_t bytes, bool async);
  int (*allocate)(std::uint64_t address, std::uint64_t bytes, bool async);
  int (*release)(std::uint64_t address, std::uint64_t bytes, bool async);
  /// Waits for all work. `what`: the device, "stream" or "event"; or makes the stream wait for an
  /// event: "wait_event".
  int (*synchronize)(const char* what, std::uint32_t stream);
  /// Calls that make no GPU work: "malloc", "event", "getter", "profiler_on", "profiler_off".
  int (*call)(const char* what);
  GraphCalls graphs;
};

}  // namespace standin

/// Exported by the stand-in libcuda.so.1.
extern "C" __attribute__((visibility("default"))) const standin::Driver* standin_driver();
