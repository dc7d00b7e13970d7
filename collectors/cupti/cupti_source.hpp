// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CuptiSource: the program's CUDA calls and GPU work as a source of a capture. Combines the driver
// and the collector, starting and ending them in the required order, and compares launches with
// records at the end. Threads: one at a time, ticks on the recorder's worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "collectors/core/capture_source.hpp"
#include "collectors/cupti/activity_driver.hpp"
#include "collectors/cupti/collector.hpp"
#include "collectors/cupti/graph_records.hpp"
#include "collectors/cupti/wait_events.hpp"

namespace prof::collectors {

class CuptiSource final : public CaptureSource {
 public:
  CuptiSource(ActivityDriver& driver, DriverConfig config, std::size_t buffer_bytes,
              PrintLine print_line);
  /// Frees most of its memory. To be called after disconnect(), when the recorder has stopped.
  void release() { collector_.retire(); }

  /// Decodes CUPTI's buffers for the recorder.
  [[nodiscard]] BufferDecoder& decoder() { return collector_; }
  [[nodiscard]] CollectorCounts counts() const { return collector_.counts(); }
  [[nodiscard]] const Collector& collector() const { return collector_; }
  /// Calls `use` on the worker for each device as soon as something has run on it. Before open().
  void on_device_record(std::function<void(const DeviceRecord&)> use) {
    collector_.on_device_record(std::move(use));
  }
  /// Whether something has run on a GPU.
  [[nodiscard]] bool has_work() const { return collector_.has_work(); }
  /// GPU calls made after the exit's stop() that are not counted in the trace's losses.
  [[nodiscard]] std::uint64_t late_calls() const;

  Status open() override;
  void close() override { end_records(false); }
  void facts(const TakeFact& take) override;
  void connect(Recorder& recorder) override;
  void tick(ActivitySink& sink, bool /*last*/) override { collector_.tick(sink); }
  bool read(ThreadId thread, const EventHeader& event, ActivitySink& sink) override {
    return read_graph_event(thread, event, sink) || read_wait_event(event, sink);
  }
  void flush() override { driver_.flush(false); }
  void end_events(End end) override;
  /// kStop: every earlier launch is in the trace, because end_events() has waited for the GPU's
  /// work, and `detach` detaches CUPTI from the process. kExit: waits at most two seconds for
  /// outstanding records, and leaves CUPTI as it is.
  void stop(End end, bool detach) override;
  void disconnect() override { collector_.disconnect(); }

 private:
  void say_what_differs();
  void end_records(bool detach);
  void wait_for_work();
  void compare_launches_with_records();

  ActivityDriver& driver_;
  const DriverConfig config_;
  const PrintLine print_line_;
  Collector& collector_;  ///< Never freed: CUPTI may call it late.
  Recorder* recorder_ = nullptr;
  std::vector<std::string> refused_;
  /// Late calls and records already counted in the trace's losses.
  struct {
    std::uint64_t launches = 0, other_calls = 0, records = 0;
  } seen_late_;
  std::uint64_t dropped_before_ = 0;
};

}  // namespace prof::collectors
