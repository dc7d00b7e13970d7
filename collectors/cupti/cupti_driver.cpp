// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ActivityDriver over the libcupti of the process: subscription, callbacks, activity kinds,
// detaching. Its functions are looked up by name, so that nothing here links libcupti; those that
// only some releases have may be missing. Records are decoded in cupti_decode.cpp.
#include <cupti.h>
#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstring>
#include <span>
#include <string>

#include "collectors/cupti/activity_driver.hpp"
#include "collectors/cupti/call_table.hpp"
#include "collectors/cupti/correlation.hpp"
#include "collectors/cupti/cuda_driver_api.hpp"
#include "collectors/cupti/cupti_decode.hpp"
#include "collectors/cupti/cupti_functions.hpp"
#include "collectors/cupti/cupti_graphs.hpp"
#include "collectors/cupti/cupti_library.hpp"
#include "collectors/cupti/cupti_subscription.hpp"
#include "collectors/cupti/cupti_waits.hpp"
#include "collectors/cupti/cupti_wheels.hpp"
#include "collectors/cupti/detach_budget.hpp"
#include "collectors/cupti/graph_activity.hpp"
#include "collectors/cupti/own_calls.hpp"
#include "collectors/cupti/pool_releases.hpp"
#include "libprof/base/clock.hpp"

