// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// StreamWriter: writes the record stream as text, one JSON object per line
// (docs/formats/stream.md). stream_reader.hpp reads it back, also on a machine without a GPU. Owns
// its file, which is newly created and private. The buffer is written when full, at commit() and at
// the end. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "libprof/base/output_file.hpp"
#include "libprof/source/each_record_sink.hpp"

namespace prof {

inline constexpr std::string_view kStreamFormat = "prof-stream";
inline constexpr int kStreamVersion = 1;

class StreamWriter final : public EachRecordSink<StreamWriter> {
 public:
  static Result<std::unique_ptr<StreamWriter>> create(const std::string& path,
                                                      Existing existing = Existing::kRefuse);
  ~StreamWriter() override;

  template <typename Record>
  void take(const Record& record);

  [[nodiscard]] const std::string& path() const { return file_.path(); }
  [[nodiscard]] const FileIdentity& identity() const { return file_.identity(); }
  void commit() override { flush(); }
  [[nodiscard]] Status status() const override { return status_; }
  /// Records taken after an error, and buffered ones that could not be written.
  [[nodiscard]] std::uint64_t lost_records() const override { return lost_records_; }

 private:
  explicit StreamWriter(OutputFile file) : file_(std::move(file)) {}

  void flush();

  OutputFile file_;
  std::string buffer_;
  std::uint64_t buffered_records_ = 0;
  std::uint64_t lost_records_ = 0;
  Status status_;
};

}  // namespace prof
