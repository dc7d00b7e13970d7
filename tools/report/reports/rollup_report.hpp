// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A report that aggregates the rows of a row kind: one line for each distinct value of the chosen
// key columns, heaviest first, then a total. Other key columns (--by, -c) give other groups; every
// column of the rows can be a key, unless a sum has its name.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libprof/base/counted.hpp"
#include "tools/report/choose/row_chooser.hpp"
#include "tools/report/report.hpp"
#include "tools/report/reports/group_spill.hpp"
#include "tools/report/reports/groups.hpp"
#include "tools/report/rows/field.hpp"
#include "tools/report/rows/nested_rows.hpp"

namespace prof::reports {

/// Rows of the kind may lie inside of others.
template <typename Kind>
concept HasNesting = requires(const typename Kind::Row& row) {
  { Kind::nesting(row) } -> std::same_as<Nesting>;
};

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

  Status run(const RowInput& input, const Request& request, RowSink& sink) const override {
    const std::vector<Source> sources = all_sources();
    std::vector<Source> picked;
    for (const std::size_t index : request.columns) picked.push_back(sources[index]);
    Rollup rollup(std::move(picked), request);
    typename Kind::Cursor cursor(input);
    while (Row* row = cursor.next()) PROF_TRY(rollup.add(*row));
    if (Status status = cursor.status(); !status) return status;
    return rollup.write(input.tally, sink);
  }

 private:
  // The source of a column: a key of the group, or one of its sums.
  struct Source {
    const Column* column = nullptr;
    const Field<Row>* key = nullptr;
    const SumField<Sums>* sum = nullptr;
  };

  static bool is_sum(std::string_view word) {
    return std::ranges::any_of(Kind::kSums,
                               [word](const auto& sum) { return sum.column.word == word; });
  }

  // The usual keys, the sums, then the other columns of the rows as keys.
  static std::vector<Source> all_sources() {
    std::vector<Source> sources;
    for (const Field<Row>& field : Kind::kFields) {
      if (field.role == Role::kKey) sources.push_back({&field.column, &field, nullptr});
    }
    for (const SumField<Sums>& sum : Kind::kSums) sources.push_back({&sum.column, nullptr, &sum});
    for (const Field<Row>& field : Kind::kFields) {
      if (field.role == Role::kKey || is_sum(field.column.word)) continue;
      sources.push_back({&field.column, &field, nullptr});
    }
    return sources;
  }

  static ReportInfo info_of(const Traits& traits) {
    const auto table = traits.table.indices();
    ReportInfo info{.name = traits.name,
                    .help = traits.help,
                    .rows = Kind::kNames.many,
                    .has_steps = Kind::kHasSteps,
                    .has_ranges = HasStack<Row>,
                    .columns = {},
                    .table = {table.begin(), table.end()},
                    .machine = {},
                    .of_several = {}};
    for (const auto& field : Kind::kFields) info.row_words.push_back(field.column.word);
    const std::vector<Source> sources = all_sources();
    for (const std::size_t index : table) {
      if (sources[index].key != nullptr) info.machine.push_back(index);
    }
    for (const Source& source : sources) {
      const std::size_t index = info.columns.size();
      if (source.sum != nullptr && is_for_programs(source.sum->role)) {
        info.machine.push_back(index);
      }
      if (source.key != nullptr) info.keys.push_back(index);
      const bool is_listed =
          source.sum != nullptr || (source.key != nullptr && source.key->role == Role::kKey);
      if (is_listed) info.listed = index + 1;
      info.columns.push_back(*source.column);
    }
    return info;
  }

  class Rollup {
   public:
    Rollup(std::vector<Source> chosen, const Request& request)
        : chosen_(std::move(chosen)),
          view_(request.layers),
          memory_bytes_(request.memory_bytes),
          all_(empty_sums(chosen_)),
          groups_(all_) {
      for (const Source& source : chosen_) {
        if (source.key != nullptr) keys_.push_back(source.key);
      }
      cells_.resize(keys_.size());
      const auto layer =
          std::ranges::find(keys_, "layer", [](const Field<Row>* key) { return key->column.word; });
      layer_at_ = static_cast<std::size_t>(layer - keys_.begin());
      if (layer == keys_.end()) view_ = {};
    }

    Status add(Row& row) {
      for (std::size_t i = 0; i < keys_.size(); ++i) cells_[i] = keys_[i]->value(row);
      if constexpr (HasNesting<Kind>) {
        // Rows that are open refer to their groups, which therefore stay.
        add_nested(row);
        return {};
      } else {
        groups_.find(cells_).add(row);
        all_.add(row);
        // A view needs all layers at once; a model has thousands of them, not millions.
        if (groups_.bytes() > memory_bytes_ && view_.plain()) return spill();
        return {};
      }
    }