namespace prof::collectors {
namespace {

/// cuptiGetVersion() of the first release that tolerates a refused buffer.
constexpr std::uint32_t kCuda12_9 = 27;

/// The last kind is enabled only on request.
constexpr std::array kKinds = {
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
    CUPTI_ACTIVITY_KIND_MEMCPY2,           CUPTI_ACTIVITY_KIND_MEMSET,
    CUPTI_ACTIVITY_KIND_OVERHEAD,          CUPTI_ACTIVITY_KIND_MEMORY2,
};

class CuptiDriver final : public ActivityDriver {
 public:
  Status open(const DriverConfig& config, DriverEvents* events,
              std::vector<std::string>& refused) override;
  Status watch(const DriverConfig& config, DriverEvents* events) override;
  [[nodiscard]] DriverFailure failure() const override { return failure_; }
  [[nodiscard]] WholeGraphs whole_graphs() const override { return whole_graphs_; }
  void flush(bool forced) override {
    const OwnCalls own;
    if (is_open_.load(std::memory_order_acquire))
      cupti_.flush_all(forced ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
  }
  void synchronize(const StallTimeout* stall_timeout) override;
  [[nodiscard]] bool may_reattach() const override { return !graphs_.has_conditionals(); }
  [[nodiscard]] Sharing sharing() const override {
    return {subscription_.is_shared(), subscription_.other_tool()};
  }
  bool stop(bool detach) override;
  std::uint64_t take_dropped() override;
  std::uint64_t take_unrecorded_releases() override { return pool_releases_.take_unrecorded(); }
  std::int64_t now_ns() override;
  void decode(std::uint8_t* buffer, std::size_t valid_bytes, ActivitySink& sink) override;
  bool query_node(const void* handle, NodeKernel& kernel) noexcept override {
    return query_kernel_node(handle, kernel);
  }
  void each_kernel_node(const void* graph, VisitKernelNode visit) noexcept override;
  [[nodiscard]] std::string_view function_name(ApiRecord::Domain domain,
                                               std::uint32_t cbid) const override {
    return table(domain).at(cbid).name;
  }
  [[nodiscard]] CallClass call_class(ApiRecord::Domain domain, std::uint32_t cbid) const override {
    return table(domain).at(cbid).call;
  }
  [[nodiscard]] std::uint32_t version() const override { return version_; }
  [[nodiscard]] const std::string& path() const override { return library_.path; }

  // Called by CUPTI.
  void on_callback(CUpti_CallbackDomain domain, CUpti_CallbackId cbid, const void* data) noexcept;
  DriverEvents* events() const { return events_.load(std::memory_order_acquire); }
  [[nodiscard]] bool may_refuse_buffers() const { return version_ >= kCuda12_9; }

 private:
  Status load(const DriverConfig& config);
  Status subscribe_once(const DriverConfig& config);
  Status enable_activities(std::vector<std::string>& refused);
  void ask_for_graphs_of_kernels();
  bool records_whole_graphs(GraphTrace wanted);
  void enable_whole_graphs();
  void enable_callbacks(std::vector<std::string>& refused);
  void enable_graph_callbacks(std::vector<std::string>& refused);
  void enable_calls(bool (*is_wanted)(CallClass call));
  bool watch_releases();
  Error failed(DriverFailure why, CUptiResult result, const char* what, std::string hint = {});
  void on_api(ApiRecord::Domain domain, CUpti_CallbackId cbid,
              const CUpti_CallbackData& data) noexcept;
  void on_state(CUpti_CallbackId cbid, const CUpti_StateData& data) noexcept;
  void end_records();
  void disable_activities();
  void disable_callbacks();
  bool detach();
  [[nodiscard]] const CallTable& table(ApiRecord::Domain domain) const {
    return domain == ApiRecord::Domain::kRuntime ? runtime_calls_ : driver_calls_;
  }
  std::string text_of(CUptiResult result) const;

  CuptiLibrary library_;
  CuptiFunctions cupti_;
  std::uint32_t version_ = 0;
  CallTable runtime_calls_, driver_calls_;
  CuptiGraphs graphs_;
  CuptiWaits waits_;
  PoolReleases pool_releases_{
      [](void* self, bool is_on) {
        CuptiSubscription& at = static_cast<CuptiDriver*>(self)->subscription_;
        is_on ? at.enable(CUPTI_ACTIVITY_KIND_MEMORY2) : at.disable(CUPTI_ACTIVITY_KIND_MEMORY2);
      },
      this};
  CorrelationWidener correlations_;
  CuptiSubscription subscription_{cupti_};
  ApiMode api_ = ApiMode::kLaunch;
  std::span<const CUpti_ActivityKind> kinds_;
  WholeGraphs whole_graphs_;
  /// A copy of whole_graphs_.by_kernels that callbacks may read.
  std::atomic<bool> sees_device_launches_{false};
  GraphActivity graph_activity_;
  DetachBudget detach_budget_;
  DriverFailure failure_ = DriverFailure::kNone;
  std::atomic<DriverEvents*> events_{nullptr};
  std::atomic<bool> is_open_{false};     ///< Subscribed, and CUPTI has not shut itself down.
  std::atomic<bool> detach_now_{false};  ///< The end of our next own call detaches.
  bool detached_ = false;
};

bool releases_to_pool(const CallTable::Entry& entry) {
  return entry.call == CallClass::kMemory && entry.name == "cuMemFreeAsync";
}

/// A cudaError_t or CUresult; both are ints.
std::int32_t status_of(const CUpti_CallbackData& data) {
  std::int32_t status = 0;
  if (data.functionReturnValue != nullptr)
    std::memcpy(&status, data.functionReturnValue, sizeof status);
  return status;
}

/// True while a window opens or closes inside a callback of this thread, in which CUPTI may not be
/// detached.
__thread bool t_in_callback = false;

CuptiDriver* g_driver = nullptr;  ///< For CUPTI's buffer callbacks, which carry no user data.

void CUPTIAPI callback(void* user_data, CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
                       const void* data) {
  static_cast<CuptiDriver*>(user_data)->on_callback(domain, cbid, data);
}

void CUPTIAPI buffer_wanted(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records) {
  *max_records = 0;
  *bytes = 0;
  *buffer = g_driver->events()->on_buffer_wanted(*bytes, g_driver->may_refuse_buffers());
}

void CUPTIAPI buffer_filled(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                            std::size_t valid_bytes) {
  if (buffer != nullptr) g_driver->events()->on_buffer_filled(buffer, valid_bytes);
}

std::string CuptiDriver::text_of(CUptiResult result) const {
  const char* text = nullptr;
  if (cupti_.get_result_string(result, &text) != CUPTI_SUCCESS || text == nullptr)
    text = "unknown error";
  return std::string(text) + " (" + std::to_string(static_cast<int>(result)) + ")";
}

Error CuptiDriver::failed(DriverFailure why, CUptiResult result, const char* what,
                          std::string hint) {
  failure_ = why;
  if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ||
      result == CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES) {
    failure_ = DriverFailure::kNoPermission;
    hint =
        "profiling is not permitted for this user: run as root or load the nvidia module with "
        "NVreg_RestrictProfilingToAdminUsers=0";
  } else if (result == CUPTI_ERROR_NOT_INITIALIZED || !has_cuda_driver()) {
    // Without a driver CUPTI's answer is "unknown error".
    failure_ = DriverFailure::kNoDriver;
    hint = "is an NVIDIA driver installed that is at least as new as this CUPTI?";
  }
  return Error{std::string(what) + ": " + text_of(result), "CUPTI", std::move(hint)};
}

Status CuptiDriver::load(const DriverConfig& config) {
  if (library_.handle == nullptr) {
    auto library = find_cupti(
        {config.cuda_home, config.library_path, cuda_driver_version(), cupti_wheel_folders()});
    if (!library) {
      failure_ = DriverFailure::kNoCupti;
      return library.error();
    }
    library_ = std::move(*library);
    const char* const missing = cupti_.load(library_.handle);
    if (missing == nullptr) cupti_.get_version(&version_);
    subscription_.load(library_.handle, version_);
    graphs_.load(library_.handle);
    waits_.load(library_.handle);
    if (missing != nullptr || version_ < kOldestCupti) {
      failure_ = DriverFailure::kNoCupti;
      library_.handle = nullptr;
      return Error{missing != nullptr ? std::string("has no ") + missing
                                      : "version " + std::to_string(version_) + " is too old",
                   library_.path, "use the CUPTI of CUDA 11.0 or newer"};
    }
    const auto names_of = [this](CUpti_CallbackDomain domain) {
      return [this, domain](std::uint32_t cbid) -> const char* {
        const char* name = nullptr;
        return cupti_.get_callback_name(domain, cbid, &name) == CUPTI_SUCCESS ? name : nullptr;
      };
    };
    runtime_calls_.build(names_of(CUPTI_CB_DOMAIN_RUNTIME_API));
    driver_calls_.build(names_of(CUPTI_CB_DOMAIN_DRIVER_API));
  }
  return {};
}

/// watch() leaves the subscription to the next capture, so that nothing is missed in between.
Status CuptiDriver::subscribe_once(const DriverConfig& config) {
  if (is_open_.load(std::memory_order_acquire)) return {};
  graph_activity_.begin();
  const CUptiResult result = subscription_.begin(config.prefers_shared, callback, this);
  if (result == CUPTI_SUCCESS) {
    is_open_.store(true, std::memory_order_release);
    return {};
  }
  if (result != CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
    return failed(DriverFailure::kOther, result, "could not subscribe");
  }
  failure_ = DriverFailure::kHeldByOther;
  const std::string holder = subscription_.other_tool();
  const std::string who = holder.empty() ? "another tool" : "'" + holder + "'";
  return Error{who + " already holds CUPTI in this process, and only one tool can", "CUPTI",
               "run only one of the two profilers"};
}

Status CuptiDriver::enable_activities(std::vector<std::string>& refused) {
  // Thread ids as gettid() returns them. Our buffers are zeroed already, which spares CUPTI doing
  // it in the program's calls. The capture works without either.
  subscription_.use_system_thread_ids();
  (void)subscription_.set_attribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, 1);
  // One buffer per process instead of CUPTI 13's one per thread: ended threads keep theirs until a
  // flush, and a killed program loses the contents of all of them.
  (void)subscription_.set_attribute(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, 0);
  if (const CUptiResult result = subscription_.register_buffers(buffer_wanted, buffer_filled);
      result != CUPTI_SUCCESS) {
    return failed(DriverFailure::kOther, result, "could not register buffers");
  }
  for (CUpti_ActivityKind kind : kinds_) {
    const CUptiResult result = subscription_.enable(kind);
    if (result == CUPTI_SUCCESS) continue;
    if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
      return failed(DriverFailure::kOther, result, "could not enable kernel records");
    }
    refused.push_back("activity kind " + std::to_string(static_cast<int>(kind)) + ": " +
                      text_of(result));
  }
  return {};
}

