// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// One import: a file of any known format to a trace.
#pragma once

#include <string>
#include <vector>

#include "libprof/base/result.hpp"
#include "tools/import/importers/registry.hpp"

namespace prof::importers {

struct ImportOptions {
  std::string input;
  std::string output = "trace.db";
  bool force = false;  ///< Replace an existing trace.
  /// Told how much of `input` has been read; may be empty.
  FilePosition position = {};
};

struct ImportedFile {
  std::vector<std::string> warnings;  ///< About what is missing, and about further traces.
  std::vector<std::string> written;   ///< What each trace has.
};

/// A file of several processes becomes a trace for each. On an error `output` is unchanged, unless
/// an earlier process of the file is there already.
Result<ImportedFile> import_file(const ImportOptions& options, const Registry& registry);

}  // namespace prof::importers
