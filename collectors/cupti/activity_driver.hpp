// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ActivityDriver: a narrow interface to the source of CUDA calls and GPU work. No CUPTI type
// crosses it, so that the collector is the same with a real libcupti, with a fake one and in tests.
// DriverEvents are its callbacks to the collector. Ownership: the caller keeps the events object
// alive until stop() has returned (CUPTI may still call it meanwhile).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/core/activity_sink.hpp"
#include "collectors/core/internal_thread.hpp"
#include "collectors/cupti/call_class.hpp"
#include "collectors/cupti/graph_site.hpp"
#include "collectors/cupti/graph_trace.hpp"
#include "libprof/base/result.hpp"
#include "libprof/model/records.hpp"

namespace prof::collectors {

/// One enabled CUDA call, as seen by the callbacks at its start and end.
struct CallSite {
  Correlation correlation = 0;
  ApiRecord::Domain domain = ApiRecord::Domain::kRuntime;
  std::uint32_t cbid = 0;
  CallClass call = CallClass::kOther;
  /// At the end of a driver's call: the graph node that it set (kNodeSet), or the executable that
  /// it launched (kGraphLaunch), which is known only in processes with conditional nodes. Otherwise
  /// 0.
  std::uint64_t graph_object = 0;
  /// At the end of a driver's call: it made an executable that kernels may launch, and such
  /// launches are not recorded.
  bool hides_device_launches = false;
  /// At the end of a driver's call: CUDA's handle of the graph that a stream was captured into.
  const void* captured_graph = nullptr;
  /// The kind of wait that a driver's call performs; kUnknown: it does not wait.
  SyncRecord::Type wait = SyncRecord::Type::kUnknown;
  /// At the end of a driver's call that waits: CUPTI's ids; no stream: 0.
  std::uint32_t context = 0, stream = 0;
};

/// Called inside the program's CUDA calls, on its threads, concurrently. Implementations are short,
/// never throw and never block. None calls CUDA or CUPTI, except on_call_exit():
/// ActivityDriver::query_node() and each_kernel_node().
class DriverEvents {
 public:
  virtual ~DriverEvents() = default;

  virtual void on_call_enter(const CallSite& site) noexcept = 0;
  /// May come without a matching enter (the capture started inside the call).
  virtual void on_call_exit(const CallSite& site, std::int32_t status) noexcept = 0;
  virtual void on_graph(const GraphSite& site) noexcept = 0;
  /// cudaProfilerStart() ends, or cudaProfilerStop() begins. May open() or watch().
  virtual void on_profiler(bool is_on) noexcept = 0;

  /// Returns an empty, zeroed buffer for activity records, or null to refuse. `may_refuse`: this
  /// CUPTI tolerates a refusal.
  virtual std::uint8_t* on_buffer_wanted(std::size_t& bytes, bool may_refuse) noexcept = 0;
  virtual void on_buffer_filled(std::uint8_t* buffer, std::size_t valid_bytes) noexcept = 0;

  /// CUPTI reported an error of its own accord. `is_fatal`: it has shut itself down.
  virtual void on_cupti_error(std::string_view message, bool is_fatal) noexcept = 0;
};

/// Events reported while no capture runs.
struct Watch {
  bool graphs = false;    ///< Changes to CUDA graphs.
  bool profiler = false;  ///< cudaProfilerStart() and cudaProfilerStop(), during captures, too.
  [[nodiscard]] constexpr bool any() const { return graphs || profiler; }
};

struct DriverConfig {
  ApiMode api = ApiMode::kLaunch;
  std::uint32_t session = 0;  ///< Counts from 0; goes into the upper bits of correlations.
  Watch watch;                ///< Before and after the capture: watch().
  /// The program does not know that the capture ends: it waits for the GPU's work only as long as
  /// there is progress.
  bool is_window = false;
  /// CUDA_HOME and LD_LIBRARY_PATH: where to look for libcupti.
  std::string cuda_home;
  std::string library_path;
  GraphTrace graph_trace = GraphTrace::kNode;
  bool allocations = false;  ///< Records of allocations and releases of memory.
  /// Other tools may share CUPTI with this one, if it supports several.
  bool prefers_shared = false;
};

/// Use of CUPTI by other tools.
struct Sharing {
  bool is_shared = false;
  /// Name of the tool that came before this one; empty: none, or unknown.
  std::string first_tool;
};

/// The reason why start() failed, for programs (prof.h) rather than people.
enum class DriverFailure : std::uint8_t {
  kNone,
  kNoCupti,
  kNoDriver,
  kHeldByOther,
  kNoPermission,
  kOther
};

/// version() of the first CUPTI that reports changes in executables of graphs.
inline constexpr std::uint32_t kReportsGraphUpdates = 130'000;

class ActivityDriver {
 public:
  virtual ~ActivityDriver() = default;

