// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/nsys/share.hpp"

#include <algorithm>

namespace prof::importers::nsys {
namespace {

constexpr std::uint64_t kNoProcess = 0;

std::string listed(const std::vector<std::uint64_t>& ids) {
  std::string list;
  for (const std::uint64_t id : ids) {
    list.append(list.empty() ? "" : ",").append(std::to_string(static_cast<std::int64_t>(id)));
  }
  return "(" + list + ")";
}

}  // namespace

std::string process_sql(std::string_view column) {
  return std::string("(ifnull(\"").append(column).append("\",0)>>24)");
}

Share::Share(const Process& process, std::span<const Process> all)
    : is_only_(process.id == kAllRows),
      is_first_(all.empty() || all.front().id == process.id),
      own_(is_only_ ? process.pid : process.id) {
  for (const Process& other : all) {
    if (other.id != process.id) others_.push_back(other.id);
  }
}

/// The only process is known by its number alone.
std::string Share::key(std::string_view column) const {
  if (column.empty()) return std::to_string(kNoProcess);
  const std::string process = process_sql(column);
  return is_only_ ? std::string("(").append(process).append("&0xffffff)") : process;
}

std::string Share::condition(RowKind kind, std::string_view column) const {
  const bool is_of_thread = loses(kind) || kind == RowKind::kThreadNames;
  if (is_only_ && (!is_of_thread || own_ == kNoProcess)) return "";
  const bool others_have_no_process = std::ranges::find(others_, kNoProcess) != others_.end();
  std::vector<std::uint64_t> taken = {own_};
  if (kind == RowKind::kMessages || (is_of_thread && is_first_ && !others_have_no_process)) {
    taken.push_back(kNoProcess);
  }
  std::string sql = key(column) + " IN " + listed(taken);
  const bool takes_rest = kind == RowKind::kMessages || kind == RowKind::kUnread;
  if (is_first_ && takes_rest)
    sql.append(" OR ").append(key(column) + " NOT IN " + listed(others_));
  return sql;
}

std::string Share::lost(std::string_view column) const {
  std::vector<std::uint64_t> known = others_;
  known.insert(known.end(), {own_, kNoProcess});
  if (is_only_ && own_ == kNoProcess) return "0";
  return key(column) + " NOT IN " + listed(known);
}

}  // namespace prof::importers::nsys
