// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/pool_releases.hpp"

#include <cupti.h>
#include <dlfcn.h>

#include "collectors/cupti/cuda_driver_api.hpp"

namespace prof::collectors {
namespace {

/// This thread is in a call that is hidden.
__thread bool t_is_hidden = false;

}  // namespace

void PoolReleases::load(void* library) {
  enable_ = dlsym(library, "cuptiActivityEnable");
  disable_ = dlsym(library, "cuptiActivityDisable");
}

void PoolReleases::set_recording(bool is_recording) noexcept {
  const std::lock_guard lock(mutex_);
  is_recording_ = is_recording;
}

void PoolReleases::begin(const void* parameters) noexcept {
  // The address comes first.
  if (parameters == nullptr || is_pool_memory(*static_cast<const CUdeviceptr*>(parameters))) return;
  const std::lock_guard lock(mutex_);
  if (!is_recording_) return;
  t_is_hidden = true;
  unrecorded_.fetch_add(1, std::memory_order_relaxed);
  if (open_++ == 0) set_enabled(false);
}

void PoolReleases::end() noexcept {
  if (!t_is_hidden) return;
  t_is_hidden = false;
  const std::lock_guard lock(mutex_);
  if (--open_ == 0 && is_recording_) set_enabled(true);
}

void PoolReleases::set_enabled(bool is_enabled) noexcept {
  using Set = CUptiResult (*)(CUpti_ActivityKind);
  reinterpret_cast<Set>(is_enabled ? enable_ : disable_)(CUPTI_ACTIVITY_KIND_MEMORY2);
}

}  // namespace prof::collectors
