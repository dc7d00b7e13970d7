// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// An explained row as text and as JSON. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzers/explanation.hpp"
#include "tools/report/explain/work_facts.hpp"

namespace prof::reports {

struct ExplainedWork {
  std::uint64_t idx = 0, rows = 0;
  std::string kind;  ///< "kernel", "memcpy", "memset"
  std::string name, full_name;
  std::string trace;  ///< Empty: there is one only.
  Explanation why;
  std::vector<ShownSection> sections;
};

std::string explained_text(const ExplainedWork& work);
/// An object, its sections in lines of their own, or all in one line.
std::string explained_json(const ExplainedWork& work, bool one_line);

}  // namespace prof::reports
