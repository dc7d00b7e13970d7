// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/table/left_out.hpp"

#include <fmt/format.h>

#include "tools/report/table/shorten.hpp"

namespace prof::reports {
namespace {

constexpr std::string_view kHow = "; pipe to less -S to see all";

/// "gflop, mb, 3 more", the first `named` by name.
std::string names(const std::vector<std::string_view>& columns, std::size_t named) {
  std::string text;
  for (std::size_t i = 0; i < named; ++i) text.append(i > 0 ? ", " : "").append(columns[i]);
  const std::size_t rest = columns.size() - named;
  if (rest == 0) return text;
  if (named == 0) return fmt::format("{} column{}", rest, rest > 1 ? "s" : "");
  return fmt::format("{}, {} more", text, rest);
}

}  // namespace

std::string LeftOut::to_line(std::size_t width) const {
  const std::string cut = texts ? fmt::format("names are cut at {}", kCutMark) : "";
  if (columns.empty()) return texts ? cut + std::string(kHow) : "";
  const std::string end = (texts ? "; " + cut : "") + std::string(kHow);
  std::string line;
  for (std::size_t named = columns.size() + 1; named-- > 0;) {
    line = "not shown: " + names(columns, named) + end;
    const std::size_t mark = texts ? kCutMark.size() - 1 : 0;  // Bytes that take no column.
    if (line.size() - mark <= width) break;
  }
  return line;
}

}  // namespace prof::reports
