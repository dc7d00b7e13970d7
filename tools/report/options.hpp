// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The command line of prof-report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libprof/base/result.hpp"
#include "tools/report/renderer.hpp"
#include "tools/report/reports/registry.hpp"

namespace prof::reports {

struct Options {
  std::vector<std::string> traces;
  const Report* report = nullptr;
  const FormInfo* form = nullptr;
  std::vector<std::size_t> columns;  ///< Indices into the columns of the report.
  std::optional<std::string> sql;    ///< A statement instead of a report; `columns` is empty.
  std::optional<std::int64_t> step;
  bool save = false;                 ///< No report: the attribution goes into the trace.
  std::vector<std::string> domains;  ///< NVTX domains that are read like the default one.

  /// Where this is set it is to be printed, and nothing else to be done: --help, --version, --list.
  std::optional<std::string> answer;
};

/// Anything that does not hold together is an Error: a usage error.
Result<Options> parse_options(int argc, const char* const* argv, const Registry& registry);

}  // namespace prof::reports
