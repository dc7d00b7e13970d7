// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// RangeCache: ranges by id. Lookups mostly go upwards through the ids, so one scan of the table
// runs ahead of them and fills pages of neighboring ranges; the most recent pages are kept, in
// bounded memory. Older ranges, such as an enclosing step, are looked up again. A row points to its
// text, and a RangeRef keeps the row's page: it is replaced, never changed, while somebody holds
// it. One thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libprof/store/read/range_decoder.hpp"
#include "libprof/store/read/table_scan.hpp"
#include "libprof/store/read/trace_reader.hpp"
#include "libprof/store/read/trace_tables.hpp"

namespace prof {

class RangeCache {
 public:
  /// Returns the text of a string, valid for the cache's lifetime.
  using Text = std::function<std::string_view(StringId)>;

  RangeCache(TraceTables& tables, Text text)
      : tables_(tables), text_(std::move(text)), decoder_(tables) {}
  Status prepare();

  /// The range with that id; empty for an unknown id.
  RangeRef find(RangeId id);
  /// The range with the smallest id above `id`, or none.
  RangeRef after(RangeId id);
  /// Begins a pass over the trace: the scan starts anew if lookups are behind it.
  void begin_pass() { begins_ = true; }
  void forget() {
    std::ranges::fill(pages_, nullptr);
    numbers_bytes_ = 0;
  }
  [[nodiscard]] const Status& status() const { return status_ ? decoder_.status() : status_; }

 private:
  static constexpr RangeId kPageIds = 64;
  static constexpr RangeId kPages = 1024;
  static constexpr RangeId kNone = UINT64_MAX;

  struct Page {
    RangeId number = kNone;
    std::uint64_t present = 0;            // one bit per row
    std::array<RangeRow, kPageIds> rows;  // by the low bits of the id
    std::string numbers;                  // of all its rows
  };
  using PagePtr = std::shared_ptr<Page>;

  /// The text of a template, looked up once.
  std::string_view text(std::uint32_t id) {
    return id < texts_.size() && texts_[id].data() != nullptr ? texts_[id] : look_up_text(id);
  }
  std::string_view look_up_text(std::uint32_t id);
  const PagePtr& page(RangeId number) {
    const PagePtr& slot = pages_[number % kPages];
    return slot != nullptr && slot->number == number ? slot : load_page(number);
  }
  const PagePtr& load_page(RangeId number);
  /// One bit for each row of the page, from `id` on.
  static std::uint64_t present_from(const Page& page, RangeId id) {
    return page.present & (~std::uint64_t{0} << (id % kPageIds));
  }
  Page& empty_page(RangeId number);
  RangeId first_from(RangeId id);

  void start_scan();
  void step_scan();
  void fill_next_page();
  void look_up(RangeId number);
  RangeId next_id_from(RangeId id);
  template <typename Rows>
  void take(const Rows& rows, Page& page);
  void place_numbers(Page& page);
  void note(Error error);

  TraceTables& tables_;
  Text text_;
  RangeDecoder decoder_;
  StoredRange stored_;  ///< The range being taken.
  Statement page_rows_, next_id_;
  std::vector<PagePtr> pages_;                         // by the low bits of their numbers
  std::array<std::uint32_t, kPageIds> numbers_sizes_;  // of the page being filled
  std::uint64_t numbers_bytes_ = 0;                    // of all pages
  std::uint64_t file_bytes_ = 0;

  TableScan scan_;  // at the first row that is not yet on a page
  bool scanning_ = false;
  bool begins_ = false;        // a pass has begun that has not yet looked anything up
  RangeId last_scanned_ = 0;   // the id of that row
  RangeId next_page_ = kNone;  // the page of that row; kNone: none is left
  RangeId filled_pages_ = 0;   // one past the last page filled by the scan

  std::vector<std::string_view> texts_;  // by id, for small ids; null: not yet looked up
  Status status_;
};

}  // namespace prof
