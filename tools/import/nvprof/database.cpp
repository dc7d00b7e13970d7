// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/nvprof/database.hpp"

#include <algorithm>
#include <string_view>

namespace prof::importers::nvprof {
namespace {

constexpr std::string_view kActivities = "CUPTI_ACTIVITY_KIND_";

}  // namespace

bool is_database(const std::string& path) {
  const Result<TableFile> file = open_database(path);
  if (!file || !(file->has(kTexts.name) || file->has_unread(kTexts.name))) return false;
  return std::ranges::any_of(file->tables(),
                             [](std::string_view table) { return table.starts_with(kActivities); });
}

Result<TableFile> open_database(const std::string& path) {
  return TableFile::open(path, "copy the file again, or record again with nvprof -o");
}

}  // namespace prof::importers::nvprof
