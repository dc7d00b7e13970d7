// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/builtin/rollup.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "libprof/base/count_text.hpp"

namespace prof::reports {
namespace {

std::unique_ptr<Sums> empty_sums(const SumKind& kind, std::span<const RollupColumn> chosen) {
  std::unique_ptr<Sums> sums = kind.empty();
  const bool of_each = std::ranges::any_of(chosen, [](const RollupColumn& column) {
    return column.sum != nullptr && column.sum->of_each;
  });
  if (of_each) sums->durations.keep_values();
  return sums;
}

std::vector<const Field*> keys_of(const SumKind& kind, std::span<const RollupColumn> chosen) {
  std::vector<const Field*> keys;
  for (const RollupColumn& column : chosen) {
    if (column.key != nullptr) keys.push_back(column.key);
  }
  if (kind.keys.empty()) return keys;
  std::vector<const Field*> all;
  for (const Field& key : kind.keys) {
    const bool is_chosen = std::ranges::find(keys, &key) != keys.end();
    if (is_chosen || key.role != Role::kOnRequest) all.push_back(&key);
  }
  return all;
}

// The last level of a path, below the one above it.
std::string indented(const Cell& layer, std::size_t level) {
  const std::string_view path = std::get<std::string_view>(layer);
  const std::vector<std::size_t> ends = level_ends(path);
  return std::string(2 * level, ' ').append(path.substr(ends[level - 1] + 1));
}

}  // namespace

Rollup::Rollup(const RowKind& kind, const SumKind& sums, std::vector<RollupColumn> chosen,
               const Request& request)
    : kind_(kind),
      sums_(sums),
      chosen_(std::move(chosen)),
      keys_(keys_of(sums, chosen_)),
      view_(request.layers),
      memory_bytes_(request.memory_bytes),
      all_(empty_sums(sums, chosen_)),
      groups_(all_->copy()) {
  cells_.resize(keys_.size());
  const auto layer =
      std::ranges::find(keys_, "layer", [](const Field* key) { return key->column.word; });
  layer_at_ = static_cast<std::size_t>(layer - keys_.begin());
  if (layer == keys_.end()) view_ = {};
}

bool Rollup::add(Row& row) {
  if (sums_.is_in_group != nullptr && !sums_.is_in_group(row)) {
    all_->add_to_all(row);
    return true;
  }
  for (std::size_t i = 0; i < keys_.size(); ++i) cells_[i] = keys_[i]->value(row);
  if (kind_.nesting != nullptr) {
    // Rows that are open refer to their groups, which therefore stay.
    add_nested(row);
    return true;
  }
  groups_.find(cells_).add(row);
  all_->add_to_all(row);
  // A view needs all layers at once; a model has thousands of them, not millions.
  if (groups_.bytes() > memory_bytes_ && view_.plain()) status_ = spill();
  return status_.ok();
}

void Rollup::add_nested(Row& row) {
  if (&row.trace() != trace_) nested_.clear();
  trace_ = &row.trace();
  const std::size_t group = groups_.place_of(cells_);
  const NestedRows::Around around = nested_.enter(kind_.nesting(row), group);
  if (!around.in_its_own_group) groups_.at(group).add(row);
  if (around.in_another) {
    ++inner_rows_;
  } else {
    all_->add(row);
  }
}

Status Rollup::write(Tally& tally, RowSink& sink) {
  PROF_TRY(status_);
  if (spill_) {
    PROF_TRY(spill());
    return write_spilled(sink);
  }
  if (groups_.size() == 0) return {};
  if (write_groups(tally, sink)) write_total(sink);
  return {};
}

Status Rollup::spill() {
  if (!spill_) spill_.emplace(memory_bytes_, sums_);
  for (const RollupGroups::Group& group : groups_.all()) {
    PROF_TRY(spill_->add(*group.key, group.keys.cells(), *group.sums));
  }
  groups_.clear();
  return {};
}

Status Rollup::write_spilled(RowSink& sink) {
  bool wants_more = true;
  PROF_TRY(spill_->visit([&](std::span<const Cell> keys, const Sums& sums) {
    return wants_more = sink.row(cells(keys, sums));
  }));
  if (wants_more) write_total(sink);
  return {};
}

bool Rollup::write_groups(Tally& tally, RowSink& sink) {
  if (view_.fold_numbers) {
    const std::size_t before = groups_.size();
    groups_.fold_numbers(layer_at_);
    tally.folded_lines = before - groups_.size();
  }
  const bool is_tree = view_.depth.has_value();
  for (const RollupGroups::Group* group :
       is_tree ? groups_.tree(layer_at_, *view_.depth) : groups_.sorted()) {
    std::vector<Cell> keys(group->keys.cells().begin(), group->keys.cells().end());
    std::string name;
    if (is_tree && group->level > 0) {
      keys[layer_at_] = text(name = indented(keys[layer_at_], group->level));
    }
    if (!sink.row(cells(keys, *group->sums))) return false;
  }
  if (inner_rows_ > 0) {
    tally.remarks.push_back(
        count_text(inner_rows_, kind_.names.one, kind_.names.many) +
        " inside others: part of these in the total, and in each line that has both");
  }
  return true;
}

void Rollup::write_total(RowSink& sink) {
  if (!sums_.keys.empty()) return;
  // The word goes in the first key column; the other keys are empty, not unknown.
  std::vector<Cell> keys(keys_.size(), Cell{std::in_place_type<std::string_view>, ""});
  if (!keys.empty()) keys[0] = text("total");
  sink.total(cells(keys, *all_));
}

std::vector<Cell> Rollup::cells(std::span<const Cell> keys, const Sums& sums) const {
  std::vector<Cell> row;
  for (const RollupColumn& column : chosen_) {
    const auto key = std::ranges::find(keys_, column.key) - keys_.begin();
    row.push_back(column.key != nullptr ? keys[static_cast<std::size_t>(key)]
                                        : column.sum->value(sums, *all_));
  }
  return row;
}

}  // namespace prof::reports
