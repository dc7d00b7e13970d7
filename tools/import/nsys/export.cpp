// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/nsys/export.hpp"

#include <algorithm>
#include <string_view>

namespace prof::importers::nsys {
namespace {

/// An export has at least one of these tables.
constexpr std::string_view kMarks[] = {kTexts.name,
                                       kFactsOfExport[0],
                                       kFactsOfExport[1],
                                       "NVTX_EVENTS",
                                       "CUPTI_ACTIVITY_KIND_KERNEL",
                                       "CUPTI_ACTIVITY_KIND_RUNTIME"};

/// Advice for a file with views in place of tables.
constexpr const char* kMakeTables = "make it one: CREATE TABLE ... AS SELECT * FROM ...";

}  // namespace

Result<TableFile> open_export(const std::string& path) {
  Result<TableFile> file =
      TableFile::open(path, "export the report again: nsys export --type sqlite");
  if (!file) return file.error();
  const bool is_export =
      std::ranges::any_of(kMarks, [&](std::string_view table) { return file->has(table); });
  const auto* const unread =
      std::ranges::find_if(kMarks, [&](std::string_view table) { return file->has_unread(table); });
  if (!is_export && unread != std::end(kMarks)) {
    return Error{std::string(*unread) + " is not a plain table, so it is not read", path,
                 kMakeTables};
  }
  if (!is_export) {
    return Error{
        "is an SQLite database, but neither an export of Nsight Systems nor a database of nvprof",
        path, "name a file that nsys export --type sqlite or nvprof -o wrote"};
  }
  return file;
}

}  // namespace prof::importers::nsys
