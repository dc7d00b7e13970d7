// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Grouping and summing, see rollup_report.hpp.
#include "tools/report/reports/rollup_report.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_map>

#include "tools/report/reports/sums.hpp"
#include "tools/report/reports/work_fields.hpp"

namespace prof::reports {
namespace {

// Where a chosen column comes from: a key of the group, or one of its sums.
struct Source {
  const WorkField* key = nullptr;
  const SumField* sum = nullptr;
};

std::vector<Source> all_sources() {
  std::vector<Source> sources;
  for (const WorkField& field : work_fields()) {
    if (field.is_key) sources.push_back({.key = &field});
  }
  for (const SumField& field : sum_fields()) sources.push_back({.sum = &field});
  return sources;
}

struct Group {
  std::vector<Cell> keys;  // Texts point into the group's map key.
  Sums sums;
};

struct Hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view key) const { return std::hash<std::string_view>{}(key); }
};

using Groups = std::unordered_map<std::string, Group, Hash, std::equal_to<>>;

// Appends a cell so that different lists of cells never give equal keys.
void append_key(const Cell& cell, std::string& key) {
  key.push_back(static_cast<char>('0' + cell.index()));
  std::uint64_t word = 0;
  if (const auto* value = std::get_if<std::string_view>(&cell)) {
    word = value->size();
  } else if (const auto* number = std::get_if<std::uint64_t>(&cell)) {
    word = *number;
  } else if (const auto* signed_number = std::get_if<std::int64_t>(&cell)) {
    word = static_cast<std::uint64_t>(*signed_number);
  }
  char raw[sizeof word];
  std::memcpy(raw, &word, sizeof word);
  key.append(raw, sizeof raw);
  if (const auto* value = std::get_if<std::string_view>(&cell)) key += *value;
}

// The cell with its text, if it has one, in `key` at `offset`; moves the offset past it.
Cell cell_in_key(const Cell& cell, std::string_view key, std::size_t& offset) {
  offset += 1 + sizeof(std::uint64_t);
  const auto* value = std::get_if<std::string_view>(&cell);
  if (value == nullptr) return cell;
  const std::string_view kept = key.substr(offset, value->size());
  offset += value->size();
  return Cell{std::in_place_type<std::string_view>, kept};
}

bool key_less(const Cell& a, const Cell& b) {
  if (a.index() != b.index()) return a.index() < b.index();
  if (const auto* value = std::get_if<std::string_view>(&a)) {
    return *value < std::get<std::string_view>(b);
  }
  if (const auto* value = std::get_if<std::uint64_t>(&a))
    return *value < std::get<std::uint64_t>(b);
  if (const auto* value = std::get_if<std::int64_t>(&a)) return *value < std::get<std::int64_t>(b);
  return false;
}

bool before(const Group* a, const Group* b) {
  if (a->sums.time_ns != b->sums.time_ns) return a->sums.time_ns > b->sums.time_ns;
  return std::lexicographical_compare(a->keys.begin(), a->keys.end(), b->keys.begin(),
                                      b->keys.end(), key_less);
}

class Rollup {
 public:
  Rollup(TraceReader& trace, std::vector<Source> chosen)
      : context_(trace), chosen_(std::move(chosen)) {
    for (const Source& source : chosen_) {
      if (source.key != nullptr) keys_.push_back(source.key);
    }
  }

  void add(const Work& work) {
    context_.set(work);
    key_.clear();
    for (const WorkField* key : keys_) append_key(key->value(context_), key_);
    auto group = groups_.find(std::string_view(key_));
    if (group == groups_.end()) {
      group = groups_.emplace(key_, Group{}).first;
      std::size_t offset = 0;
      for (const WorkField* key : keys_) {
        group->second.keys.push_back(cell_in_key(key->value(context_), group->first, offset));
      }
    }
    const devices::RooflineTimes roofline = context_.roofline();
    group->second.sums.add(work, roofline);
    all_.add(work, roofline);
  }

  void write(RowSink& sink) const {
    std::vector<const Group*> sorted;
    for (const auto& [key, group] : groups_) sorted.push_back(&group);
    std::sort(sorted.begin(), sorted.end(), before);
    for (const Group* group : sorted) {
      if (!sink.row(cells(group->keys, group->sums))) return;
    }
    if (sorted.empty()) return;
    // The word goes where the first key is; the other keys are blank, not unknown.
    std::vector<Cell> keys(keys_.size(), Cell{std::in_place_type<std::string_view>, ""});
    if (!keys.empty()) keys[0] = text("total");
    sink.total(cells(keys, all_));
  }

 private:
  [[nodiscard]] std::vector<Cell> cells(const std::vector<Cell>& keys, const Sums& sums) const {
    std::vector<Cell> row;
    std::size_t next_key = 0;
    for (const Source& source : chosen_) {
      row.push_back(source.key != nullptr ? keys[next_key++] : source.sum->value(sums, all_));
    }
    return row;
  }

  WorkContext context_;
  std::vector<Source> chosen_;
  std::vector<const WorkField*> keys_;
  std::string key_;
  Groups groups_;
  Sums all_;
};

}  // namespace

std::span<const Column> RollupReport::columns() const {
  static const std::vector<Column> columns = [] {
    std::vector<Column> all;
    for (const Source& source : all_sources()) {
      all.push_back(source.key != nullptr ? source.key->column : source.sum->column);
    }
    return all;
  }();
  return columns;
}

Status RollupReport::run(const ReportInput& input, std::span<const std::size_t> chosen,
                         RowSink& sink) const {
  const std::vector<Source> sources = all_sources();
  std::vector<Source> picked;
  for (const std::size_t index : chosen) picked.push_back(sources[index]);
  Rollup rollup(input.trace, std::move(picked));
  while (const Work* work = input.selection.next()) rollup.add(*work);
  if (Status status = input.selection.status(); !status) return status;
  rollup.write(sink);
  return {};
}

}  // namespace prof::reports
