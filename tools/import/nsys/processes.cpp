// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/nsys/processes.hpp"

#include <set>

namespace prof::importers::nsys {
namespace {

/// More processes with events than any run has are damage.
constexpr std::size_t kMaxProcesses = 4096;

Status add_processes(TableFile& file, const RowSource& source, std::set<std::uint64_t>& ids) {
  const std::string table = "main.\"" + std::string(source.table) + "\"";
  const bool has_process = file.has(source.table, source.process);
  auto found =
      file.prepare(has_process ? "SELECT DISTINCT " + process_sql(source.process) + " FROM " + table
                               : "SELECT 0 FROM " + table + " LIMIT 1");
  if (!found) return found.error();
  Statement::Step step;
  while ((step = found->step()) == Statement::Step::kRow) {
    ids.insert(found->unsigned_integer(0));
    if (ids.size() > kMaxProcesses) {
      return file.damaged("it has more than 4,096 processes");
    }
  }
  if (step != Statement::Step::kDone) return file.error();
  return {};
}

}  // namespace

std::vector<RowSource> all_sources() {
  std::vector<RowSource> all;
  for (const auto sources : {nvtx_sources(), host_sources(), gpu_sources()}) {
    all.insert(all.end(), sources.begin(), sources.end());
  }
  return all;
}

Result<std::vector<Process>> find_processes(TableFile& file) {
  std::set<std::uint64_t> ids;
  for (const RowKind kind : {RowKind::kEvents, RowKind::kOsCalls}) {
    if (!ids.empty()) break;
    for (const RowSource& source : all_sources()) {
      if (source.kind == kind && file.has(source.table)) PROF_TRY(add_processes(file, source, ids));
    }
  }
  const bool has_others = ids.erase(0) != 0;
  if (ids.size() <= 1) {
    return std::vector<Process>{{kAllRows, ids.empty() ? 0 : low_bits(*ids.begin())}};
  }
  std::vector<Process> processes;
  for (const std::uint64_t id : ids) processes.push_back({id, low_bits(id)});
  if (has_others) processes.push_back({});
  return processes;
}

}  // namespace prof::importers::nsys
