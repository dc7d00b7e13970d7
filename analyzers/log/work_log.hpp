// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// WorkLog: the attributed work of a trace, kept so that it is attributed once and read often. What
// rows have in common is kept once: their attribution (a step has a few hundred), and their form,
// which is what launches of one kind share. A row is then two numbers and what differs from the
// row before it, about 20 bytes. Beyond the memory that it is given, rows go to a scratch file.
// One thread fills it; once it is complete, any number of cursors read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analyzers/attributed_work.hpp"
#include "analyzers/log/interned.hpp"
#include "analyzers/log/row_code.hpp"
#include "libprof/base/scratch_file.hpp"

namespace prof {

class WorkLog {
 public:
  /// Rows take that much memory, and what they have in common up to 65,536 attributions.
  explicit WorkLog(std::size_t memory_bytes) : memory_bytes_(memory_bytes) {}

  /// In the order of the work.
  void add(const AttributedRow& row);
  /// After the last row. False: rows have too little in common, or there was no place for them,
  /// and the log is of no use.
  bool finish(const AttributionCounts& counts);

  /// Size of the rows so far.
  [[nodiscard]] std::uint64_t bytes() const { return held_bytes_ + file_.size() + open_.size(); }

  /// Reads the same rows with the same counts, without copies and sets if they are not wanted;
  /// counts are those of all work. The rows of several cursors over one log are theirs alone.
  static std::unique_ptr<AttributedWork> read(std::shared_ptr<const WorkLog> log,
                                              TraceReader::Work work);

 private:
  class Cursor;

  /// A block of whole rows, in memory or in the file.
  struct Block {
    std::string bytes;
    std::uint64_t at = 0, size = 0;  ///< Place and size of the bytes in the file.
  };

  void end_block();

  const std::size_t memory_bytes_;
  Interned<AttributionKey, Attribution> attributions_;
  Interned<FormKey, GpuRow> forms_;
  RowValues last_;
  std::string open_;  // the block that rows are added to
  std::vector<Block> blocks_;
  std::size_t held_bytes_ = 0;  // of the blocks in memory
  mutable ScratchFile file_{temporary_place()};
  AttributionCounts counts_;
  bool is_usable_ = true;
};

}  // namespace prof
