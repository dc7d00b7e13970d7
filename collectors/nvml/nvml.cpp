// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/nvml/nvml.hpp"

#include <dlfcn.h>

#include <array>
#include <string>
#include <utility>

namespace prof::collectors {
namespace {

// Types and numbers of NVML's binary interface.
using Return = int;
constexpr Return kSuccess = 0;
constexpr int kSmClock = 1, kMemoryClock = 2;
constexpr int kGpuTemperature = 0;
constexpr std::size_t kUuidBytes = 96;

struct Memory {
  unsigned long long total, free, used;
};

template <typename Function>
bool look_up(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

struct Nvml::Functions {
  Return (*init)();
  Return (*shutdown)();
  Return (*count)(unsigned*);
  Return (*by_index)(unsigned, Device*);
  Return (*uuid)(Device, char*, unsigned);
  // Any of these may be missing.
  Return (*clock)(Device, int, unsigned*);
  Return (*power)(Device, unsigned*);
  Return (*temperature)(Device, int, unsigned*);
  Return (*reasons)(Device, unsigned long long*);
  Return (*memory)(Device, Memory*);
};

Nvml::Nvml() = default;
Nvml::~Nvml() = default;

Status Nvml::open() {
  void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Error{"libnvidia-ml.so.1 was not found", "", ""};
  auto loaded = std::make_unique<Functions>();
  Functions& functions = *loaded;
  if (!look_up(library, "nvmlInit_v2", functions.init) ||
      !look_up(library, "nvmlShutdown", functions.shutdown) ||
      !look_up(library, "nvmlDeviceGetCount_v2", functions.count) ||
      !look_up(library, "nvmlDeviceGetHandleByIndex_v2", functions.by_index) ||
      !look_up(library, "nvmlDeviceGetUUID", functions.uuid)) {
    return Error{"libnvidia-ml.so.1 lacks functions", "", ""};
  }
  look_up(library, "nvmlDeviceGetClockInfo", functions.clock);
  look_up(library, "nvmlDeviceGetPowerUsage", functions.power);
  look_up(library, "nvmlDeviceGetTemperature", functions.temperature);
  // Renamed in NVML 12.
  if (!look_up(library, "nvmlDeviceGetCurrentClocksEventReasons", functions.reasons)) {
    look_up(library, "nvmlDeviceGetCurrentClocksThrottleReasons", functions.reasons);
  }
  look_up(library, "nvmlDeviceGetMemoryInfo", functions.memory);
  if (is_abandoned()) return Error{"libnvidia-ml.so.1 was loaded too late", "", ""};
  if (const Return failure = functions.init(); failure != kSuccess) {
    return Error{"nvmlInit failed with error " + std::to_string(failure), "", ""};
  }
  functions_ = std::move(loaded);
  return {};
}

void Nvml::close() {
  if (functions_ != nullptr && !is_abandoned()) functions_->shutdown();
  functions_.reset();
}

/// The value that a query returns; absent if the function is missing, fails, or must not be called
/// any more.
template <typename Value, typename Function, typename... Arguments>
std::optional<Value> Nvml::ask(Function* query, Arguments... arguments) const {
  Value value{};
  if (query == nullptr || is_abandoned()) return std::nullopt;
  if (query(arguments..., &value) != kSuccess) return std::nullopt;
  return value;
}

Nvml::Device Nvml::find(std::string_view uuid) const {
  const auto count = ask<unsigned>(functions_->count);
  for (unsigned i = 0; i < count.value_or(0); ++i) {
    const auto device = ask<Device>(functions_->by_index, i);
    std::array<char, kUuidBytes> text{};
    if (device && !is_abandoned() &&
        functions_->uuid(*device, text.data(), kUuidBytes - 1) == kSuccess && uuid == text.data()) {
      return *device;
    }
  }
  return nullptr;
}

DeviceStateRecord Nvml::state_of(Device device) const {
  DeviceStateRecord state;
  state.sm_clock_mhz = ask<unsigned>(functions_->clock, device, kSmClock);
  state.memory_clock_mhz = ask<unsigned>(functions_->clock, device, kMemoryClock);
  state.power_mw = ask<unsigned>(functions_->power, device);
  state.temperature_c = ask<unsigned>(functions_->temperature, device, kGpuTemperature);
  state.throttle_reasons = ask<unsigned long long>(functions_->reasons, device);
  if (const auto memory = ask<Memory>(functions_->memory, device)) {
    state.memory_used_bytes = memory->used;
  }
  return state;
}

}  // namespace prof::collectors
