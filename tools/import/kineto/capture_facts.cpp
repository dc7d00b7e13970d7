// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/kineto/capture_facts.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

namespace prof::importers {
namespace {

constexpr std::string_view kDeviceProperties = "deviceProperties.";
/// More devices than any machine has, or texts longer than these facts have, are damage.
constexpr std::size_t kMaxDevices = 1024;
constexpr std::size_t kMaxTextBytes = 4096;
/// Threads of a warp on NVIDIA GPUs; AMD's GPUs for data centers have 64.
constexpr std::uint32_t kWarpThreads = 32;

struct MetaWord {
  std::string_view theirs, ours;
};
/// The rank is kept as torchrun states it, which is where reports look for it.
constexpr std::string_view kRank = "env.RANK";
constexpr std::array kMetas = {
    MetaWord{"distributedInfo.rank", kRank},
    MetaWord{"distributedInfo.world_size", "env.WORLD_SIZE"},
    MetaWord{"distributedInfo.backend", "kineto.backend"},
    MetaWord{"schemaVersion", "kineto.schema_version"},
    MetaWord{"traceName", "kineto.trace_name"},
    MetaWord{"trace_id", "kineto.trace_id"},
    MetaWord{"record_shapes", "kineto.record_shapes"},
    MetaWord{"with_stack", "kineto.with_stack"},
    MetaWord{"with_modules", "kineto.with_modules"},
    MetaWord{"profile_memory", "kineto.profile_memory"},
    MetaWord{"cupti_version", "cupti_version"},
    MetaWord{"cuda_driver_version", "cuda_driver_version"},
    MetaWord{"cuda_runtime_version", "cuda_runtime_version"},
};

/// "13.0" for 13000.
std::string cuda_version(const EventValue& value) {
  const std::uint64_t number = value.whole().value_or(0);
  if (number < 1000) return value.text;
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

}  // namespace

void CaptureFacts::take(const TraceFact& fact) {
  if (fact.name == "baseTimeNanoseconds") {
    const auto base = fact.value.whole();
    has_unreadable_base_ = !base;
    base_ns_ = static_cast<std::int64_t>(base.value_or(0));
  } else if (fact.name.starts_with(kDeviceProperties)) {
    take_device(fact);
  } else {
    const auto* const known = std::ranges::find(kMetas, fact.name, &MetaWord::theirs);
    if (known == kMetas.end() || fact.value.text.size() > kMaxTextBytes) return;
    const bool is_version = known->ours.starts_with("cuda_");
    metas_[std::string(known->ours)] = is_version ? cuda_version(fact.value) : fact.value.text;
  }
}

void CaptureFacts::take_device(const TraceFact& fact) {
  if (fact.index >= kMaxDevices) return;
  Device& device = devices_[fact.index];
  const std::string_view field = std::string_view(fact.name).substr(kDeviceProperties.size());
  const auto number = fact.value.whole();
  const bool fits = number && *number <= std::numeric_limits<std::uint32_t>::max();
  const std::uint32_t word = fits ? static_cast<std::uint32_t>(*number) : 0;
  if (field == "name" && fact.value.text.size() <= kMaxTextBytes) device.name = fact.value.text;
  if (field == "id") {
    device.record.device = word;
    device.has_odd_number = !fits;
  }
  if (field == "totalGlobalMem") device.record.memory_bytes = number.value_or(0);
  if (field == "computeMajor") device.record.compute_major = word;
  if (field == "computeMinor") device.record.compute_minor = word;
  if (field == "numSms") device.record.sm_count = word;
  if (field == "warpSize") device.is_nvidia = word == kWarpThreads;
}

void CaptureFacts::pass_to(RecordSink& sink, bool has_one_process) const {
  sink.on(MetaRecord{"imported_from", "kineto"});
  for (const auto& [key, value] : metas_) {
    if (has_one_process || key != kRank) sink.on(MetaRecord{key, value});
  }
  for (const auto& [place, device] : devices_) {
    if (device.has_odd_number) continue;
    DeviceRecord record = device.record;
    record.name = device.name;
    // AMD's numbers of architectures are among NVIDIA's compute capabilities.
    if (!device.is_nvidia) record.compute_major = record.compute_minor = 0;
    sink.on(record);
  }
}

}  // namespace prof::importers