/// CUPTI accepts this only before CUDA starts, so it precedes everything that may start CUDA.
void CuptiDriver::ask_for_graphs_of_kernels() {
  whole_graphs_.by_kernels =
      cupti_.enable_device_graph != nullptr && cupti_.enable_device_graph(1) == CUPTI_SUCCESS;
}

/// To be called before kinds are enabled. Among tools that share CUPTI the first decides for all,
/// and none can have the graphs that kernels launch.
bool CuptiDriver::records_whole_graphs(GraphTrace wanted) {
  const bool is_wanted = wanted == GraphTrace::kGraph;
  if (!subscription_.is_shared()) return is_wanted;
  whole_graphs_.by_kernels = false;
  return subscription_.choose_whole_graphs(is_wanted);
}

/// If they are refused, CUPTI records the graphs' nodes.
void CuptiDriver::enable_whole_graphs() {
  whole_graphs_.launched = subscription_.enable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE) == CUPTI_SUCCESS;
  if (!whole_graphs_.launched) whole_graphs_.by_kernels = false;
}

void CuptiDriver::enable_callbacks(std::vector<std::string>& refused) {
  const std::pair<CUpti_CallbackDomain, const CallTable*> domains[] = {
      {CUPTI_CB_DOMAIN_RUNTIME_API, &runtime_calls_}, {CUPTI_CB_DOMAIN_DRIVER_API, &driver_calls_}};
  for (const auto& [domain, calls] : domains) {
    CUptiResult result = CUPTI_SUCCESS;
    std::size_t failures = 0;
    const auto check = [&](CUptiResult given) {
      if (given == CUPTI_SUCCESS) return;
      result = given;
      ++failures;
    };
    if (api_ == ApiMode::kAll) check(cupti_.enable_domain(1, subscription_.handle(), domain));
    for (std::uint32_t cbid = 1; api_ != ApiMode::kAll && cbid < calls->size(); ++cbid) {
      const CallTable::Entry entry = calls->at(cbid);
      const bool waits = entry.wait != SyncRecord::Type::kUnknown;
      if (entry.name.empty() || !(waits || is_watched(entry.call, api_))) continue;
      check(cupti_.enable_callback(1, subscription_.handle(), domain, cbid));
    }
    if (failures == 0) continue;
    refused.push_back((api_ == ApiMode::kAll ? "all" : std::to_string(failures)) +
                      " callbacks of " +
                      (domain == CUPTI_CB_DOMAIN_RUNTIME_API ? "runtime" : "driver") + " calls " +
                      text_of(result));
  }
  CUptiResult result = cupti_.enable_domain(1, subscription_.handle(), CUPTI_CB_DOMAIN_STATE);
  if (result != CUPTI_SUCCESS) refused.push_back("state callbacks " + text_of(result));
  if (graphs_.has_ids()) enable_graph_callbacks(refused);
}

