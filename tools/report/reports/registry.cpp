// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Looking up reports, see registry.hpp.
#include "tools/report/reports/registry.hpp"

#include <algorithm>

namespace prof::reports {

const Report* Registry::find(std::string_view name) const {
  const auto found = std::find_if(reports_.begin(), reports_.end(), [name](const auto& report) {
    return report->info().name == name;
  });
  return found == reports_.end() ? nullptr : found->get();
}

}  // namespace prof::reports
