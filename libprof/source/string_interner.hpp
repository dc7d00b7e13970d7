// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// StringInterner: gives every distinct text an id and defines it in a sink once, before its first
// use. Used by producers of records (a collector's worker, an importer). Its memory is limited, so
// that a program with endless distinct texts cannot exhaust it; texts beyond the limit get
// kOverflowString and are counted. One thread at a time.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <string>
#include <string_view>
#include <unordered_map>

#include "libprof/model/records.hpp"
#include "libprof/source/record_sink.hpp"
#include "libprof/source/text_template.hpp"

namespace prof {

class StringInterner {
 public:
  static constexpr std::size_t kDefaultCapBytes = std::size_t{64} << 20;

  explicit StringInterner(std::size_t cap_bytes = kDefaultCapBytes) : cap_bytes_(cap_bytes) {}
  StringInterner(const StringInterner&) = delete;
  StringInterner& operator=(const StringInterner&) = delete;

  /// The id of `text`, defined in `sink` if it is new. The empty text has id 0.
  StringId intern(std::string_view text, RecordSink& sink);

  struct Split {
    StringId text;
    std::string_view numbers;  ///< Valid until the next call.
  };
  /// The id of the template of `text` and its numbers, for RangeRecord and MarkRecord.
  Split intern_split(std::string_view text, RecordSink& sink);

  /// Reports to `sink` how many texts exceeded the limit since the last call (string_table_full).
  void report_losses(RecordSink& sink, std::int64_t now_ns);

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t size() const { return ids_.size(); }

 private:
  std::size_t cap_bytes_;
  std::size_t bytes_ = 0;
  std::uint64_t overflows_ = 0;
  std::int64_t last_report_ns_ = 0;
  std::pmr::monotonic_buffer_resource arena_{64 * 1024, std::pmr::new_delete_resource()};
  std::unordered_map<std::string_view, StringId> ids_;  // Keys live in arena_.
  SplitText split_;
};

}  // namespace prof
