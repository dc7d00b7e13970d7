// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RangeCache: ranges by id. Those who ask go through the ids mostly upwards, so one scan of the
// table runs ahead of them and fills pages of neighbours; the last pages are kept, in bounded
// memory. What lies further back, as the step around everything does, is looked up again. Texts are
// not copied: a row points to its template and to its page's numbers. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libprof/store/table_scan.hpp"
#include "libprof/store/trace_reader.hpp"
#include "libprof/store/trace_tables.hpp"

namespace prof {

class RangeCache {
 public:
  /// Gives the text of a string, valid as long as the cache.
  using Text = std::function<std::string_view(StringId)>;

  RangeCache(TraceTables& tables, Text text) : tables_(tables), text_(std::move(text)) {}
  Status prepare();

  /// Null for an id that the trace lacks. Valid until the next call of find() or after().
  const RangeRow* find(RangeId id);
  /// The range with the smallest id above `id`, or null. Valid likewise.
  const RangeRow* after(RangeId id);
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  static constexpr RangeId kPageIds = 64;
  static constexpr RangeId kPages = 1024;
  static constexpr RangeId kNone = UINT64_MAX;

  /// A RangeRow in half its size: the pages that are kept should fit a processor's cache.
  struct Packed {
    RangeId parent, alias_of;
    std::int64_t start_ns, end_ns;
    std::uint32_t thread, domain, template_id;
    std::uint32_t numbers_at, numbers_size;  // in the page's
    RangeRecord::Kind kind;
    bool has_end;
  };

  struct Page {
    RangeId number = kNone;
    std::uint64_t present = 0;          // a bit a row
    std::array<Packed, kPageIds> rows;  // by the low bits of their ids
    std::string numbers;                // of all its rows
  };

  /// The text of a template, looked up once.
  std::string_view text(std::uint32_t id);
  Page& page(RangeId number);
  Page& empty_page(RangeId number);
  const RangeRow* first_from(RangeId id);

  void start_scan();
  void step_scan();
  void fill_next_page();
  void look_up(RangeId number);
  RangeId next_id_from(RangeId id);
  template <typename Rows>
  void take(const Rows& rows, Page& page);
  const RangeRow* unpack(const Page& page, std::size_t at);
  void note(Error error);

  TraceTables& tables_;
  Text text_;
  Statement page_rows_, next_id_;
  std::vector<std::unique_ptr<Page>> pages_;  // by the low bits of their numbers
  Page* last_ = nullptr;
  std::uint64_t numbers_bytes_ = 0;  // of all pages

  TableScan scan_;  // stands on the first row that it has not given to a page
  bool scanning_ = false;
  RangeId last_scanned_ = 0;   // the id of that row
  RangeId next_page_ = kNone;  // the page of that row; kNone: none is left
  RangeId filled_pages_ = 0;   // one more than the last that was filled by the scan

  std::vector<std::string_view> texts_;  // by id, of those that are small; null: not yet known
  RangeRow given_;                       // what find() and after() point to
  Status status_;
};

}  // namespace prof
