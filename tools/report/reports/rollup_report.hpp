// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A report that aggregates the rows of a row kind: one line for each distinct value of the chosen
// key columns, heaviest first, then a total. Other key columns (-c) give other groups. Keeps one
// entry per group, nothing per row.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tools/report/report.hpp"
#include "tools/report/reports/group_key.hpp"
#include "tools/report/rows/field.hpp"

namespace prof::reports {

template <typename Kind>
class RollupReport : public Report {
  using Row = typename Kind::Row;
  using Sums = typename Kind::Sums;

 public:
  struct Traits {
    std::string_view name, help;
    GroupColumns<Kind> table;  ///< Machine forms use the same keys.
  };

  explicit RollupReport(const Traits& traits) : Report(info_of(traits)) {}

  Status run(const RowInput& input, std::span<const std::size_t> chosen,
             RowSink& sink) const override {
    const std::vector<Source> sources = all_sources();
    std::vector<Source> picked;
    for (const std::size_t index : chosen) picked.push_back(sources[index]);
    Rollup rollup(std::move(picked));
    typename Kind::Cursor cursor(input);
    while (Row* row = cursor.next()) rollup.add(*row);
    if (Status status = cursor.status(); !status) return status;
    rollup.write(sink);
    return {};
  }

 private:
  // The source of a column: a key of the group, or one of its sums.
  struct Source {
    const Column* column = nullptr;
    const Field<Row>* key = nullptr;
    const SumField<Sums>* sum = nullptr;
  };

  static std::vector<Source> all_sources() {
    std::vector<Source> sources;
    for (const Field<Row>& field : Kind::kFields) {
      if (field.role == Role::kKey) sources.push_back({&field.column, &field, nullptr});
    }
    for (const SumField<Sums>& sum : Kind::kSums) sources.push_back({&sum.column, nullptr, &sum});
    return sources;
  }

  static ReportInfo info_of(const Traits& traits) {
    const auto table = traits.table.indices();
    ReportInfo info{.name = traits.name,
                    .help = traits.help,
                    .rows = Kind::kNames.many,
                    .has_steps = Kind::kHasSteps,
                    .columns = {},
                    .table = {table.begin(), table.end()},
                    .machine = {},
                    .of_several = {}};
    const std::vector<Source> sources = all_sources();
    for (const std::size_t index : table) {
      if (sources[index].key != nullptr) info.machine.push_back(index);
    }
    for (const Source& source : sources) {
      if (source.sum != nullptr && source.sum->role != Role::kAlias) {
        info.machine.push_back(info.columns.size());
      }
      info.columns.push_back(*source.column);
    }
    return info;
  }

  struct Group {
    std::vector<Cell> keys;  // Texts point into the group's map key.
    Sums sums;
  };

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view key) const {
      return std::hash<std::string_view>{}(key);
    }
  };

  class Rollup {
   public:
    explicit Rollup(std::vector<Source> chosen) : chosen_(std::move(chosen)) {
      for (const Source& source : chosen_) {
        if (source.key != nullptr) keys_.push_back(source.key);
      }
    }

    void add(Row& row) {
      key_.clear();
      for (const Field<Row>* key : keys_) append_key(key->value(row), key_);
      auto group = groups_.find(std::string_view(key_));
      if (group == groups_.end()) {
        group = groups_.emplace(key_, Group{}).first;
        std::size_t offset = 0;
        for (const Field<Row>* key : keys_) {
          group->second.keys.push_back(cell_in_key(key->value(row), group->first, offset));
        }
      }
      group->second.sums.add(row);
      all_.add(row);
    }

    void write(RowSink& sink) const {
      std::vector<const Group*> sorted;
      for (const auto& [key, group] : groups_) sorted.push_back(&group);
      std::sort(sorted.begin(), sorted.end(), [](const Group* a, const Group* b) {
        const auto heavy = a->sums.weight(), other = b->sums.weight();
        return heavy != other ? heavy > other : keys_less(a->keys, b->keys);
      });
      for (const Group* group : sorted) {
        if (!sink.row(cells(group->keys, group->sums))) return;
      }
      if (sorted.empty()) return;
      // The word goes in the first key column; the other keys are empty, not unknown.
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

    std::vector<Source> chosen_;
    std::vector<const Field<Row>*> keys_;
    std::string key_;
    std::unordered_map<std::string, Group, Hash, std::equal_to<>> groups_;
    Sums all_;
  };
};

}  // namespace prof::reports
