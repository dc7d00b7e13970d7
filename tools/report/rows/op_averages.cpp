// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/op_averages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <utility>

#include "libprof/model/times.hpp"
#include "tools/report/rows/gpu_work.hpp"
#include "tools/report/rows/qualified_text.hpp"

namespace prof::reports {
namespace {

/// What PyTorch appends to an op's name in a range's text.
constexpr std::array<std::string_view, 4> kTorchFields = {
    ", seq = ", ", op_id = ", ", sizes = ", ", input_op_ids = "};

void add_time(std::int64_t& sum, std::int64_t time_ns) { sum = sum_of_times(sum, time_ns); }

/// "[[2, 3], []]" after ", sizes = ".
std::string_view torch_sizes(std::string_view text) {
  const std::size_t at = text.find(kTorchFields[2]);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + kTorchFields[2].size());
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') ++depth;
    if (text[i] == ']' && --depth == 0) return text.substr(0, i + 1);
  }
  return text;
}

std::string word_of(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// The op of a range of prof/annotate.hpp.
RangeName native_name(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return {std::string(text), ""};
  if (!json.contains("op") || !json["op"].is_string()) {
    // It states the direction of what is inside.
    const std::string mod = word_of(json, "mod"), dir = word_of(json, "dir");
    return {mod.empty() || dir.empty() ? std::string(text) : mod + ":" + dir, ""};
  }
  std::string inputs;
  const auto args = json.value("args", nlohmann::json::array());
  for (const auto& arg : args) {
    if (!arg.is_object() || !arg.contains("shape") || arg.value("role", "in") == "out") continue;
    inputs += (inputs.empty() ? "[" : ", ") + arg["shape"].dump();
  }
  return {json["op"].get<std::string>(), inputs.empty() ? inputs : inputs + "]"};
}

/// "Pageable", "Device Static", as PyTorch writes it.
std::string memory(MemoryKind kind) {
  std::string name(work_cells::memory_name(kind));
  if (name.empty()) return "Unknown";
  bool begins = true;
  for (char& c : name) {
    if (begins) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    begins = c == '_';
    if (begins) c = ' ';
  }
  return name;
}

}  // namespace

RangeName name_of_range(std::string_view text) {
  if (text.starts_with('{')) return native_name(text);
  std::size_t end = text.size();
  for (const std::string_view field : kTorchFields) end = std::min(end, text.find(field));
  return {std::string(text.substr(0, end)), std::string(torch_sizes(text))};
}

OpAverages::Index OpAverages::index_of(std::string_view name, std::string_view inputs) {
  std::string key(name);
  if (by_inputs_) key.append(1, '\0').append(inputs);
  const auto [it, is_new] = by_name_.try_emplace(key, static_cast<Index>(entries_.size()));
  if (is_new) {
    OpAverage& made = entries_.emplace_back();
    made.name = name;
    if (by_inputs_) made.inputs = inputs;
  }
  return it->second;
}

OpAverage& OpAverages::entry(std::string_view name) { return entries_[index_of(name, {})]; }

OpAverage& OpAverages::entry_of(TraceReader& trace, const RangeRow& range) {
  if (const Index* known = by_range_.find(range.id)) return entries_[*known];
  const bool is_plain = range.domain == kDefaultDomain && !by_inputs_;
  const auto known = is_plain ? by_template_.find(range.template_id) : by_template_.end();
  if (known != by_template_.end()) {
    by_range_.put(range.id, known->second);
    return entries_[known->second];
  }
  RangeName named = name_of_range(range.whole_text());
  if (range.domain != kDefaultDomain) {
    named.name = qualified_text(trace, range.domain, named.name);
  }
  const Index index = index_of(named.name, named.inputs);
  // Texts of one template differ in numbers; the name must have none of them.
  if (is_plain && name_of_range(range.text).name == named.name) {
    by_template_.emplace(range.template_id, index);
  }
  by_range_.put(range.id, index);
  return entries_[index];
}

/// The opening that the range is, or that it repeats.
RangeRef OpAverages::opening(TraceReader& trace, RangeId id) {
  if (id == 0) return {};
  const RangeRef range = trace.range(id);
  return range && range->alias_of != 0 ? trace.range(range->alias_of) : range;
}

OpAverage* OpAverages::chosen_entry(TraceReader& trace, RangeId id, HostChooser& chooser) {
  const RangeRef range = opening(trace, id);
  if (!range) return chooser.takes(0, {}) ? &entry("(range not in the trace)") : nullptr;
  return chooser.takes(id, range->start_ns) ? &entry_of(trace, *range) : nullptr;
}

void OpAverages::take_time(OpAverage* from, std::int64_t time_ns) {
  if (from == nullptr) return;
  add_time(from->self_cpu_ns, -time_ns);
  add_time(self_cpu_ns_, -time_ns);
}

Status OpAverages::add(TraceReader& trace, const Choice& choice, ChoiceTally& tally,
                       ReadProgress* progress) {
  progress_ = progress;
  if (progress != nullptr) place_ = progress->begin();
  by_range_.clear();
  by_template_.clear();
  kernel_names_.clear();
  last_on_thread_.clear();
  joined_.clear();
  HostChooser chooser(trace, choice, tally);
  add_ranges(trace, chooser);
  PROF_TRY(add_calls(trace, chooser));
  join_repeats(trace, chooser);
  return add_work(trace, chooser);
}

