// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/nvprof/tables.hpp"

#include <limits>

namespace prof::importers::nvprof {
namespace {

/// nvprof's text for a name that was not given.
constexpr std::string_view kNoText = "-- null --";

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t number = 0;
  for (std::size_t i = sizeof(number); i-- > 0;) {
    number = number << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return number;
}

}  // namespace

std::vector<std::string_view> read_tables() {
  std::vector<std::string_view> tables = {kMarkers, kMarkerData};
  for (const auto sources : {host_sources(), gpu_sources()}) {
    for (const RowSource& source : sources) tables.push_back(source.table);
  }
  return tables;
}

std::optional<std::uint32_t> number_of(TableRows& row, std::size_t column) {
  const auto number = row.integer(column);
  if (number && *number < 0 && *number >= std::numeric_limits<std::int32_t>::min()) {
    return static_cast<std::uint32_t>(*number);
  }
  return row.number32(column);
}

std::optional<ObjectId> object_of(TableRows& row, std::size_t kind, std::size_t id) {
  constexpr std::size_t kNumberBytes = sizeof(std::uint32_t);
  const auto of_kind = number_of(row, kind);
  const std::string_view bytes = row.blob(id);
  if (bytes.size() < 2 * kNumberBytes) return std::nullopt;
  const std::uint32_t pid = little_endian(bytes.substr(0, kNumberBytes));
  if (of_kind == kProcessObject) return ObjectId{pid};
  if (of_kind != kThreadObject) return std::nullopt;
  // The bytes after these do not belong to the thread: the blob has room for a device, which is
  // longer.
  return ObjectId{pid, true, little_endian(bytes.substr(kNumberBytes, kNumberBytes))};
}

std::optional<std::string_view> text_of(TableRows& row, std::size_t column, TableTexts& texts) {
  const std::int64_t id = row.integer(column).value_or(0);
  if (id == 0) return "";
  const auto found = texts.text(id);
  if (found == kNoText) return "";
  return found;
}

}  // namespace prof::importers::nvprof
