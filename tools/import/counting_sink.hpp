// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CountingSink: passes records on, and can say in one line what they were. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "libprof/source/record_sink.hpp"

namespace prof::importers {

class CountingSink final : public RecordSink {
 public:
  /// `sink` must outlive it.
  explicit CountingSink(RecordSink& sink) : sink_(sink) {}

#define PROF_COUNT_AND_PASS(Record)        \
  void on(const Record& record) override { \
    count(record);                         \
    sink_.on(record);                      \
  }
  PROF_ALL_RECORDS(PROF_COUNT_AND_PASS)
#undef PROF_COUNT_AND_PASS

  void commit() override { sink_.commit(); }
  void finish() override { sink_.finish(); }
  [[nodiscard]] Status status() const override { return sink_.status(); }
  [[nodiscard]] std::uint64_t lost_records() const override { return sink_.lost_records(); }

  [[nodiscard]] bool has_gpu_work() const { return kernels_ != 0 || copies_ != 0 || sets_ != 0; }
  /// "160 kernels, 21 copies, 1,968 CUDA calls; 5 rows of a table that prof-import does not read".
  [[nodiscard]] std::string line() const;

 private:
  template <typename Record>
  void count(const Record& /*other*/) {}
  void count(const KernelRecord& /*kernel*/) { ++kernels_; }
  void count(const MemcpyRecord& /*copy*/) { ++copies_; }
  void count(const MemsetRecord& /*set*/) { ++sets_; }
  void count(const ApiRecord& /*call*/) { ++calls_; }
  void count(const OsCallRecord& /*call*/) { ++os_calls_; }
  void count(const MarkRecord& /*mark*/) { ++marks_; }
  void count(const RangeRecord& range) { ranges_ += range.kind != RangeRecord::Kind::kAlias; }
  void count(const LossRecord& loss) { losses_[std::string(loss.what)] += loss.count; }

  RecordSink& sink_;
  std::uint64_t kernels_ = 0, copies_ = 0, sets_ = 0, calls_ = 0, os_calls_ = 0, marks_ = 0,
                ranges_ = 0;
  std::map<std::string, std::uint64_t> losses_;  // by word
};

}  // namespace prof::importers
