// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/libcalls/reported_call.hpp"

#include <dlfcn.h>

#include <atomic>

#include "collectors/libcalls/interposer.hpp"
#include "collectors/ops/op_sink.hpp"
#include "libprof/control/collector_api.hpp"

namespace prof::collectors {

namespace {

/// Number of ends that the collector has not accepted.
constinit thread_local std::uint32_t t_owed __attribute__((tls_model("initial-exec"))) = 0;

const ProfCollectorApi* find_collector() noexcept {
  auto* const getter =
      reinterpret_cast<ProfCollectorApiGetter*>(dlsym(RTLD_DEFAULT, "prof_collector_api_v1"));
  const ProfCollectorApi* const api = getter != nullptr ? getter() : nullptr;
  constexpr std::size_t kNeeded = offsetof(ProfCollectorApi, op_sink) + sizeof(api->op_sink);
  if (api == nullptr || api->version != 1 || api->struct_size < kNeeded) return nullptr;
  const auto* const sink = static_cast<const OpSink*>(api->op_sink);
  return sink != nullptr && sink->struct_size >= sizeof(OpSink) ? api : nullptr;
}

/// Stands for a missing collector.
constexpr ProfCollectorApi kNone{};

/// Null: there is none. It is preloaded together with this library, so it does not come later.
const ProfCollectorApi* collector() noexcept {
  static constinit std::atomic<const ProfCollectorApi*> found{nullptr};
  const ProfCollectorApi* known = found.load(std::memory_order_acquire);
  if (known == nullptr) {
    known = find_collector();
    if (known == nullptr) known = &kNone;
    found.store(known, std::memory_order_release);
  }
  return known != &kNone ? known : nullptr;
}

const OpSink& sink() noexcept { return *static_cast<const OpSink*>(collector()->op_sink); }

bool settle() noexcept {
  for (; t_owed != 0; --t_owed) {
    if (!sink().end()) return false;
  }
  return true;
}

}  // namespace

bool wants_call() noexcept {
  if (prof_call_depth_v1 != 0) return false;
  std::atomic<bool>& has_calls = interposer().calls->has_calls;
  if (!has_calls.load(std::memory_order_relaxed)) has_calls.store(true, std::memory_order_relaxed);
  const ProfCollectorApi* const api = collector();
  return api != nullptr && *api->wants_marks != 0;
}

ReportedCall::ReportedCall(const CallFacts& call) noexcept {
  OpBegin op{};
  op.name = call.op();
  op.sequence = -1;
  op.arguments = call.bytes().data();
  op.argument_bytes = static_cast<std::uint32_t>(call.bytes().size());
  is_open_ = settle() && sink().begin(op);
}

ReportedCall::~ReportedCall() {
  if (!is_open_) return;
  ++t_owed;
  settle();
}

}  // namespace prof::collectors

constinit thread_local std::uint32_t prof_call_depth_v1 = 0;
