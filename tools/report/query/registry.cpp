// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Looking up reports, see registry.hpp.
#include "tools/report/query/registry.hpp"

#include <algorithm>

namespace prof::reports {

void Registry::add(std::unique_ptr<const Report> report) {
  if (groups_.empty()) begin_group("");
  groups_.back().reports.push_back(report.get());
  reports_.push_back(std::move(report));
}

const Report* Registry::find(std::string_view name) const {
  const auto old = std::ranges::find(old_names_, name, &OldName::old);
  if (old != old_names_.end()) name = old->name;
  const auto found = std::find_if(reports_.begin(), reports_.end(), [name](const auto& report) {
    return report->info().name == name;
  });
  return found == reports_.end() ? nullptr : found->get();
}

}  // namespace prof::reports
