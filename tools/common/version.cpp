// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/common/version.hpp"

namespace prof::tools {

std::string version_line(std::string_view program) {
  std::string line = std::string(program).append(" " PROF_VERSION_STRING);
  if (!build_commit().empty()) line.append(" (").append(build_commit()).append(")");
  return line;
}

}  // namespace prof::tools
