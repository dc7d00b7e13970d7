// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// StagedTrace: the trace that an import writes, beside the one that it replaces. The output is
// replaced only when the new trace is complete; on failure, or if the program is interrupted, the
// old file stays and nothing is left beside it. One at a time in a process.
#pragma once

#include <string>
#include <string_view>

#include "libprof/base/output_file.hpp"
#include "libprof/base/result.hpp"

namespace prof::importers {

/// The treatment of a file that has the output's name already.
struct Replacing {
  Existing existing = Existing::kRefuse;
  std::string_view hint;  ///< Advice for the user where that file stays.
};

class StagedTrace {
 public:
  /// Creates a private folder beside `output`. Errors: `output` is `input` under any name, exists
  /// and may not be replaced, is not a regular file, or is being written.
  static Result<StagedTrace> begin(const std::string& input, const std::string& output,
                                   const Replacing& replacing);
  StagedTrace(StagedTrace&& other) noexcept;
  StagedTrace& operator=(StagedTrace&&) = delete;
  /// Removes what was not moved into place.
  ~StagedTrace();

  /// Where to write the trace; no file exists there yet.
  [[nodiscard]] std::string path() const { return folder_ + "/trace.db"; }
  /// The private folder, for other files that go with the import.
  [[nodiscard]] const std::string& folder() const { return folder_; }
  /// Moves the trace, which is no longer being written, to `output`. Removes the old trace's
  /// journal, which would be rolled back into the new one.
  Status finish();

 private:
  StagedTrace(std::string folder, std::string output, std::string shown,
              const Replacing& replacing);
  void remove();

  std::string folder_;  ///< Empty: nothing to remove.
  std::string output_;  ///< With its folder resolved.
  std::string shown_;   ///< As the user wrote it.
  Replacing replacing_;
};

}  // namespace prof::importers
