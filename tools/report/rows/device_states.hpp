// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// States of devices as a row kind (row_kinds.hpp: kDeviceSamples), in order of arrival.
#pragma once

#include <string_view>

#include "tools/report/rows/table_row.hpp"

namespace prof::reports {

/// The gravest of the reasons why a device's clocks are not higher, in a few words; empty: none.
std::string_view gravest_reason(std::uint64_t reasons);

/// A sampled state of a device.
class DeviceSample final : public RecordRow<DeviceStateRecord> {
 public:
  static constexpr std::string_view kTable = "device_state";
  using RecordRow::RecordRow;
  static std::unique_ptr<RowCursor<const DeviceStateRecord>> open(TraceReader& trace);
};

}  // namespace prof::reports
