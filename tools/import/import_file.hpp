// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// One import: a file of any known format to a trace.
#pragma once

#include <string>
#include <vector>

#include "libprof/base/result.hpp"
#include "tools/import/registry.hpp"

namespace prof::importers {

struct ImportOptions {
  std::string input;
  std::string output = "trace.db";
  bool force = false;  ///< Replace an existing trace.
  /// Is given how much of `input` has been read; may be empty.
  FilePosition position = {};
};

struct ImportedFile {
  std::vector<std::string> warnings;  ///< About what is missing, and about further traces.
  std::vector<std::string> written;   ///< A line about the contents of each trace.
};

/// A file of several processes becomes a trace for each. On an error `output` is unchanged, unless
/// an earlier process of the file is there already.
/// As the first of `importers` that knows the file.
Result<ImportedFile> import_file(const ImportOptions& options,
                                 std::span<const Importer> importers = formats());

}  // namespace prof::importers
