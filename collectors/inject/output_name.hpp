// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Which name an output gets where several processes want the same. Any thread.
#pragma once

#include <functional>
#include <string>

#include "libprof/base/result.hpp"

namespace prof::collectors {

struct NameRules {
  bool force = false;
  bool same_run = false;  ///< What is there may be another process's of the same run.
  std::string old = {};   ///< fingerprint() of a file that may be replaced, and no other.
  bool any_name = false;  ///< Take another name rather than fail, whosever the file is.
};

struct OutputName {
  std::string path;
  bool is_first = true;  ///< The name that was asked for.
};

/// What would keep `path` from being made: no folder, no right to write there, a file that must be
/// kept. With `force` a finished file is removed.
Status prepare_name(const std::string& path, const NameRules& rules);

/// Calls `create` with names that are tried one after the other, until one is free. The next one is
/// tried only where a name is taken by another process of the same run, or by one that is still
/// writing it; what an earlier run left is an error, unless any name will do.
Result<OutputName> create_under_free_name(const std::string& path, const NameRules& rules,
                                          const std::function<Status(const std::string&)>& create);

}  // namespace prof::collectors
