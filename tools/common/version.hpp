// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The text that --version prints.
#pragma once

#include <string>
#include <string_view>

namespace prof::tools {

/// The commit that was built, as `git describe` writes it ("g1a2b3c4d5"); empty: not known. Its
/// source is written by cmake/write_build_commit.cmake.
std::string_view build_commit();

/// "prof-report 0.1.0 (g1a2b3c4d5)".
std::string version_line(std::string_view program);

}  // namespace prof::tools
