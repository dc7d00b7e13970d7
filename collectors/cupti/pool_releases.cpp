// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/pool_releases.hpp"

#include "collectors/cupti/cuda_driver_api.hpp"

namespace prof::collectors {
namespace {

/// The recording in which this thread's call is hidden; 0: none.
__thread std::uint32_t t_hidden_in = 0;

}  // namespace

void PoolReleases::start() noexcept {
  const std::lock_guard lock(mutex_);
  ++recording_;
  is_recording_ = true;
  open_ = 0;  // The ends of earlier calls are not seen.
}

void PoolReleases::stop() noexcept {
  const std::lock_guard lock(mutex_);
  is_recording_ = false;
}

void PoolReleases::begin(const void* parameters) noexcept {
  // The address is the first parameter.
  if (parameters == nullptr || !lacks_pool(*static_cast<const std::uint64_t*>(parameters))) return;
  const std::lock_guard lock(mutex_);
  if (!is_recording_) return;
  t_hidden_in = recording_;
  if (open_++ == 0) set_recording_(driver_, false);
}

void PoolReleases::end(bool succeeded) noexcept {
  if (t_hidden_in == 0) return;
  const std::lock_guard lock(mutex_);
  const bool is_of_this = t_hidden_in == recording_ && is_recording_;
  t_hidden_in = 0;
  if (!is_of_this) return;
  if (succeeded) unrecorded_.fetch_add(1, std::memory_order_relaxed);
  if (--open_ == 0) set_recording_(driver_, true);
}

}  // namespace prof::collectors
