// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/builtin/group_spill.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "libprof/base/ordered_bits.hpp"
#include "tools/report/table/cell_bytes.hpp"
#include "tools/report/table/plain_bytes.hpp"

namespace prof::reports {
namespace {

std::string_view take_key(std::string_view& bytes) {
  const auto size = take_plain<std::size_t>(bytes);
  const std::string_view key = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return key;
}

}  // namespace

bool GroupSpill::ByKey::operator()(std::string_view a, std::string_view b) const {
  return take_key(a) < take_key(b);
}

bool GroupSpill::ByWeight::operator()(std::string_view a, std::string_view b) const {
  return take_plain<std::uint64_t>(a) > take_plain<std::uint64_t>(b);
}

Status GroupSpill::add(std::string_view key, std::span<const Cell> cells, const Sums& sums) {
  record_.clear();
  append_plain(key.size(), record_);
  record_ += key;
  sums.append(record_);
  for (const Cell& cell : cells) append_cell(cell, record_);
  return by_key_.add(first_bits(key), record_);
}

Status GroupSpill::visit(const Visit& visit) {
  PROF_TRY(merge());
  const std::unique_ptr<Sums> sums = kind_.empty();
  CellReader reader;
  std::vector<Cell> cells;
  while (const SortedRecord* const record = by_weight_.next()) {
    std::string_view bytes = record->bytes;
    take_plain<std::uint64_t>(bytes);
    sums->take(bytes);
    reader.clear();
    cells.clear();
    while (!bytes.empty()) cells.push_back(reader.take(bytes));
    if (!visit(cells, *sums)) break;
  }
  return by_weight_.status();
}

Status GroupSpill::merge() {
  std::string key, cells;
  std::unique_ptr<Sums> sums = kind_.empty(), part = kind_.empty();
  bool has_group = false;
  while (const SortedRecord* const record = by_key_.next()) {
    std::string_view bytes = record->bytes;
    const std::string_view next_key = take_key(bytes);
    part->take(bytes);
    if (has_group && next_key == key) {
      sums->merge(*part);
      continue;
    }
    if (has_group) PROF_TRY(add_whole(*sums, cells));
    has_group = true;
    key = next_key;
    cells = bytes;
    std::swap(sums, part);
  }
  PROF_TRY(by_key_.status());
  return has_group ? add_whole(*sums, cells) : Status();
}

Status GroupSpill::add_whole(const Sums& sums, std::string_view cells) {
  const auto [first, second] = sums.weight();
  record_.clear();
  append_plain(second, record_);
  sums.append(record_);
  record_ += cells;
  return by_weight_.add(~first, record_);
}

}  // namespace prof::reports
