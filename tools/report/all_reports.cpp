// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/all_reports.hpp"

#include "tools/report/builtin/registry.hpp"
#include "tools/report/compat/nsys_names.hpp"
#include "tools/report/compat/registry.hpp"

namespace prof::reports {

void register_reports(Registry& registry) {
  register_builtin(registry);
  register_compat(registry);
  registry.add_old_names(old_names());
}

}  // namespace prof::reports