void CuptiDriver::enable_graph_callbacks(std::vector<std::string>& refused) {
  for (const CuptiGraphs::Callback& callback : CuptiGraphs::callbacks()) {
    if (version_ < callback.since) continue;
    const CUptiResult result =
        cupti_.enable_callback(1, subscription_.handle(), CUPTI_CB_DOMAIN_RESOURCE, callback.cbid);
    if (result == CUPTI_SUCCESS) continue;
    refused.push_back("graph callbacks " + text_of(result));
    return;
  }
}

Status CuptiDriver::open(const DriverConfig& config, DriverEvents* events,
                         std::vector<std::string>& refused) {
  const OwnCalls own;
  failure_ = DriverFailure::kNone;
  PROF_TRY(load(config));
  api_ = config.api;
  kinds_ = std::span(kKinds).first(kKinds.size() - (config.allocations ? 0 : 1));
  correlations_.start_session(config.session);
  events_.store(events, std::memory_order_release);
  whole_graphs_ = {};
  if (config.graph_trace == GraphTrace::kGraph && !config.prefers_shared)
    ask_for_graphs_of_kernels();
  PROF_TRY(subscribe_once(config));
  find_callback_functions();
  if (config.allocations && !watch_releases()) {
    kinds_ = kinds_.first(kinds_.size() - 1);
    refused.emplace_back("callbacks of cuMemFreeAsync, without which no memory is recorded");
  }
  const bool has_whole_graphs = records_whole_graphs(config.graph_trace);
  Status status = enable_activities(refused);
  if (status) {
    if (has_whole_graphs) enable_whole_graphs();
    sees_device_launches_.store(whole_graphs_.by_kernels, std::memory_order_relaxed);
    enable_callbacks(refused);
    if (config.watch.profiler) enable_calls(is_about_profiler);
  } else {
    const DriverFailure why = failure_;
    stop(false);
    failure_ = why;
  }
  return status;
}

