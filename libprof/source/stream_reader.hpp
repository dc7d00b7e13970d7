// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the text form of the record stream (docs/formats/stream.md), plain or gzip-compressed, and
// passes each record to a sink. Bounded memory. A damaged line ends the reading with an error that
// names file and line; earlier records have been passed on.
#pragma once

#include <cstdint>
#include <string>

#include "libprof/base/result.hpp"
#include "libprof/source/gz_bytes.hpp"
#include "libprof/source/record_sink.hpp"

namespace prof {

struct ReplayStats {
  std::uint64_t records = 0;
  /// Records of kinds that a newer version added; also counted as loss unknown_record.
  std::uint64_t unknown_records = 0;
  /// The last line or the compressed data is cut off; everything before it was kept.
  bool truncated = false;
};

/// Replays `path` into `sink` and commits. An error of the sink ends it, too.
Result<ReplayStats> replay(const std::string& path, RecordSink& sink, FilePosition position = {});

/// True where the first bytes of a (decompressed) file are those of a record stream.
bool is_record_stream(std::string_view first_bytes);

}  // namespace prof
