// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/nvprof/capture_facts.hpp"

#include <array>
#include <cstdio>
#include <set>
#include <string>

#include "tools/import/nvprof/tables.hpp"

namespace prof::importers::nvprof {
namespace {

constexpr std::string_view kDevices = "CUPTI_ACTIVITY_KIND_DEVICE";
constexpr std::string_view kVersions = "Version";
/// More of them than any machine has are damage.
constexpr std::size_t kMaxDevices = 1024;

enum Device : std::size_t {
  kOrdinal,
  kDeviceName,
  kUuid,
  kMajor,
  kMinor,
  kMultiprocessors,
  kCoreClock,
  kMemory,
  kBandwidth,
  kL2
};
constexpr std::array<std::string_view, kL2 + 1> kDeviceColumns = {"id",
                                                                  "name",
                                                                  "uuid",
                                                                  "computeCapabilityMajor",
                                                                  "computeCapabilityMinor",
                                                                  "numMultiprocessors",
                                                                  "coreClockRate",
                                                                  "globalMemorySize",
                                                                  "globalMemoryBandwidth",
                                                                  "l2CacheSize"};

/// "GPU-3f2a..", of 16 bytes; else empty.
std::string uuid_of(std::string_view bytes) {
  constexpr std::size_t kBytes = 16;
  if (bytes.size() != kBytes) return {};
  std::string text = "GPU-";
  for (std::size_t i = 0; i < kBytes; ++i) {
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", static_cast<unsigned char>(bytes[i]));
    const bool starts_group = i == 4 || i == 6 || i == 8 || i == 10;
    text.append(starts_group ? "-" : "").append(digits.data());
  }
  return text;
}

Status pass_devices(TableFile& file, TableTexts& texts, RecordSink& sink) {
  if (!file.has(kDevices)) return {};
  auto rows = file.rows(kDevices, kDeviceColumns, "");
  if (!rows) return rows.error();
  std::set<std::uint32_t> seen;
  while (rows->next() && seen.size() < kMaxDevices) {
    DeviceRecord record;
    record.device = number_of(*rows, kOrdinal).value_or(0);
    if (!seen.insert(record.device).second) continue;
    const std::string name(text_of(*rows, kDeviceName, texts).value_or(""));
    record.name = name;
    const std::string uuid = uuid_of(rows->blob(kUuid));
    record.uuid = uuid;
    record.compute_major = number_of(*rows, kMajor).value_or(0);
    record.compute_minor = number_of(*rows, kMinor).value_or(0);
    record.sm_count = number_of(*rows, kMultiprocessors).value_or(0);
    record.core_clock_khz = number_of(*rows, kCoreClock).value_or(0);
    record.memory_bytes = static_cast<std::uint64_t>(rows->integer(kMemory).value_or(0));
    // kB/s.
    record.memory_bandwidth_bytes_per_s =
        static_cast<std::uint64_t>(rows->integer(kBandwidth).value_or(0)) * 1000;
    record.l2_bytes = number_of(*rows, kL2).value_or(0);
    sink.on(record);
  }
  return rows->status();
}

Status pass_version(TableFile& file, RecordSink& sink) {
  constexpr std::array<std::string_view, 1> kColumns = {"version"};
  if (!file.has(kVersions)) return {};
  auto rows = file.rows(kVersions, kColumns, "");
  if (!rows) return rows.error();
  if (rows->next()) {
    if (const auto version = number_of(*rows, 0)) {
      const std::string text = std::to_string(*version);
      sink.on(MetaRecord{"nvprof.schema_version", text});
    }
  }
  return rows->status();
}

}  // namespace

Status pass_capture_facts(TableFile& file, TableTexts& texts, const Process& process,
                          RecordSink& sink) {
  sink.on(MetaRecord{"imported_from", "nvprof"});
  if (process.pid != 0) {
    const std::string pid = std::to_string(process.pid);
    sink.on(MetaRecord{"pid", pid});
  }
  PROF_TRY(pass_version(file, sink));
  return pass_devices(file, texts, sink);
}

}  // namespace prof::importers::nvprof
