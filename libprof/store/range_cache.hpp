// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RangeCache: ranges by id, read in pages of neighbours (a stack's ranges lie close together), kept
// in bounded memory: two generations of pages, the older one is dropped when the younger is full.
// Texts are not copied: a row points to its template and to its page's numbers. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libprof/store/trace_reader.hpp"
#include "libprof/store/trace_tables.hpp"

namespace prof {

class RangeCache {
 public:
  /// Gives the text of a string, valid as long as the cache.
  using Text = std::function<std::string_view(StringId)>;

  RangeCache(TraceTables& tables, Text text) : tables_(tables), text_(std::move(text)) {}
  Status prepare();

  /// Null for an id that the trace lacks. Valid until the next call.
  const RangeRow* find(RangeId id);
  /// The range with the smallest id above `id`, or null. Valid until the next call.
  const RangeRow* after(RangeId id);
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  static constexpr RangeId kPageIds = 64;

  struct Page {
    std::array<RangeRow, kPageIds> rows;  // by the low bits of their ids
    std::uint64_t present = 0;            // a bit a row
    std::string numbers;                  // of all its rows
  };
  using Pages = std::unordered_map<RangeId, std::unique_ptr<Page>>;

  /// The text of a template, looked up once.
  std::string_view text(std::uint32_t id);
  Page& page(RangeId number);
  std::unique_ptr<Page> take_page();
  void drop_old();
  void load(RangeId number, Page& page);
  const RangeRow* first_from(RangeId id);

  TraceTables& tables_;
  Text text_;
  Statement page_rows_, next_id_;
  Pages young_, old_;
  std::vector<std::string_view> texts_;      // by id, of those that are small; empty: not yet known
  std::vector<std::unique_ptr<Page>> free_;  // of dropped generations
  RangeId last_number_ = 0;
  Page* last_ = nullptr;
  Status status_;
};

}  // namespace prof
