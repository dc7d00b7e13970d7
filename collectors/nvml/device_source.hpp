// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// DeviceSource: the states of the GPUs on which the program runs work, sampled at an interval by
// NVML. Everything happens on a thread of its own, which waits until there is a device: a program
// without GPU work never gets NVML loaded. Without NVML the capture continues, and meta
// device_state states why there are no device states.
//
// A fork: the thread does not exist in the child, which therefore never calls NVML. An exit: the
// thread gets a second to return from NVML; if it does not, it is left behind: it drops its samples
// and makes no further call of NVML.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <thread>

#include "collectors/core/capture_source.hpp"

namespace prof::collectors {

class DeviceSource final : public CaptureSource {
 public:
  explicit DeviceSource(std::int64_t interval_ns);
  ~DeviceSource() override;
  DeviceSource(const DeviceSource&) = delete;
  DeviceSource& operator=(const DeviceSource&) = delete;

  /// Samples the device from now on. Called on any of our own threads, once per device.
  void add(std::uint32_t device, std::string_view uuid);

  Status open() override { return {}; }
  void connect(Recorder& recorder) override;
  void end_events(End end) override;

 private:
  class Sampler;
  std::shared_ptr<Sampler> sampler_;  ///< Shared with the thread, which may be left behind.
  std::thread thread_;
};

}  // namespace prof::collectors
