// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/filter/line_filter.hpp"

#include <algorithm>

namespace prof::reports {
namespace {

/// The place of `column` in `needed`, where it is put if it is not there.
std::size_t place_of(std::size_t column, std::vector<std::size_t>& needed) {
  const auto found = std::ranges::find(needed, column);
  const auto at = static_cast<std::size_t>(found - needed.begin());
  if (found == needed.end()) needed.push_back(column);
  return at;
}

}  // namespace

Result<std::unique_ptr<LineFilter>> LineFilter::make(const LineOptions& options,
                                                     std::span<const Column> columns,
                                                     std::span<const std::size_t> shown,
                                                     RowSink& to) {
  std::unique_ptr<LineFilter> lines(new LineFilter(options, to));
  lines->needed_.assign(shown.begin(), shown.end());
  lines->shown_ = shown.size();
  if (options.sort) lines->sort_cell_ = place_of(*options.sort, lines->needed_);
  if (options.where.empty()) return lines;
  std::vector<std::size_t> named;
  std::vector<Column> named_columns;
  for (const std::string& condition : options.where) {
    for (const std::size_t index : columns_in(condition, columns)) {
      if (std::ranges::find(named, index) != named.end()) continue;
      named.push_back(index);
      named_columns.push_back(columns[index]);
      lines->where_cells_.push_back(place_of(index, lines->needed_));
    }
  }
  auto where = Where::make(options.where, named_columns);
  if (!where) return where.error();
  lines->where_ = std::move(*where);
  lines->asked_.resize(named.size());
  return lines;
}

bool LineFilter::comes_before(const Kept& a, const Kept& b) const {
  const int order =
      compare_in_order(a.line.cells()[sort_cell_], b.line.cells()[sort_cell_], options_.ascending);
  return order != 0 ? order < 0 : a.number < b.number;
}

bool LineFilter::row(std::span<const Cell> cells) {
  ++made_;
  if (where_ != nullptr) {
    for (std::size_t i = 0; i < asked_.size(); ++i) asked_[i] = cells[where_cells_[i]];
    if (!where_->holds(asked_)) return where_->status().ok();
  }
  if (!options_.sort) return options_.top && printed_ >= *options_.top ? true : print(cells);
  if (wants_few()) return keep(cells);
  if (!sorted_) sorted_.emplace(options_.ascending);
  status_ = sorted_->add(cells[sort_cell_], cells.first(shown_));
  return status_.ok();
}

bool LineFilter::keep(std::span<const Cell> cells) {
  const auto before = [this](const Kept& a, const Kept& b) { return comes_before(a, b); };
  kept_.push_back({made_, OwnedCells(cells)});
  std::ranges::push_heap(kept_, before);
  if (kept_.size() > *options_.top) {
    std::ranges::pop_heap(kept_, before);
    kept_.pop_back();
  }
  return true;
}

void LineFilter::total(std::span<const Cell> cells) {
  // Cells of totals live as long as those of rows.
  totals_.emplace_back(cells.first(shown_));
}

bool LineFilter::print(std::span<const Cell> cells) {
  ++printed_;
  return to_.row(cells.first(shown_));
}

Status LineFilter::print_sorted() {
  while (!options_.top || printed_ < *options_.top) {
    const auto cells = sorted_->next();
    if (cells.empty()) return sorted_->status();
    if (!print(cells)) break;
  }
  return {};
}

Status LineFilter::finish() {
  if (where_ != nullptr && !where_->status()) return where_->status();
  if (!status_) return status_;
  std::ranges::sort(kept_, [this](const Kept& a, const Kept& b) { return comes_before(a, b); });
  for (const Kept& kept : kept_) {
    if (!print(kept.line.cells())) return {};
  }
  if (sorted_) PROF_TRY(print_sorted());
  for (const OwnedCells& total : totals_) to_.total(total.cells());
  return {};
}

}  // namespace prof::reports
