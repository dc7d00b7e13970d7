// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/options/choices.hpp"

#include <algorithm>
#include <array>

#include "tools/report/options/option_values.hpp"

namespace prof::reports {
namespace {

/// An option that goes with these only.
struct Alone {
  std::string_view flag;
  std::array<std::string_view, 5> with;  ///< As many as there are.
};
constexpr std::array<Alone, 3> kAlone = {
    {{"--save", {"--domain"}},
     {"--ncu", {"--report"}},
     {"--explain", {"--report", "--format", "--domain", "--process-ranges", "--step-range"}}}};

struct Excluded {
  std::string_view flag;
  std::array<std::string_view, 21> others;  ///< As many as there are.
  std::string_view hint;
};
constexpr std::array<Excluded, 5> kExcluded = {{
    {"--sql",
     {"--report", "--columns", "--by", "--where", "--sort", "--top", "--depth", "--flat"},
     "express it in SQL"},
    {"--export",
     {"--sql", "--report", "--format", "--columns", "--by", "--where", "--sort", "--top", "--depth",
      "--flat"},
     ""},
    {"--html",
     {"--sql",   "--report", "--format", "--output", "--export", "--columns",    "--by",
      "--where", "--sort",   "--top",    "--depth",  "--flat",   "--fail-above", "--layer",
      "--op",    "--dir",    "--kernel", "--stream", "--thread", "--kind",       "--range"},
     "a page has its own tables, whose rows are chosen there, or by --step"},
    {"--depth", {"--sort", "--where", "--top"}, "a tree has an order of its own"},
    {"--whole-ranges", {"--short-ranges"}, ""},
}};

}  // namespace

Status check_conflicts(const OptionWords& words) {
  for (const auto& [flag, with] : kAlone) {
    if (!words.has(flag)) continue;
    for (const std::string& name : words.given) {
      const bool goes =
          name == "trace" || name == flag || std::ranges::find(with, name) != with.end();
      if (!goes) return clash(name, flag);
    }
  }
  for (const auto& [flag, others, hint] : kExcluded) {
    if (!words.has(flag)) continue;
    const auto other =
        std::ranges::find_if(others, [&words](std::string_view one) { return words.has(one); });
    if (other != others.end()) return clash(*other, flag, hint);
  }
  return {};
}

}  // namespace prof::reports
