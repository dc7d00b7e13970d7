// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/nsys_csv/trace_columns.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "libprof/base/ascii.hpp"
#include "tools/common/words.hpp"

namespace prof::importers::nsys_csv {
namespace {

/// By Column. Names differ in case, and in one letter.
constexpr std::array<std::string_view, kColumns> kNames = {
    "start",    "duration", "corrid",  "grdx",    "grdy",    "grdz",  "blkx",
    "blky",     "blkz",     "reg/trd", "stcsmem", "dymsmem", "bytes", "srcmemkd",
    "dstmemkd", "device",   "ctx",     "strm",    "name"};
constexpr std::string_view kDynamicSharedToo = "dynsmem";

struct Unit {
  std::string_view word;
  double scale;
};
constexpr Unit kTimes[] = {{"ns", 1},          {"nsec", 1},        {"us", 1e3}, {"usec", 1e3},
                           {"\xc2\xb5s", 1e3}, {"\xce\xbcs", 1e3}, {"ms", 1e6}, {"msec", 1e6},
                           {"s", 1e9},         {"sec", 1e9}};
constexpr Unit kSizes[] = {{"b", 1},      {"byte", 1},      {"bytes", 1},
                           {"kb", 1e3},   {"mb", 1e6},      {"gb", 1e9},
                           {"kib", 1024}, {"mib", 1048576}, {"gib", 1073741824}};

struct Heading {
  std::string name, unit;
};

/// "stcsmem" and "mb" of "StcSMem (MB)", "start" and "ns" of "Start:ts_ns".
Heading read(std::string_view field) {
  Heading heading;
  const std::string all = lower(tools::trimmed(field));
  const std::size_t end = std::min(all.find_first_of("(:"), all.size());
  heading.name = tools::trimmed(std::string_view(all).substr(0, end));
  if (end == all.size()) return heading;
  std::string_view unit = std::string_view(all).substr(end + 1);
  if (all[end] == ':') unit.remove_prefix(unit.rfind('_') + 1);
  if (unit.ends_with(')')) unit.remove_suffix(1);
  heading.unit = tools::trimmed(unit);
  return heading;
}

std::optional<Column> column_of(std::string_view name) {
  if (name == kDynamicSharedToo) return Column::kDynamicShared;
  const auto* const known = std::ranges::find(kNames, name);
  if (known == kNames.end()) return std::nullopt;
  return static_cast<Column>(known - kNames.begin());
}

template <std::size_t count>
std::optional<double> scale_of(const Unit (&units)[count], std::string_view word) {
  const auto* const known = std::ranges::find(units, word, &Unit::word);
  return known == std::end(units) ? std::nullopt : std::optional(known->scale);
}

std::optional<double> scale_of(Column column, std::string_view unit) {
  switch (column) {
    case Column::kStart:
    case Column::kDuration:
      return scale_of(kTimes, unit);
    case Column::kStaticShared:
    case Column::kDynamicShared:
    case Column::kBytes:
      return scale_of(kSizes, unit);
    default:
      return 1;
  }
}

}  // namespace

std::optional<TraceColumns> TraceColumns::of(const CsvLine& heading) {
  TraceColumns columns;
  columns.size_ = heading.size();
  for (std::size_t field = 0; field < heading.size(); ++field) {
    const Heading one = read(heading[field]);
    const auto column = column_of(one.name);
    if (!column) continue;
    const auto scale = scale_of(*column, one.unit);
    if (!scale) return std::nullopt;
    columns.places_[static_cast<std::size_t>(*column)] = {field, *scale};
  }
  // Together, these distinguish it from nsys's other tables.
  for (const Column needed :
       {Column::kStart, Column::kDuration, Column::kGridX, Column::kBytes, Column::kName}) {
    if (columns.place(needed).field == kNowhere) return std::nullopt;
  }
  return columns;
}

std::string_view TraceColumns::text(const CsvLine& line, Column column) const {
  const std::size_t field = place(column).field;
  return field < line.size() ? tools::trimmed(line[field]) : std::string_view();
}

std::optional<std::uint64_t> TraceColumns::whole(const CsvLine& line, Column column) const {
  return tools::parse_number<std::uint64_t>(text(line, column));
}

std::optional<std::int64_t> TraceColumns::scaled(const CsvLine& line, Column column) const {
  const std::string_view stated = text(line, column);
  const double scale = place(column).scale;
  if (scale == 1) {
    if (const auto number = tools::parse_number<std::int64_t>(stated)) return number;
  }
  const auto number = tools::parse_number<double>(stated);
  constexpr double kMost = 9e18;
  if (!number || !(std::abs(*number * scale) < kMost)) return std::nullopt;
  return std::llround(*number * scale);
}

bool TraceColumns::is_rounded(const CsvLine& line, Column column) const {
  constexpr std::size_t kDigits = 3;
  const std::string_view stated = text(line, column);
  const std::size_t point = stated.find('.');
  return place(column).scale > 1 && point != std::string_view::npos &&
         stated.size() - point - 1 <= kDigits;
}

}  // namespace prof::importers::nsys_csv
