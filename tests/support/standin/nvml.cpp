// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A stand-in libnvidia-ml.so.1: another GPU, then the one of the stand-in driver. STANDIN_NVML is a
// list of words: the queries that fail (clock, power, temperature, reasons, memory), "init" (so
// does nvmlInit), "slow" (a query takes three seconds), "late" (the power takes 40 ms), "unknown"
// (it knows neither GPU), "stuck" (a query never returns), "hang" (nvmlInit never does). Values
// change from sample to sample. NVML counts as used in the wrong place (a crash) by a process other
// than the one that initialized it, or on that process's main thread.
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace {

struct Device {
  const char* uuid;
};
constexpr Device kDevices[] = {{"GPU-00000000-0000-0000-0000-000000000001"},
                               {"GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf"}};
constexpr int kNotSupported = 3, kUnknownError = 999;

std::atomic<pid_t> g_owner{0};
std::atomic<unsigned> g_samples{0};

bool has(const char* word) {
  const char* const words = std::getenv("STANDIN_NVML");
  return words != nullptr && std::strstr(words, word) != nullptr;
}

void check_caller() {
  if (g_owner.load() != getpid() || getpid() == gettid()) std::abort();
}

[[noreturn]] void never_return() {
  for (;;) pause();
}

template <typename Value>
int give(const char* word, Value* to, Value value) {
  check_caller();
  if (has("slow")) sleep(3);
  if (has("stuck")) never_return();
  if (has(word)) return kNotSupported;
  *to = value;
  return 0;
}

}  // namespace

#define STANDIN_EXPORT extern "C" __attribute__((visibility("default")))

struct Memory {
  unsigned long long total, free, used;
};

STANDIN_EXPORT int nvmlInit_v2() {
  if (has("init")) return kUnknownError;
  if (has("hang")) never_return();
  g_owner.store(getpid());
  check_caller();
  return 0;
}
STANDIN_EXPORT int nvmlShutdown() {
  check_caller();
  return 0;
}
STANDIN_EXPORT int nvmlDeviceGetCount_v2(unsigned* count) {
  check_caller();
  *count = has("unknown") ? 1 : 2;
  return 0;
}
STANDIN_EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, const Device** device) {
  check_caller();
  *device = &kDevices[index];
  return 0;
}
STANDIN_EXPORT int nvmlDeviceGetUUID(const Device* device, char* text, unsigned bytes) {
  check_caller();
  std::strncpy(text, device->uuid, bytes);
  return 0;
}
STANDIN_EXPORT int nvmlDeviceGetClockInfo(const Device*, int type, unsigned* mhz) {
  // The SM clock is the first value of a sample.
  const unsigned sample = type == 1 ? g_samples.fetch_add(1) : 0;
  return give("clock", mhz, type == 1 ? 1980 - sample : 2619U);
}
STANDIN_EXPORT int nvmlDeviceGetPowerUsage(const Device*, unsigned* mw) {
  if (has("late")) usleep(40'000);
  return give("power", mw, 412'345U);
}
STANDIN_EXPORT int nvmlDeviceGetTemperature(const Device*, int sensor, unsigned* celsius) {
  return sensor == 0 ? give("temperature", celsius, 0U) : kNotSupported;
}
STANDIN_EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(const Device*,
                                                             unsigned long long* reasons) {
  return give("reasons", reasons, 0x24ULL);
}
STANDIN_EXPORT int nvmlDeviceGetMemoryInfo(const Device*, Memory* memory) {
  return give("memory", memory, Memory{150ULL << 30, 100ULL << 30, 50ULL << 30});
}
