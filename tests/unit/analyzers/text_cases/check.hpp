// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Compares what a text case expects with what its program is attributed.
#pragma once

#include <string>
#include <vector>

#include "tests/unit/analyzers/text_cases/case_file.hpp"

namespace prof::text_cases {

/// Of one expectation.
struct Outcome {
  bool passed = true;
  std::vector<std::string> expected;  ///< Its lines, as they are.
  std::vector<std::string> actual;    ///< As they have to be; cells that hold are kept.
};

/// One for each expectation. Throws CaseError.
std::vector<Outcome> check(const CaseFile& file, const Case& one);

}  // namespace prof::text_cases
