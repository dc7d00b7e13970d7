// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// States of devices as a row kind, in order of arrival.
#include "tools/report/rows/device_states.hpp"

#include "analyzers/devices/device_clocks.hpp"
#include "libprof/store/read/record_cursor.hpp"
#include "tools/report/rows/row_kinds.hpp"

namespace prof::reports {
namespace {

template <typename Value>
Cell number_or_absent(const std::optional<Value>& value) {
  return value ? number(*value) : absent();
}

Cell of_highest_pct(const DeviceSample& row) {
  const auto& clock_mhz = row.record().sm_clock_mhz;
  const DeviceRow* const device = row.device(row.record().device);
  if (!clock_mhz || device == nullptr || device->core_clock_khz == 0) return absent();
  return real(1e5 * *clock_mhz / device->core_clock_khz);
}

// clang-format off
constexpr auto kDeviceSampleFields = with_trace({
    {Column::integer("idx", "Idx", "", "row number across all traces, from 1"), [](DeviceSample& r) { return number(r.idx()); }},
    {Column::integer("device", "Device", "", "CUDA's number of the GPU"), [](DeviceSample& r) { return number(r.record().device); }, Role::kKey},
    {Column::instant("start_ns", "Time", "time of the sample, since the start of the trace"), [](DeviceSample& r) { return r.recorded_time(r.record().time_ns); }},
    {Column::integer("sm_clock_mhz", "SM", "MHz", "clock of the multiprocessors"), [](DeviceSample& r) { return number_or_absent(r.record().sm_clock_mhz); }},
    {Column::integer("memory_clock_mhz", "Memory", "MHz", "clock of the memory").drop(3), [](DeviceSample& r) { return number_or_absent(r.record().memory_clock_mhz); }},
    {Column::real("power_w", "Power", "W", "power of the whole board", 1), [](DeviceSample& r) { return r.record().power_mw ? real(*r.record().power_mw / 1e3) : absent(); }},
    {Column::integer("temperature_c", "Temp", "C", "temperature of the GPU").drop(1), [](DeviceSample& r) { return number_or_absent(r.record().temperature_c); }},
    {Column::text("throttle", "Throttle", "the gravest reason why the clocks are not higher; absent: none, or unknown").cut_end(10), [](DeviceSample& r) { return text(gravest_reason(r.record().throttle_reasons.value_or(0))); }, Role::kKey},
    {Column::integer("throttle_reasons", "Reasons", "", "all reasons, as the bits of trace.db"), [](DeviceSample& r) { return number_or_absent(r.record().throttle_reasons); }},
    {Column::real("sm_clock_pct", "SM", "%", "clock of the multiprocessors, as a share of the GPU's highest one", 1), [](DeviceSample& r) { return of_highest_pct(r); }, Role::kOnRequest},
    {Column::integer("memory_used_bytes", "Used", "bytes", "memory in use by all processes and the driver").grouped().drop(2), [](DeviceSample& r) { return number_or_absent(r.record().memory_used_bytes); }},
});
// clang-format on

}  // namespace

std::string_view gravest_reason(std::uint64_t reasons) {
  struct Reason {
    std::uint64_t bit;
    std::string_view words;
  };
  // Bits of NVML's nvmlClocksEventReasons.
  constexpr Reason kReasons[] = {{0x40, "hot (hardware)"}, {0x80, "power (hardware)"},
                                 {0x08, "hardware"},       {0x20, "hot"},
                                 {0x04, "power cap"},      {0x10, "sync boost"},
                                 {0x02, "application"},    {0x100, "display"},
                                 {kIdleReason, "idle"}};
  for (const Reason& reason : kReasons) {
    if ((reasons & reason.bit) != 0) return reason.words;
  }
  return reasons == 0 ? "" : "other";
}

std::unique_ptr<RowCursor<const DeviceStateRecord>> DeviceSample::open(TraceReader& trace) {
  return records_of<DeviceStateRecord>(trace);
}

constinit const RowKind kDeviceSamples = {
    .names = {"device state", "device states", "device_states", "every sampled state of a GPU",
              "there are no samples of the GPUs; see docs/capture.md, Device states"},
    .fields = kDeviceSampleFields,
    .open = [](const RowInput& input) { return table_rows<DeviceSample>(kDeviceSamples, input); },
};

}  // namespace prof::reports
