// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/tables/findings.hpp"

#include "libprof/base/count_text.hpp"
#include "libprof/model/losses.hpp"

namespace prof::importers {
namespace {

constexpr std::size_t kMostNamed = 16;

void add(std::string& list, std::string_view separator, std::string_view part) {
  if (!list.empty()) list.append(separator);
  list.append(part);
}

template <typename Map>
std::uint64_t sum(const Map& counts) {
  std::uint64_t total = 0;
  for (const auto& [key, count] : counts) total += count;
  return total;
}

/// "34 (2), 39 (1)".
template <typename Map, typename Name>
std::string listed(const Map& counts, Name name) {
  std::string list;
  std::size_t n = 0;
  for (const auto& [key, count] : counts) {
    if (++n > kMostNamed) return list + ", ...";
    add(list, ", ", name(key) + " (" + grouped(count) + ")");
  }
  return list;
}

void report_loss(RecordSink& sink, Loss loss, std::uint64_t count, const std::string& detail) {
  if (count == 0) return;
  LossRecord record;
  record.what = info(loss).word;
  record.count = count;
  record.detail = detail;
  sink.on(record);
}

}  // namespace

std::string Findings::damage() const {
  std::string text;
  for (const auto& [key, count] : damaged_) {
    std::string part = count_text(count, "row", "rows").append(" of ").append(key.first);
    add(text, "; ", part.append(" ").append(key.second));
  }
  return text;
}

std::string Findings::unread() const {
  std::string names;
  for (const auto& [name, count] : no_tables_) add(names, ", ", name);
  if (names.empty()) return names;
  return names +
         (no_tables_.size() == 1 ? " is not a plain table, so it is"
                                 : " are not plain tables, so they are") +
         " not read";
}

std::string Findings::warning() const {
  std::string text = damage();
  if (!no_tables_.empty()) add(text, "; ", unread());
  if (graphs_ != 0) {
    add(text, "; ",
        count_text(graphs_, "graph launch is", "graph launches are") +
            " recorded as a whole (nsys profile --cuda-graph-trace=node records their kernels)");
  }
  return text;
}

void Findings::report(RecordSink& sink) const {
  report_loss(sink, Loss::kDamagedEvent, damaged_rows_, damage());
  const auto same = [](const std::string& table) { return table; };
  report_loss(sink, Loss::kOtherTable, sum(others_), listed(others_, same));
  report_loss(sink, Loss::kDamagedEvent, no_tables_.size(), unread());
  report_loss(sink, Loss::kOtherProcess, sum(of_other_processes_),
              listed(of_other_processes_, same));
  report_loss(sink, Loss::kNvtxCallNotKept, sum(nvtx_types_),
              "NVTX_EVENTS of types " +
                  listed(nvtx_types_, [](std::int64_t type) { return std::to_string(type); }));
  report_loss(sink, Loss::kPayloadNotKept, payloads_,
              "binary payloads, and values that are not numbers in JSON ones");
  report_loss(sink, Loss::kWholeGraph, graphs_,
              "nsys profile --cuda-graph-trace=node records their kernels");
}

}  // namespace prof::importers
