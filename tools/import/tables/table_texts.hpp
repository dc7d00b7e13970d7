// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// TableTexts: the texts of a file that keeps them in one table, by id. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "libprof/base/result.hpp"
#include "tools/import/builder/trace_builder.hpp"
#include "tools/import/tables/table_file.hpp"

namespace prof::importers {

class TableTexts {
 public:
  struct Table {
    std::string_view name, id, value;  ///< Literals: of the table, and of its columns.
  };
  /// If the file lacks the table, no text is found.
  static Result<TableTexts> open(TableFile& file, const Table& table);

  /// Null if there is none of that id. Valid until the next call.
  std::optional<std::string_view> text(std::int64_t id);
  /// The text as the builder knows it, for names that repeat. Null: likewise.
  std::optional<StringId> name(std::int64_t id, TraceBuilder& builder);
  /// As name(), for the name of a function: without its version.
  std::optional<StringId> function(std::int64_t id, TraceBuilder& builder);

 private:
  using Ids = std::unordered_map<std::int64_t, StringId>;

  Status index_places(TableFile& file, const Table& table);
  template <typename Make>
  std::optional<StringId> remembered(Ids& ids, std::int64_t id, Make make);

  Statement find_;
  bool has_table_ = false;
  bool by_place_ = false;                                  // the table has no key
  std::unordered_map<std::int64_t, std::int64_t> places_;  // then: row ids by id
  Ids names_, functions_;
};

}  // namespace prof::importers