/// To be called before records of memory are enabled.
bool CuptiDriver::watch_releases() {
  for (std::uint32_t cbid = 1; cbid < driver_calls_.size(); ++cbid) {
    if (releases_to_pool(driver_calls_.at(cbid)) &&
        cupti_.enable_callback(1, subscription_.handle(), CUPTI_CB_DOMAIN_DRIVER_API, cbid) !=
            CUPTI_SUCCESS) {
      return false;
    }
  }
  pool_releases_.start();
  return true;
}

/// Enables callbacks for functions of the driver; runtime calls end up in these.
void CuptiDriver::enable_calls(bool (*is_wanted)(CallClass call)) {
  for (std::uint32_t cbid = 1; cbid < driver_calls_.size(); ++cbid) {
    const CallTable::Entry entry = driver_calls_.at(cbid);
    if (entry.name.empty() || !is_wanted(entry.call)) continue;
    cupti_.enable_callback(1, subscription_.handle(), CUPTI_CB_DOMAIN_DRIVER_API, cbid);
  }
}

/// Enabled kinds of records slow down each launch until CUPTI is detached, even if they are
/// disabled. Graphs keep their ids, so CUPTI is detached, for some milliseconds, unless other tools
/// may use it.
void CuptiDriver::end_records() {
  if (!is_open_.load(std::memory_order_acquire)) return;
  const bool may_detach = !subscription_.is_shared() && may_reattach() &&
                          graph_activity_.is_callers_alone() && !t_in_callback &&
                          detach_budget_.take(clock_ns(CLOCK_MONOTONIC));
  graph_activity_.forget_threads();
  if (may_detach) {
    stop(/*detach=*/true);
    return;
  }
  disable_activities();
  for (CUpti_CallbackDomain domain : {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_CB_DOMAIN_DRIVER_API})
    cupti_.enable_domain(0, subscription_.handle(), domain);
}

Status CuptiDriver::watch(const DriverConfig& config, DriverEvents* events) {
  const OwnCalls own;
  failure_ = DriverFailure::kNone;
  PROF_TRY(load(config));
  if (config.watch.graphs && !graphs_.has_ids()) {
    failure_ = DriverFailure::kNoCupti;
    return Error{"does not report what happens to CUDA graphs", library_.path,
                 "use the CUPTI of CUDA 11.1 or newer"};
  }
  events_.store(events, std::memory_order_release);
  end_records();
  PROF_TRY(subscribe_once(config));
  cupti_.enable_domain(1, subscription_.handle(), CUPTI_CB_DOMAIN_STATE);
  if (config.watch.profiler) enable_calls(is_about_profiler);
  if (!config.watch.graphs) return {};
  std::vector<std::string> refused;
  enable_graph_callbacks(refused);
  find_callback_functions();
  enable_calls(is_about_nodes);
  if (refused.empty()) return {};
  stop(false);
  return failed(DriverFailure::kOther, CUPTI_ERROR_UNKNOWN, refused.front().c_str());
}

