// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// SavedRows: turns attributed GPU work into rows of a saved attribution. Whatever repeats is stored
// once, and found again by what it was made from, without making its cells again. What is kept to
// find it is forgotten when it grows large; equal rows may then be stored twice.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzers/model/attribution.hpp"
#include "libprof/store/read/trace_set.hpp"
#include "libprof/store/save/saved_attribution.hpp"
#include "tools/report/rows/field.hpp"
#include "tools/report/rows/gpu_work.hpp"

namespace prof::reports {

class SavedRows {
 public:
  /// Both outlive it.
  SavedRows(SavedAttribution& saved, const TraceMember& trace);

  /// The next piece of work; kernels, copies and sets, all of them in launch order.
  Status add(const AttributedRow& work);

  [[nodiscard]] std::uint64_t copies() const { return copies_; }
  [[nodiscard]] std::uint64_t attributions() const { return tables_[kAttributions].rows; }

 private:
  /// A table of rows that are stored once each.
  struct Table {
    SavedTable table;
    /// The field of each column but the id; null: the column holds no report's cells.
    std::vector<const Field*> fields;
    std::unordered_map<std::string, std::int64_t> ids;  ///< By content.
    std::size_t kept_bytes = 0;
    std::uint64_t rows = 0;
  };
  enum : std::size_t { kTraces, kOps, kNames, kAttributions, kTables };

  /// An object of the analyzers, which is kept alive so that its address means itself.
  struct Seen {
    std::shared_ptr<const void> object;
    std::int64_t id = 0;       ///< Id of the row.
    std::uint64_t number = 0;  ///< Number of the object, never used twice.
  };
  using SeenObjects = std::unordered_map<const void*, Seen>;

  /// All that an attribution's row is made from.
  static constexpr std::size_t kKeyWords = 14 + sizeof(Quantities) / sizeof(std::optional<double>);
  using Key = std::array<std::uint64_t, kKeyWords>;
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };

  Result<std::int64_t> attribution(const AttributedRow& work);
  /// The number of the layer in which a graph was launched; 0: none.
  std::uint64_t launch_layer(const Attribution& attribution);
  Result<Seen> op(const Attribution& attribution);
  Result<std::int64_t> kernel_name(const Attribution& attribution);
  /// `others`: values of the columns without a field, in their order.
  Result<std::int64_t> intern(Table& table, std::span<const SavedValue> others);
  SavedValue value_of(const Cell& cell, std::size_t column);
  Status add_run(const AttributedRow& work, bool is_copy);

  SavedAttribution& saved_;
  WorkRow row_;
  std::array<Table, kTables> tables_;
  SeenObjects ops_, names_;
  std::uint64_t objects_ = 0;
  std::unordered_map<std::string, std::uint64_t> launch_layers_;
  std::unordered_map<Key, std::int64_t, Hash> attributions_;
  std::vector<SavedValue> values_;
  std::vector<std::string> texts_;  // of values_, by column
  std::string content_;

  std::uint64_t number_ = 0;
  std::uint64_t copies_ = 0;
  std::optional<std::int64_t> run_step_;
  bool run_of_copies_ = false;
};

}  // namespace prof::reports
