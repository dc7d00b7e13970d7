// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Importer: one file format that prof-import reads, a folder of its own. Importers feed a
// RecordSink and know neither the store nor the analyzers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libprof/base/result.hpp"
#include "libprof/source/gz_bytes.hpp"
#include "libprof/source/record_sink.hpp"

namespace prof::importers {

/// A trace has one process, a file may have several.
struct Process {
  std::uint64_t id = 0;   ///< The importer's own.
  std::uint64_t pid = 0;  ///< 0: unknown.
  // Where the file does not say whose its rows are by such a number:
  std::string name = {};                  ///< As the file writes it; empty: all are its.
  std::vector<std::string> devices = {};  ///< The GPUs, as the file names them, that are its alone.
};

struct Source {
  std::string path;
  /// For temporary files: beside the trace, and removed after the import however that ends.
  std::string scratch_folder;
  /// For a progress line; may be empty.
  FilePosition position = {};
  /// The process to import, one of processes().
  Process process = {};
  /// All of processes(): each becomes a trace.
  std::span<const Process> all = {};
};

struct Imported {
  std::uint64_t records = 0;
  std::string warning;  ///< One line about what is missing, or empty.
  /// The most likely reason if there is no GPU work, as a sentence without a full stop; empty: any.
  std::string why_no_work = {};
};

/// A file has one process, unless its format says otherwise.
inline Result<std::vector<Process>> one_process(const Source& /*source*/) {
  return std::vector<Process>(1);
}

struct Importer {
  std::string_view name, help;  ///< `help` is one line.
  /// True if a file that starts like this (already decompressed) is of this format.
  bool (*sniff)(std::string_view first_bytes);
  /// True if the file itself is of this format, where others start in the same way.
  bool (*recognizes)(const std::string& path) = [](const std::string&) { return true; };
  /// The processes in a file of this format, at least one: each becomes a trace.
  Result<std::vector<Process>> (*processes)(const Source& source) = one_process;
  /// Passes all that the file has of the process to the sink; errors name file and line or
  /// position.
  Result<Imported> (*read)(const Source& source, RecordSink& sink);
};

}  // namespace prof::importers
