// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Which traces are read, and the options of a comparison: which of them are on which side, and when
// it fails.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libprof/base/result.hpp"
#include "tools/report/options/options.hpp"

namespace prof::reports {

/// --base, --new and --fail-above, as given.
struct SideOptions {
  std::vector<std::string> base, fresh;
  std::optional<std::string> fail_above;
};

/// Puts the traces of folders in their place. For a comparison, orders them, the base first: two
/// traces or folders without --base and --new are the two sides.
Status choose_traces(const SideOptions& words, Options& options);

}  // namespace prof::reports