void OpAverages::add_ranges(TraceReader& trace, HostChooser& chooser) {
  RangeId last = 0;
  while (const RangeRef range = trace.range_after(last)) {
    last = range->id;
    count_row();
    if (range->kind == RangeRecord::Kind::kAlias) continue;
    const RangeId before = std::exchange(last_on_thread_[range->thread.value], range->id);
    const RangeRef around = opening(trace, range->parent);
    // The first one may be all that the range around it does.
    if (around && before != around->id) repeats_.erase(around->id);
    if (!chooser.takes(range->id, range->start_ns)) continue;
    OpAverage& average = entry_of(trace, *range);
    ++average.calls;
    average.is_async = range->kind == RangeRecord::Kind::kStartEnd;
    if (!range->end_ns) {
      ++average.unclosed;
      continue;
    }
    const std::int64_t time_ns = difference_of_times(*range->end_ns, range->start_ns);
    add_time(average.cpu_ns, time_ns);
    if (average.is_async) continue;
    add_time(average.self_cpu_ns, time_ns);
    add_time(self_cpu_ns_, time_ns);
    OpAverage* const outer = timed_entry(trace, around, chooser);
    take_time(outer, time_ns);
    if (outer == &average && before == around->id) repeats_[around->id] = {range->id, time_ns};
  }
}

Status OpAverages::add_calls(TraceReader& trace, HostChooser& chooser) {
  const auto calls = trace.api_calls();
  while (const ApiCallRow* call = calls->next()) {
    count_row();
    if (call->depth > 0) continue;  // made by CUDA itself: part of the outer call
    const RangeRef around = opening(trace, call->range);
    if (around) repeats_.erase(around->id);
    if (!chooser.takes(call->range, call->start_ns)) continue;
    OpAverage& average = entry(trace.string(call->function));
    ++average.calls;
    const std::int64_t time_ns = call->duration_ns.value_or(0);
    add_time(average.cpu_ns, time_ns);
    add_time(average.self_cpu_ns, time_ns);
    add_time(self_cpu_ns_, time_ns);
    take_time(timed_entry(trace, around, chooser), time_ns);
  }
  return calls->status();
}

/// The entry of a range that is chosen and whose time is known, or null.
OpAverage* OpAverages::timed_entry(TraceReader& trace, const RangeRef& range,
                                   HostChooser& chooser) {
  if (!range || !range->end_ns || !chooser.takes(range->id, range->start_ns)) return nullptr;
  return &entry_of(trace, *range);
}

void OpAverages::join_repeats(TraceReader& trace, HostChooser& chooser) {
  for (const auto& [around, repeat] : repeats_) {
    OpAverage* const average = chosen_entry(trace, around, chooser);
    if (average == nullptr) continue;
    --average->calls;
    add_time(average->cpu_ns, -repeat.time_ns);
    joined_.insert(repeat.range);
  }
  repeats_.clear();
}

Status OpAverages::add_work(TraceReader& trace, HostChooser& chooser) {
  const auto work = trace.gpu_work(TraceReader::Work::kKernelsAndCopies);
  while (const GpuRow* row = work->next()) {
    count_row();
    const auto launch_ns = row->launched ? std::optional(row->launch_start_ns) : std::nullopt;
    if (!chooser.takes(row->stack, launch_ns)) continue;
    OpAverage& own = entry(work_name(trace, *row));
    ++own.calls;
    add_time(own.self_cuda_ns, row->duration_ns);
    add_time(own.cuda_ns, row->duration_ns);
    add_time(cuda_ns_, row->duration_ns);
    bool is_direct = true;
    for (RangeId at = row->stack; at != 0; is_direct = false) {
      const RangeRef range = trace.range(at);
      if (!range || range->parent >= at) break;
      OpAverage* const around = chosen_entry(trace, at, chooser);
      const bool is_joined = joined_.contains(range->alias_of != 0 ? range->alias_of : at);
      at = range->parent;
      if (around == nullptr) continue;
      if (is_direct) add_time(around->self_cuda_ns, row->duration_ns);
      if (!is_joined) add_time(around->cuda_ns, row->duration_ns);
    }
  }
  return work->status();
}

std::string OpAverages::work_name(TraceReader& trace, const GpuRow& row) {
  if (row.kind == GpuRow::Kind::kMemset) return fmt::format("Memset ({})", memory(row.destination));
  if (row.kind == GpuRow::Kind::kMemcpy) {
    const std::string_view word = work_cells::copy_word(row.copy_kind);
    return fmt::format("Memcpy {} ({} -> {})", word, memory(row.source), memory(row.destination));
  }
  return kernel_names_.of(trace, row.config).full;
}

std::vector<const OpAverage*> OpAverages::sorted() const {
  std::vector<const OpAverage*> all;
  for (const OpAverage& average : entries_) all.push_back(&average);
  std::ranges::stable_sort(all, [](const OpAverage* a, const OpAverage* b) {
    return a->cuda_ns != b->cuda_ns ? a->cuda_ns > b->cuda_ns : a->cpu_ns > b->cpu_ns;
  });
  return all;
}

}  // namespace prof::reports
