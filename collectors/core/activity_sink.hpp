// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ActivitySink: receives decoded activity records. The interface between decoding (which knows
// CUPTI's structs), counting (the collector) and recording (the recorder, which knows batches,
// strings and losses). All calls come from one thread.
#pragma once

#include <string_view>

#include "libprof/model/losses.hpp"
#include "libprof/model/records.hpp"
#include "libprof/source/record_sink.hpp"

namespace prof::collectors {

class ActivitySink {
 public:
  virtual ~ActivitySink() = default;

  /// The id of a text; `text` need not outlive the call. A lookup by pointer must compare the text,
  /// too: the program may unload the module that holds a kernel's name.
  virtual StringId intern(std::string_view text) = 0;

  virtual void on(const KernelRecord& record) = 0;
  virtual void on(const MemcpyRecord& record) = 0;
  virtual void on(const MemsetRecord& record) = 0;
  virtual void on(const OverheadRecord& record) = 0;
  virtual void on(const DeviceRecord& record) = 0;
  virtual void on(const ClockSyncRecord& record) = 0;
  /// Takes records of all other kinds.
  virtual RecordSink& records() = 0;

  virtual void lost(Loss loss, std::uint64_t count) = 0;
};

}  // namespace prof::collectors
