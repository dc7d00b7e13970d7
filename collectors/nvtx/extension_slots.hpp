// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The handler slots of one module of NVTX's extensions, and the installers by module.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectors/nvtx/counted_calls.hpp"
#include "collectors/nvtx/nvtx_headers.hpp"

namespace prof::collectors {

class ExtensionSlots {
 public:
  explicit ExtensionSlots(const nvtxExtModuleSegment_t& segment) : segment_(segment) {}

  template <typename Function>
  void set(std::size_t id, Function* handler) const noexcept {
    if (id < segment_.slotCount)
      segment_.functionSlots[id] = reinterpret_cast<std::intptr_t>(handler);
  }
  template <typename Function>
  void count(std::size_t id) const noexcept {
    set(id, Counted<Function>::call);
  }

 private:
  const nvtxExtModuleSegment_t& segment_;
};

/// nvToolsExtCounters.h
inline constexpr unsigned int kCountersModule = 4;
void install_counters(const ExtensionSlots& slots) noexcept;

}  // namespace prof::collectors
