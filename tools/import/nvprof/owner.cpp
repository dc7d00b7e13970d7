// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/nvprof/owner.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "tools/import/nvprof/tables.hpp"

namespace prof::importers::nvprof {
namespace {

/// More processes with events than any run has are damage.
constexpr std::size_t kMaxProcesses = 4096;

Status add_callers(TableFile& file, std::string_view table, std::set<std::uint32_t>& pids) {
  constexpr std::array<std::string_view, 1> kColumns = {"processId"};
  if (!file.has(table, kColumns[0])) return {};
  auto rows = file.distinct(table, kColumns);
  if (!rows) return rows.error();
  while (rows->next() && pids.size() <= kMaxProcesses) {
    if (const auto pid = number_of(*rows, 0)) pids.insert(*pid);
  }
  return rows->status();
}

Status add_markers(TableFile& file, std::set<std::uint32_t>& pids) {
  constexpr std::array<std::string_view, 2> kColumns = {"objectKind", "objectId"};
  if (!file.has(kMarkers, kColumns[0]) || !file.has(kMarkers, kColumns[1])) return {};
  auto rows = file.distinct(kMarkers, kColumns);
  if (!rows) return rows.error();
  while (rows->next() && pids.size() <= kMaxProcesses) {
    if (const auto object = object_of(*rows, 0, 1)) pids.insert(object->pid);
  }
  return rows->status();
}

}  // namespace

Result<std::vector<Process>> find_processes(TableFile& file) {
  std::set<std::uint32_t> pids;
  PROF_TRY(add_callers(file, kRuntimeCalls, pids));
  PROF_TRY(add_callers(file, kDriverCalls, pids));
  PROF_TRY(add_markers(file, pids));
  if (pids.size() > kMaxProcesses) return file.damaged("it has more than 4,096 processes");
  if (pids.empty()) return std::vector<Process>(1);
  std::vector<Process> processes;
  for (const std::uint32_t pid : pids) processes.push_back({pid, pid});
  return processes;
}

Owner::Owner(const Process& process, std::span<const Process> all)
    : is_only_(all.size() <= 1),
      is_first_(all.empty() || all.front().id == process.id),
      pid_(static_cast<std::uint32_t>(process.pid)) {
  for (const Process& one : all) pids_.push_back(static_cast<std::uint32_t>(one.pid));
}

Result<Owner> Owner::open(TableFile& file, const Process& process, std::span<const Process> all) {
  Owner owner(process, all);
  if (!owner.is_only_) PROF_TRY(owner.read_launches(file));
  return owner;
}

Status Owner::read_launches(TableFile& file) {
  constexpr std::array<std::string_view, 2> kColumns = {"correlationId", "processId"};
  for (const std::string_view table : {kRuntimeCalls, kDriverCalls}) {
    if (!file.has(table)) continue;
    auto rows = file.rows(table, kColumns, "");
    if (!rows) return rows.error();
    while (rows->next()) {
      const auto correlation = number_of(*rows, 0);
      const auto pid = number_of(*rows, 1);
      if (correlation && pid) launches_.emplace_back(*correlation, *pid);
    }
    PROF_TRY(rows->status());
  }
  std::ranges::sort(launches_);
  launches_.erase(std::unique(launches_.begin(), launches_.end()), launches_.end());
  return {};
}

bool Owner::is_known(std::uint32_t pid) const {
  return std::ranges::find(pids_, pid) != pids_.end();
}

Owner::Work Owner::of_work(Correlation correlation) const {
  if (is_only_) return Work::kOwn;
  const auto launch = std::ranges::lower_bound(launches_, Launch{correlation, 0});
  if (launch == launches_.end() || launch->first != correlation) {
    return is_first_ ? Work::kOwn : Work::kOther;
  }
  const auto next = std::next(launch);
  if (next != launches_.end() && next->first == correlation) {
    return is_first_ ? Work::kAmbiguous : Work::kOther;
  }
  return launch->second == pid_ ? Work::kOwn : Work::kOther;
}

}  // namespace prof::importers::nvprof