void CuptiDriver::on_callback(CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
                              const void* data) noexcept {
  switch (domain) {
    case CUPTI_CB_DOMAIN_RUNTIME_API:
      return on_api(ApiRecord::Domain::kRuntime, cbid,
                    *static_cast<const CUpti_CallbackData*>(data));
    case CUPTI_CB_DOMAIN_DRIVER_API:
      return on_api(ApiRecord::Domain::kDriver, cbid,
                    *static_cast<const CUpti_CallbackData*>(data));
    case CUPTI_CB_DOMAIN_RESOURCE:
      if (const auto site = graphs_.site(
              cbid, static_cast<const CUpti_ResourceData*>(data)->resourceDescriptor)) {
        graph_activity_.changed();
        events()->on_graph(*site);
      }
      return;
    case CUPTI_CB_DOMAIN_STATE:
      return on_state(cbid, *static_cast<const CUpti_StateData*>(data));
    default:
      return;
  }
}

void CuptiDriver::on_api(ApiRecord::Domain domain, CUpti_CallbackId cbid,
                         const CUpti_CallbackData& data) noexcept {
  if (is_own_call()) {
    if (data.callbackSite == CUPTI_API_EXIT && detach_now_.exchange(false)) {
      subscription_.end();
      detached_ = cupti_.finalize() == CUPTI_SUCCESS;
    }
    return;
  }
  const CallTable::Entry entry = table(domain).at(cbid);
  CallSite site{correlations_.widen(data.correlationId), domain, cbid, entry.call};
  site.wait = entry.wait;
  const bool is_enter = data.callbackSite == CUPTI_API_ENTER;
  if (is_about_profiler(site.call)) [[unlikely]] {
    const bool is_start = site.call == CallClass::kProfilerStart;
    if (domain == ApiRecord::Domain::kDriver && is_start != is_enter) {
      t_in_callback = true;
      events()->on_profiler(is_start);
      t_in_callback = false;
    }
    if (api_ != ApiMode::kAll) return;
  }
  if (domain == ApiRecord::Domain::kDriver && releases_to_pool(entry)) [[unlikely]] {
    if (is_enter) {
      pool_releases_.begin(data.functionParams);
    } else {
      pool_releases_.end(status_of(data) == 0);
    }
    if (!is_watched(entry.call, api_)) return;
  }
  if (is_enter) return events()->on_call_enter(site);
  const std::int32_t status = status_of(data);
  if (domain == ApiRecord::Domain::kDriver) graph_activity_.called(site.call, status);
  if (domain == ApiRecord::Domain::kDriver && status == 0) {
    site.graph_object = graphs_.object_of(site.call, data.functionParams);
    site.hides_device_launches = !sees_device_launches_.load(std::memory_order_relaxed) &&
                                 CuptiGraphs::instantiates_for_kernels(cbid, data.functionParams);
    if (site.call == CallClass::kCaptureEnd)
      site.captured_graph = CuptiGraphs::captured_graph(data.functionParams);
    if (site.wait != SyncRecord::Type::kUnknown)
      waits_.complete(site, &data, entry.is_per_thread, graph_activity_.is_capturing());
  }
  events()->on_call_exit(site, status);
}

void CuptiDriver::synchronize(const StallTimeout* stall_timeout) {
  if (graph_activity_.is_capturing()) return;
  void* const context = current_context();
  if (stall_timeout == nullptr) return synchronize_all_contexts(context);
  run_on_internal_thread(
      "prof-sync", [context] { synchronize_all_contexts(context); }, stall_timeout);
}

