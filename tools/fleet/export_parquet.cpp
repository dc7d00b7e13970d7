// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/fleet/export_parquet.hpp"

#include <fmt/format.h>

#include "tools/common/output.hpp"
#include "tools/common/result_file.hpp"

namespace prof::fleet {

Result<std::string> export_parquet(Store& store, const std::string& folder) {
  for (const FleetTable& table : fleet_tables()) {
    auto path = tools::file_in_folder(folder, table.name, "parquet");
    if (!path) return path.error();
    auto file = tools::ResultFile::create(*path);
    if (!file) return file.error();
    tools::Output output(file->stream());
    const std::string select = fmt::format("SELECT * FROM {{{}}} FORMAT Parquet", table.name);
    PROF_TRY(store.engine().query(store.expand(select, {}), [&](std::string_view bytes) {
      output.write(bytes);
      return output.error() == 0;
    }));
    output.flush();
    PROF_TRY(file->finish(output.error()));
  }
  return fmt::format("{}: {} tables", folder, fleet_tables().size());
}

}  // namespace prof::fleet
