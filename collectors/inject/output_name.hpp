// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Chooses output names when several processes want the same one. Any thread.
#pragma once

#include <functional>
#include <string>

#include "libprof/base/result.hpp"

namespace prof::collectors {

struct NameRules {
  bool force = false;
  bool same_run = false;  ///< An existing file may belong to another process of the same run.
  std::string old = {};   ///< Fingerprint of the only files that may be replaced.
  bool any_name = false;  ///< Take another name rather than fail, whoever owns the file.
};

struct OutputName {
  std::string path;
  bool is_first = true;  ///< The name is the requested one.
};

/// Checks whether `path` can be created: the folder exists and is writable, and no file must be
/// kept. With `force` a finished file is removed.
Status prepare_name(const std::string& path, const NameRules& rules);

/// Calls `create` with one name after another until one is free. The next is tried only if a name
/// is taken by another process of the same run, or by one that is still writing it; a file left by
/// an earlier run is an error, unless any name will do.
Result<OutputName> create_under_free_name(const std::string& path, const NameRules& rules,
                                          const std::function<Status(const std::string&)>& create);

}  // namespace prof::collectors
