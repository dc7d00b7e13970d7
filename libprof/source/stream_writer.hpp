// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// StreamWriter: writes the record stream as text, one JSON object a line (docs/stream_format.md).
// stream_reader.hpp reads it back, on a machine with no GPU too. Owns its file, which is made new
// and private. What is buffered is written when the buffer is full, at commit() and at the end. One
// thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "libprof/base/output_file.hpp"
#include "libprof/source/record_sink.hpp"

namespace prof {

inline constexpr std::string_view kStreamFormat = "prof-stream";
inline constexpr int kStreamVersion = 1;

class StreamWriter final : public RecordSink {
 public:
  static Result<std::unique_ptr<StreamWriter>> create(const std::string& path,
                                                      Existing existing = Existing::kRefuse);
  ~StreamWriter() override;

  void on(const StringRecord& record) override { write(record); }
  void on(const MetaRecord& record) override { write(record); }
  void on(const ThreadRecord& record) override { write(record); }
  void on(const DeviceRecord& record) override { write(record); }
  void on(const DomainRecord& record) override { write(record); }
  void on(const NameRecord& record) override { write(record); }
  void on(const RangeRecord& record) override { write(record); }
  void on(const MarkRecord& record) override { write(record); }
  void on(const PayloadSchemaRecord& record) override { write(record); }
  void on(const PayloadBlobRecord& record) override { write(record); }
  void on(const ApiRecord& record) override { write(record); }
  void on(const KernelRecord& record) override { write(record); }
  void on(const MemcpyRecord& record) override { write(record); }
  void on(const MemsetRecord& record) override { write(record); }
  void on(const SyncRecord& record) override { write(record); }
  void on(const OverheadRecord& record) override { write(record); }
  void on(const GraphNodeRecord& record) override { write(record); }
  void on(const ClockSyncRecord& record) override { write(record); }
  void on(const LossRecord& record) override { write(record); }

  void commit() override { flush(); }
  [[nodiscard]] Status status() const override { return status_; }
  /// Records taken after an error, and those of the buffer that could not be written.
  [[nodiscard]] std::uint64_t lost_records() const { return lost_records_; }

 private:
  explicit StreamWriter(OutputFile file) : file_(std::move(file)) {}

  template <typename Record>
  void write(const Record& record);
  void flush();

  OutputFile file_;
  std::string buffer_;
  std::uint64_t buffered_records_ = 0;
  std::uint64_t lost_records_ = 0;
  Status status_;
};

}  // namespace prof
