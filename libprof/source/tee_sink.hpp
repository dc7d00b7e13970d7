// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// TeeSink: passes every record to two sinks, in order. Does not own them. If one fails the other
// continues; status() is the first sink's error, else the second's; the lost count is the first
// sink's.
#pragma once

#include "libprof/source/each_record_sink.hpp"

namespace prof {

class TeeSink final : public EachRecordSink<TeeSink> {
 public:
  TeeSink(RecordSink& first, RecordSink& second) : first_(first), second_(second) {}

  template <typename Record>
  void take(const Record& record) {
    first_.on(record);
    second_.on(record);
  }

  void commit() override {
    first_.commit();
    second_.commit();
  }
  void finish() override {
    first_.finish();
    second_.finish();
  }

  [[nodiscard]] Status status() const override {
    Status status = first_.status();
    return status ? second_.status() : status;
  }
  [[nodiscard]] std::uint64_t lost_records() const override { return first_.lost_records(); }

 private:
  RecordSink& first_;
  RecordSink& second_;
};

}  // namespace prof
