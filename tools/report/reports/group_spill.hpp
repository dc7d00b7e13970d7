// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// GroupSpill: groups that are too many for memory. Partial sums go to temporary files, where they
// are sorted by key and merged, then sorted by weight.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libprof/base/result.hpp"
#include "tools/common/record_sort.hpp"
#include "tools/report/choose/cell_bytes.hpp"
#include "tools/report/choose/ordered_bits.hpp"
#include "tools/report/choose/plain_bytes.hpp"
#include "tools/report/reports/group_key.hpp"

namespace prof::reports {

template <typename Sums>
class GroupSpill {
 public:
  explicit GroupSpill(std::size_t memory_bytes)
      : by_key_(memory_bytes / 2), by_weight_(memory_bytes / 2) {}

  /// Sums of some rows of the group with these cells, whose key is `key`.
  Status add(std::string_view key, std::span<const Cell> cells, const Sums& sums) {
    record_.clear();
    append_plain(key.size(), record_);
    record_ += key;
    append_sums(sums);
    for (const Cell& cell : cells) append_cell(cell, record_);
    return by_key_.add(first_bits(key), record_);
  }

  /// After the last add(), once: calls `visit(cells, sums)` for each group, heaviest first, then by
  /// key, until it returns false.
  template <typename Visit>
  Status visit(const Visit& visit) {
    PROF_TRY(merge());
    CellReader reader;
    std::vector<Cell> cells;
    while (const tools::SortedRecord* const record = by_weight_.next()) {
      std::string_view bytes = record->bytes;
      const Sums sums = take_sums(bytes);
      reader.clear();
      cells.clear();
      while (!bytes.empty()) cells.push_back(reader.take(bytes));
      if (!visit(cells, sums)) break;
    }
    return by_weight_.status();
  }

 private:
  static std::string_view take_key(std::string_view& bytes) {
    const auto size = take_plain<std::size_t>(bytes);
    const std::string_view key = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return key;
  }

  struct ByKey {
    bool operator()(std::string_view a, std::string_view b) const {
      return take_key(a) < take_key(b);
    }
  };

  void append_sums(const Sums& sums) {
    Sums::each_part(sums, [this](const auto& part) {
      if constexpr (requires { part.append(record_); }) {
        part.append(record_);
      } else {
        append_plain(part, record_);
      }
    });
    sums.durations.append(record_);
  }

  static Sums take_sums(std::string_view& bytes) {
    Sums sums;
    Sums::each_part(sums, [&bytes]<typename Part>(Part& part) {
      if constexpr (requires { part.take(bytes); }) {
        part.take(bytes);
      } else {
        part = take_plain<Part>(bytes);
      }
    });
    sums.durations.take(bytes);
    return sums;
  }

  Status merge() {
    std::string key, cells;
    Sums sums;
    bool has_group = false;
    while (const tools::SortedRecord* const record = by_key_.next()) {
      std::string_view bytes = record->bytes;
      const std::string_view next_key = take_key(bytes);
      Sums part = take_sums(bytes);
      if (has_group && next_key == key) {
        sums.merge(part);
        continue;
      }
      if (has_group) PROF_TRY(add_whole(sums, cells));
      has_group = true;
      key = next_key;
      cells = bytes;
      sums = std::move(part);
    }
    PROF_TRY(by_key_.status());
    return has_group ? add_whole(sums, cells) : Status();
  }

  Status add_whole(const Sums& sums, std::string_view cells) {
    record_.clear();
    append_sums(sums);
    record_ += cells;
    return by_weight_.add(~ordered_bits(sums.weight()), record_);
  }

  tools::RecordSort<ByKey> by_key_;
  tools::RecordSort<tools::NeverBefore> by_weight_;
  std::string record_;
};

}  // namespace prof::reports
