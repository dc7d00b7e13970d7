// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/cupti_waits.hpp"

#include <cupti.h>
#include <dlfcn.h>

#include "collectors/cupti/cuda_driver_api.hpp"

namespace prof::collectors {

void CuptiWaits::load(void* library) { stream_id_ = dlsym(library, "cuptiGetStreamIdEx"); }

void CuptiWaits::complete(CallSite& site, const void* data, bool is_per_thread,
                          bool may_capture) noexcept {
  using Type = SyncRecord::Type;
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  site.context = call.contextUid;
  const bool has_stream = site.wait == Type::kStream || site.wait == Type::kStreamWaitEvent;
  if (!has_stream || call.functionParams == nullptr) return;
  // The first parameter of all these functions.
  CUstream stream = *static_cast<const CUstream*>(call.functionParams);
  if (may_capture && site.wait == Type::kStreamWaitEvent && is_stream_captured(stream)) {
    site.wait = Type::kUnknown;
    return;
  }
  is_per_thread = is_per_thread || stream == CU_STREAM_PER_THREAD;
  if (stream == CU_STREAM_PER_THREAD || stream == CU_STREAM_LEGACY) stream = nullptr;
  using Ask = CUptiResult (*)(CUcontext, CUstream, std::uint8_t, std::uint32_t*);
  std::uint32_t id = 0;
  if (stream_id_ != nullptr &&
      reinterpret_cast<Ask>(stream_id_)(call.context, stream, is_per_thread ? 1 : 0, &id) ==
          CUPTI_SUCCESS) {
    site.stream = id;
  }
}

}  // namespace prof::collectors
