// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// StagedTrace: the trace that an import makes, beside the one that it replaces. The name that the
// user gave changes its file only when the new one is whole; on failure, or when the program is
// interrupted, what was there stays and nothing is left beside it. One at a time in a process.
#pragma once

#include <string>

#include "libprof/base/result.hpp"

namespace prof::importers {

class StagedTrace {
 public:
  /// Makes a private folder beside `output`. Errors: `output` is `input` by whatever name, exists
  /// and may not be replaced, is no regular file, or is being written.
  static Result<StagedTrace> begin(const std::string& input, const std::string& output, bool force);
  StagedTrace(StagedTrace&& other) noexcept;
  StagedTrace& operator=(StagedTrace&&) = delete;
  /// Removes what was not put in place.
  ~StagedTrace();

  /// Where to write the trace; nothing is there yet.
  [[nodiscard]] std::string path() const { return folder_ + "/trace.db"; }
  /// Puts the trace, which nobody writes any more, in the place of `output`. The old one's journal
  /// goes with it: it would be rolled back into the new one.
  Status finish();

 private:
  StagedTrace(std::string folder, std::string output, std::string shown, bool force);
  void remove();

  std::string folder_;  ///< Empty: nothing is to be removed.
  std::string output_;  ///< With its folder resolved.
  std::string shown_;   ///< As the user wrote it.
  bool force_;
};

}  // namespace prof::importers