void CuptiDriver::each_kernel_node(const void* graph, VisitKernelNode visit) noexcept {
  for (const void* node : nodes_of_graph(graph)) {
    NodeKernel kernel;
    if (query_kernel_node(node, kernel)) visit(graphs_.node_id(node), kernel);
  }
}

void CuptiDriver::on_state(CUpti_CallbackId cbid, const CUpti_StateData& data) noexcept {
  const bool is_fatal = cbid == CUPTI_CBID_STATE_FATAL_ERROR;
  if (is_fatal) is_open_.store(false, std::memory_order_release);  // CUPTI finalizes itself.
  const char* message = data.notification.message;
  if (message == nullptr &&
      cupti_.get_result_string(data.notification.result, &message) != CUPTI_SUCCESS) {
    message = "no reason given";
  }
  events()->on_cupti_error(message, is_fatal);
}

void CuptiDriver::disable_activities() {
  pool_releases_.stop();
  for (CUpti_ActivityKind kind : kinds_) subscription_.disable(kind);
  if (whole_graphs_.launched) subscription_.disable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
}

void CuptiDriver::disable_callbacks() {
  for (CUpti_CallbackDomain domain : {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_CB_DOMAIN_DRIVER_API,
                                      CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CB_DOMAIN_STATE}) {
    cupti_.enable_domain(0, subscription_.handle(), domain);
  }
}

bool CuptiDriver::detach() {
  // CUPTI may be finalized only at the end of a CUDA call, so this makes one for that purpose.
  const std::uint32_t cbid = driver_calls_.find("cuDriverGetVersion");
  if (cupti_.finalize == nullptr || cbid == 0 ||
      cupti_.enable_callback(1, subscription_.handle(), CUPTI_CB_DOMAIN_DRIVER_API, cbid) !=
          CUPTI_SUCCESS) {
    return false;
  }
  detach_now_.store(true);
  cuda_driver_version();
  const bool callback_came = !detach_now_.exchange(false);
  return callback_came;
}

bool CuptiDriver::stop(bool want_detach) {
  const OwnCalls own;
  if (!is_open_.exchange(false)) return false;
  disable_callbacks();
  disable_activities();
  detached_ = false;  // Concerns this stop; an earlier one may have detached.
  // cuptiFinalize() would end the session of another tool that stays behind alone.
  if (subscription_.is_shared() || !want_detach || !detach()) subscription_.end();
  return detached_;
}

std::uint64_t CuptiDriver::take_dropped() {
  std::size_t dropped = 0;
  if (!is_open_.load(std::memory_order_acquire) ||
      subscription_.dropped_records(&dropped) != CUPTI_SUCCESS) {
    return 0;
  }
  return dropped;
}

std::int64_t CuptiDriver::now_ns() {
  std::uint64_t now = 0;
  if (!is_open_.load(std::memory_order_acquire) || subscription_.timestamp(&now) != CUPTI_SUCCESS)
    return 0;
  return static_cast<std::int64_t>(now);
}

void CuptiDriver::decode(std::uint8_t* buffer, std::size_t valid_bytes, ActivitySink& sink) {
  const NextActivity next = [](std::uint8_t* bytes, std::size_t valid, void** record) {
    auto* activity = static_cast<CUpti_Activity*>(*record);
    const CUptiResult result = g_driver->subscription_.next_record(bytes, valid, &activity);
    *record = activity;
    return static_cast<int>(result);
  };
  const auto held = subscription_.hold();
  bool has_bodies = false;
  decode_activity_buffer({version_, next, &correlations_, &has_bodies}, buffer, valid_bytes, sink);
  if (has_bodies) graphs_.note_conditionals();
}

}  // namespace

ActivityDriver& cupti_driver() {
  if (g_driver == nullptr) g_driver = new CuptiDriver;
  return *g_driver;
}

}  // namespace prof::collectors
