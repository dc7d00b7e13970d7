// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// OptionWords: the command line as it is typed. What the words mean is decided in the files beside
// this one, because CLI11's own checks do not name the valid values in one line.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/ranges/range_options.hpp"
#include "tools/common/command_line.hpp"
#include "tools/report/query/registry.hpp"

namespace prof::reports {

struct OptionWords {
  explicit OptionWords(const Registry& registry);

  std::vector<std::string> traces, base, fresh;  ///< --base, --new
  std::vector<std::string> report_lists;         ///< Of each -r; all of them are `reports`.
  std::string reports, form, columns, by, sort, top, depth, sql, export_format, page, ncu, explain,
      output, fail_above, jobs, list, json_schema;
  std::vector<std::string> where, steps, captures, ranges;
  std::map<std::string_view, std::vector<std::string>> filters;  ///< By flag.
  RangeOptions range_options;
  std::optional<bool> short_ranges;  ///< The last one of --short-ranges and --whole-ranges.
  bool flat = false, save = false;

  /// The long flags that are typed, "trace" for an argument, in the order of --help.
  std::vector<std::string> given;
  [[nodiscard]] bool has(std::string_view flag) const;
};

/// Declares every option. `words` must outlive `line`.
void declare(tools::CommandLine& line, OptionWords& words);

}  // namespace prof::reports
