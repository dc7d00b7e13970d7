// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/common/version.hpp"

namespace prof::tools {

std::string version_line(std::string_view program) {
  std::string line = std::string(program).append(" " PROF_VERSION_STRING);
  if (*kBuildCommit != '\0') line.append(" (").append(kBuildCommit).append(")");
  return line;
}

}  // namespace prof::tools