    Status write(Tally& tally, RowSink& sink) {
      if (spill_) {
        PROF_TRY(spill());
        PROF_TRY(write_spilled(sink));
        return {};
      }
      if (groups_.size() == 0) return {};
      if (write_groups(tally, sink)) write_total(sink);
      return {};
    }

   private:
    Status spill() {
      if (!spill_) spill_.emplace(memory_bytes_);
      for (const auto& group : groups_.all()) {
        PROF_TRY(spill_->add(*group.key, group.keys.cells(), group.sums));
      }
      groups_.clear();
      return {};
    }

    Status write_spilled(RowSink& sink) {
      bool wants_more = true;
      PROF_TRY(spill_->visit([&](std::span<const Cell> keys, const Sums& sums) {
        return wants_more = sink.row(cells(keys, sums));
      }));
      if (wants_more) write_total(sink);
      return {};
    }

    /// False: the sink wants no more.
    bool write_groups(Tally& tally, RowSink& sink) {
      if (view_.fold_numbers) {
        const std::size_t before = groups_.size();
        groups_.fold_numbers(layer_at_);
        tally.folded_lines = before - groups_.size();
      }
      const bool is_tree = view_.depth.has_value();
      for (const auto* group : is_tree ? groups_.tree(layer_at_, *view_.depth) : groups_.sorted()) {
        std::vector<Cell> keys(group->keys.cells().begin(), group->keys.cells().end());
        std::string name;
        if (is_tree && group->level > 0) {
          keys[layer_at_] = text(name = indented(keys[layer_at_], group->level));
        }
        if (!sink.row(cells(keys, group->sums))) return false;
      }
      if (inner_rows_ > 0) {
        tally.remarks.push_back(fmt::format(
            "{} inside others: part of these in the total, and in each line that has both",
            counted(inner_rows_, Kind::kNames.one, Kind::kNames.many)));
      }
      return true;
    }

    void write_total(RowSink& sink) {
      // The word goes in the first key column; the other keys are empty, not unknown.
      std::vector<Cell> keys(keys_.size(), Cell{std::in_place_type<std::string_view>, ""});
      if (!keys.empty()) keys[0] = text("total");
      sink.total(cells(keys, all_));
    }

    void add_nested(Row& row) {
      if (&row.trace() != trace_) nested_.clear();
      trace_ = &row.trace();
      const std::size_t group = groups_.place_of(cells_);
      const NestedRows::Place place = nested_.enter(Kind::nesting(row), group);
      if (!place.in_its_own_group) groups_.at(group).add(row);
      if (place.in_another) {
        ++inner_rows_;
      } else {
        all_.add(row);
      }
    }

    static Sums empty_sums(const std::vector<Source>& chosen) {
      Sums sums;
      const bool of_each = std::ranges::any_of(chosen, [](const Source& source) {
        return source.sum != nullptr && source.sum->of_each;
      });
      if (of_each) sums.durations.keep_values();
      return sums;
    }

    // The last level of a path, below the one above it.
    static std::string indented(const Cell& layer, std::size_t level) {
      const std::string_view path = std::get<std::string_view>(layer);
      const std::vector<std::size_t> ends = level_ends(path);
      return std::string(2 * level, ' ').append(path.substr(ends[level - 1] + 1));
    }

    [[nodiscard]] std::vector<Cell> cells(std::span<const Cell> keys, const Sums& sums) const {
      std::vector<Cell> row;
      std::size_t next_key = 0;
      for (const Source& source : chosen_) {
        row.push_back(source.key != nullptr ? keys[next_key++] : source.sum->value(sums, all_));
      }
      return row;
    }

    std::vector<Source> chosen_;
    std::vector<const Field<Row>*> keys_;
    std::vector<Cell> cells_;  // of the keys of a row
    LayerView view_;           // of key layer_at_; without that, plain
    std::size_t layer_at_ = 0;
    std::size_t memory_bytes_;
    Sums all_;
    Groups<Sums> groups_;
    std::optional<GroupSpill<Sums>> spill_;  // once there were too many
    NestedRows nested_;                      // of the current trace
    const TraceIdentity* trace_ = nullptr;   // likewise
    std::uint64_t inner_rows_ = 0;
  };
};

}  // namespace prof::reports
