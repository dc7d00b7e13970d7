// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of a comparison: which traces are on which side, and when it fails.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libprof/base/result.hpp"
#include "tools/report/options.hpp"

namespace prof::reports {

/// --base, --new and --fail-above, as given.
struct SideWords {
  std::vector<std::string> base, fresh;
  std::optional<std::string> fail_above;
};

/// Orders the traces, the base first. Two traces without --base and --new are the two sides.
Status choose_sides(const SideWords& words, Options& options);

}  // namespace prof::reports
