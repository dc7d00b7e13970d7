// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/export/formats/counters.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>

#include "libprof/base/check.hpp"
#include "tools/report/export/formats/work_stacks.hpp"
#include "tools/report/rows/device_states.hpp"
#include "tools/report/rows/row_kinds.hpp"
#include "tools/report/rows/table_row.hpp"

namespace prof::exports {
namespace {

using reports::Cell;

struct NamedCounter {
  std::string_view word;  ///< The column's, or the fact's.
  std::string_view name, unit;
};

constexpr NamedCounter kStates[] = {{"sm_clock_mhz", "SM clock", "MHz"},
                                    {"memory_clock_mhz", "memory clock", "MHz"},
                                    {"power_w", "power", "W"},
                                    {"temperature_c", "temperature", "C"}};
constexpr NamedCounter kAllocatorFacts[] = {{"allocated", "PyTorch allocated", "B"},
                                            {"reserved", "PyTorch reserved", "B"}};

/// A mark's statement about PyTorch's allocator: at the end of a step
/// (tools/python/prof_torch/allocator.py), or with a block that it hands out or takes back
/// (tools/import/kineto/memory_mark.cpp). Null: the mark says something else.
nlohmann::json allocator_facts(std::string_view mark) {
  constexpr std::size_t kLongest = 4096;  // theirs have a few numbers
  constexpr std::string_view kStarts[] = {R"({"v":1,"mod":"prof","allocator":{)",
                                          R"({"v":1,"mod":"prof","memory":{)"};
  const bool may_state = std::ranges::any_of(
      kStarts, [mark](std::string_view start) { return mark.starts_with(start); });
  if (!may_state || mark.size() > kLongest) return nullptr;
  nlohmann::json stated = nlohmann::json::parse(mark, nullptr, /*allow_exceptions=*/false);
  if (!stated.is_object()) return nullptr;
  return std::move(stated[stated.contains("memory") ? "memory" : "allocator"]);
}

/// Marks have no device of their own: --device asks for the one that the text names.
bool takes_device(const reports::RowFilter& rows, const std::optional<std::uint32_t>& device) {
  const std::string value = device ? std::to_string(*device) : std::string();
  return std::ranges::all_of(rows.columns, [&](const reports::ColumnFilter& filter) {
    return filter.option->columns.front() != "device" || filter.matches(value);
  });
}

}  // namespace

Status read_device_states(const reports::RowInput& input, const TakeSample& take,
                          std::uint64_t& without_time) {
  reports::RowsOf<reports::DeviceSample> states(reports::kDeviceSamples, input);
  while (auto* const row = states.next()) {
    const Cell time = row->recorded_time(row->record().time_ns);
    const auto* const time_ns = std::get_if<std::int64_t>(&time);
    if (time_ns == nullptr) {
      ++without_time;
      continue;
    }
    CounterSample sample{.trace = place_of(input.traces, row->trace()),
                         .device = row->record().device,
                         .time_ns = *time_ns,
                         .name = {},
                         .unit = {},
                         .category = "device",
                         .value = {}};
    for (const NamedCounter& counter : kStates) {
      const reports::Field* const field = reports::kDeviceSamples.find(counter.word);
      PROF_CHECK(field != nullptr);
      sample.name = counter.name;
      sample.unit = counter.unit;
      sample.value = field->value(*row);
      if (!std::holds_alternative<reports::Absent>(sample.value)) PROF_TRY(take(sample));
    }
  }
  return states.status();
}

Status read_allocators(const reports::RowInput& input, const TakeSample& take,
                       std::uint64_t& without_time) {
  reports::RowsOf<reports::RecordRow<MarkRow>> marks(reports::kMarks, input);
  while (auto* const row = marks.next()) {
    const nlohmann::json facts = allocator_facts(row->record().text);
    if (!facts.is_object()) continue;
    std::optional<std::uint32_t> device;
    if (const auto stated = facts.find("device"); stated != facts.end()) {
      if (!stated->is_number_unsigned() || stated->get<std::uint64_t>() > UINT32_MAX) continue;
      device = stated->get<std::uint32_t>();
    }
    if (!takes_device(input.filter, device)) continue;
    const auto time_ns = row->host_time_ns();
    if (!time_ns) {
      ++without_time;
      continue;
    }
    const std::size_t trace = place_of(input.traces, row->trace());
    for (const NamedCounter& counter : kAllocatorFacts) {
      const auto bytes = facts.find(counter.word);
      if (bytes == facts.end() || !bytes->is_number_unsigned()) continue;
      PROF_TRY(take({.trace = trace,
                     .device = device,
                     .time_ns = reports::on_axis(input.traces.members()[trace], *time_ns),
                     .name = counter.name,
                     .unit = counter.unit,
                     .category = "memory",
                     .value = reports::number(bytes->get<std::uint64_t>())}));
    }
  }
  return marks.status();
}

}  // namespace prof::exports