  /// Finds CUPTI and starts reporting to `events`. An error is one line with the reason. `refused`
  /// receives the features that CUPTI refused but the capture can do without. Not from a CUDA
  /// callback.
  virtual Status open(const DriverConfig& config, DriverEvents* events,
                      std::vector<std::string>& refused) = 0;
  /// The reason why open() failed.
  [[nodiscard]] virtual DriverFailure failure() const = 0;

  /// The whole graphs recorded since open(): none unless DriverConfig requests them, or if this
  /// CUPTI does not report them.
  [[nodiscard]] virtual WholeGraphs whole_graphs() const = 0;

  /// Other tools' use of CUPTI, since open() or watch().
  [[nodiscard]] virtual Sharing sharing() const { return {}; }

  /// Makes CUPTI deliver finished buffers, to all tools that share it; `forced`: unfinished ones,
  /// too. Any thread, not from a callback.
  virtual void flush(bool forced) = 0;

  /// Waits for all work in all known contexts, unless a stream is being captured, which waiting
  /// would spoil. With `stall_timeout` only as long as there is progress.
  virtual void synchronize(const StallTimeout* stall_timeout) = 0;

  /// Reports only the events that config.watch selects, until open() or stop(); after open(), ends
  /// what that started.
  virtual Status watch(const DriverConfig& config, DriverEvents* events) = 0;

  /// Whether CUPTI's records are right if it is detached and attached again later. They are not
  /// with conditional nodes of CUDA graphs: CUPTI then records each node of their bodies once for a
  /// launch.
  [[nodiscard]] virtual bool may_reattach() const = 0;

  /// Ends what open() started. `detach`: also detaches CUPTI from the process, so that it has no
  /// further cost, unless other tools may use it. Returns whether that was done.
  virtual bool stop(bool detach) = 0;

  /// Number of records dropped since the last call.
  virtual std::uint64_t take_dropped() = 0;

  /// Number of releases of memory since the last call that CUPTI was kept from recording.
  virtual std::uint64_t take_unrecorded_releases() { return 0; }

  /// The current time on the records' clock.
  virtual std::int64_t now_ns() = 0;

  virtual void decode(std::uint8_t* buffer, std::size_t valid_bytes, ActivitySink& sink) = 0;

  /// Queries the function that a kernel node runs, by CUDA's handle of the node; false if that is
  /// unknown. To be called at the end of the call that made the node, on its thread: the driver
  /// holds no lock there.
  virtual bool query_node(const void* handle, NodeKernel& kernel) noexcept = 0;

  /// Calls `visit` for each kernel node of a graph, by CUDA's handle of the graph, with CUPTI's id
  /// of the node; for none if that is unknown. Where query_node() may be called.
  using VisitKernelNode = void (*)(std::uint64_t node, const NodeKernel& kernel);
  virtual void each_kernel_node(const void* graph, VisitKernelNode visit) noexcept = 0;

  /// The plain name of a call; valid forever. Empty if unknown.
  [[nodiscard]] virtual std::string_view function_name(ApiRecord::Domain domain,
                                                       std::uint32_t cbid) const = 0;
  [[nodiscard]] virtual CallClass call_class(ApiRecord::Domain domain,
                                             std::uint32_t cbid) const = 0;

  [[nodiscard]] virtual std::uint32_t version() const = 0;
  [[nodiscard]] virtual const std::string& path() const = 0;
};

/// The driver for libcupti. One for the process (CUPTI's buffer callbacks carry no user data);
/// lives on the heap until the process ends.
ActivityDriver& cupti_driver();

}  // namespace prof::collectors
