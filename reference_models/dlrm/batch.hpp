// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// One batch of synthetic clicks: random features and labels that can be learned from them.
#pragma once

#include <cstdint>
#include <vector>

#include "common/device_buffer.hpp"
#include "dlrm/config.hpp"

namespace ref {

/// A batch in host memory.
struct HostBatch {
  std::vector<float> numeric;             // (batch, numeric)
  std::vector<std::int64_t> categorical;  // (embeddings, batch): a feature's indices are adjacent
  std::vector<float> target;              // (batch), 0 or 1
};

/// A function of the config's sizes and seed alone.
[[nodiscard]] HostBatch make_batch(const DlrmConfig& config);

/// The same on the device.
struct Batch {
  explicit Batch(const HostBatch& host)
      : numeric(host.numeric), categorical(host.categorical), target(host.target) {}

  DeviceBuffer<float> numeric;
  DeviceBuffer<std::int64_t> categorical;
  DeviceBuffer<float> target;
};

}  // namespace ref
