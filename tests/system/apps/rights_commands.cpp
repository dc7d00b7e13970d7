// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Script commands about the program's rights.
// clang-format off
//   expect_secure        exits with 75 unless the kernel started this program with more rights than its user has
// clang-format on
#include <sys/auxv.h>

#include <cstdlib>

#include "runner.hpp"

void add_rights_commands(CommandTable& table) {
  table["expect_secure"] = [](Runner&, const Statement&) {
    if (getauxval(AT_SECURE) == 0) std::exit(75);
  };
}
