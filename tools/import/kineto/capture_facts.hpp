// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns a Kineto trace's statements about the capture into records: devices, the process's place in
// a distributed job, versions. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "libprof/source/record_sink.hpp"
#include "tools/import/kineto/event_reader.hpp"

namespace prof::importers {

class CaptureFacts {
 public:
  void take(const TraceFact& fact);
  /// The base from which times count; 0 in older versions.
  [[nodiscard]] std::int64_t base_ns() const { return base_ns_; }
  /// The file states a base that is no whole number.
  [[nodiscard]] bool has_unreadable_base() const { return has_unreadable_base_; }
  /// The rank is that of one process: without it where the file has several.
  void pass_to(RecordSink& sink, bool has_one_process) const;

 private:
  struct Device {
    DeviceRecord record;
    std::string name;
    bool has_odd_number = false;  // no other fact can be joined to it
    bool is_nvidia = true;
  };

  void take_device(const TraceFact& fact);

  std::int64_t base_ns_ = 0;
  bool has_unreadable_base_ = false;
  std::map<std::uint64_t, Device> devices_;  // by their place in the list
  std::map<std::string, std::string> metas_;
};

}  // namespace prof::importers
