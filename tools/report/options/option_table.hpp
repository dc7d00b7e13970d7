// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of prof-report. Each is one row, of which the parser, --help, the manual page and
// completion are made, and what it is refused with. What its words mean is decided in the files
// beside this one (choices.hpp), because CLI11's own checks do not name the valid values in one
// line.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "libprof/base/result.hpp"
#include "tools/common/command_line.hpp"
#include "tools/report/query/registry.hpp"

namespace prof::reports {

struct OptionRow {
  enum class Takes : std::uint8_t {
    kFlag,
    kValue,
    kOptionalValue,
    kEach,  ///< One value, each time that it is given.
    kList,  ///< All words up to the next option.
  };

  tools::OptionText text;  ///< Without values, which the manual alone asks for.
  std::function<tools::Values(const Registry& registry)> values = {};
  Takes takes = Takes::kValue;
  std::string usual = {};  ///< Its value where it is not given.
  /// If there are any: the only options that it goes with.
  std::vector<std::string_view> goes_with = {};
  std::vector<std::string_view> excludes = {};
  std::string_view hint = {};  ///< Where one of those is given.
  /// What a report must have, in words; empty: nothing.
  std::string needs = {};
  std::function<bool(const ReportInfo& info)> applies = {};

  /// "--output".
  [[nodiscard]] std::string_view flag() const;
};

/// The command line as it is typed. Flags are the long ones.
class OptionWords {
 public:
  explicit OptionWords(const Registry& registry);
  OptionWords(const OptionWords&) = delete;
  OptionWords& operator=(const OptionWords&) = delete;

  /// In the order of --help. This must outlive `line`. `registry`: with the values of options.
  void declare(tools::CommandLine& line, const Registry* registry = nullptr);
  /// After the line is parsed: which options are given.
  void note_given(const tools::CommandLine& line);

  [[nodiscard]] const std::vector<OptionRow>& rows() const { return rows_; }
  [[nodiscard]] const std::vector<std::string>& traces() const { return traces_; }
  [[nodiscard]] bool has(std::string_view flag) const;
  /// The usual one, if it is not given; several are joined by commas.
  [[nodiscard]] const std::string& value(std::string_view flag) const {
    return typed_.at(flag).value;
  }
  [[nodiscard]] const std::vector<std::string>& values(std::string_view flag) const {
    return typed_.at(flag).values;
  }

  /// People type "prof-report summary trace.db": a first word that names a report, and no file, is
  /// -r's.
  void take_report_of_arguments(const Registry& registry);

  /// Options that do not go together, whatever their values.
  [[nodiscard]] Status check_conflicts() const;

 private:
  struct Typed {
    std::string value;
    std::vector<std::string> values;
    bool is_set = false;
  };

  std::vector<OptionRow> rows_;
  std::map<std::string_view, Typed> typed_;  // by flag
  std::vector<std::string> traces_;
  std::vector<std::string> given_;  // "trace" for an argument
};

}  // namespace prof::reports
