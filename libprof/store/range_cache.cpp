// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/range_cache.hpp"

#include <bit>
#include <limits>
#include <utility>

namespace prof {
namespace {

constexpr std::size_t kMaxPages = 512;  // of one generation
constexpr std::uint32_t kMaxTexts = 1U << 20;
constexpr auto kLargestId = static_cast<RangeId>(std::numeric_limits<std::int64_t>::max());

RangeRecord::Kind range_kind(std::int64_t value) {
  const bool known = value >= 0 && value <= static_cast<std::int64_t>(RangeRecord::Kind::kAlias);
  return known ? static_cast<RangeRecord::Kind>(value) : RangeRecord::Kind::kPushPop;
}

std::int64_t sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace

Status RangeCache::prepare() {
  Result<Statement> prepared = tables_.db.prepare(
      "SELECT id,parent_id,alias_of_id,kind,thread_id,domain_id,text_id,numbers,start_ns,"
      "duration_ns FROM range WHERE id BETWEEN ? AND ?");
  if (!prepared) return prepared.error();
  page_rows_ = std::move(*prepared);
  prepared = tables_.db.prepare("SELECT id FROM range WHERE id>=? ORDER BY id LIMIT 1");
  if (!prepared) return prepared.error();
  next_id_ = std::move(*prepared);
  return {};
}

const RangeRow* RangeCache::find(RangeId id) {
  if (id == 0) return nullptr;
  const Page& found = page(id / kPageIds);
  const RangeId at = id % kPageIds;
  return (found.present >> at & 1) != 0 ? &found.rows[at] : nullptr;
}

const RangeRow* RangeCache::after(RangeId id) {
  if (id >= kLargestId) return nullptr;
  // Usually it is in the same page or the next; else SQLite says where it is.
  if (const RangeRow* row = first_from(id + 1)) return row;
  const RangeId next_page = ((id + 1) / kPageIds + 1) * kPageIds;
  if (next_page > kLargestId) return nullptr;
  if (const RangeRow* row = first_from(next_page)) return row;
  next_id_.bind(1, static_cast<std::int64_t>(next_page));
  const Statement::Step step = next_id_.step();
  const RangeId next = step == Statement::Step::kRow ? next_id_.unsigned_integer(0) : 0;
  if (step != Statement::Step::kRow && step != Statement::Step::kDone && status_) {
    status_ = tables_.db.error("cannot be read");
  }
  next_id_.reset();
  return find(next);
}

/// The first row of the page of `id` from `id` on.
const RangeRow* RangeCache::first_from(RangeId id) {
  const Page& found = page(id / kPageIds);
  const std::uint64_t from = found.present & (~std::uint64_t{0} << (id % kPageIds));
  return from == 0 ? nullptr : &found.rows[static_cast<std::size_t>(std::countr_zero(from))];
}

RangeCache::Page& RangeCache::page(RangeId number) {
  if (last_ != nullptr && last_number_ == number) return *last_;
  auto found = young_.find(number);
  if (found == young_.end()) {
    std::unique_ptr<Page> made;
    if (const auto old = old_.find(number); old != old_.end()) {
      made = std::move(old->second);
      old_.erase(old);
    } else {
      made = take_page();
      load(number, *made);
    }
    if (young_.size() >= kMaxPages) drop_old();
    found = young_.emplace(number, std::move(made)).first;
  }
  last_number_ = number;
  last_ = found->second.get();
  return *last_;
}

std::unique_ptr<RangeCache::Page> RangeCache::take_page() {
  if (free_.empty()) return std::make_unique<Page>();
  std::unique_ptr<Page> page = std::move(free_.back());
  free_.pop_back();
  page->present = 0;
  page->numbers.clear();
  return page;
}

void RangeCache::drop_old() {
  for (auto& [number, page] : old_) free_.push_back(std::move(page));
  old_ = std::exchange(young_, {});
}

std::string_view RangeCache::text(std::uint32_t id) {
  if (id >= kMaxTexts) return text_(StringId{id});
  if (id >= texts_.size()) texts_.resize(std::size_t{id} + 1);
  std::string_view& known = texts_[id];
  if (known.data() == nullptr) known = text_(StringId{id});
  return known;
}

void RangeCache::load(RangeId number, Page& page) {
  std::array<std::pair<std::size_t, std::size_t>, kPageIds> places;  // in page.numbers
  page_rows_.bind(1, static_cast<std::int64_t>(number * kPageIds));
  page_rows_.bind(2, static_cast<std::int64_t>(number * kPageIds + (kPageIds - 1)));
  Statement::Step step;
  while ((step = page_rows_.step()) == Statement::Step::kRow) {
    const RangeId id = page_rows_.unsigned_integer(0);
    const auto at = static_cast<std::size_t>(id % kPageIds);
    RangeRow& row = page.rows[at];
    row.id = id;
    row.parent = page_rows_.unsigned_integer(1);
    row.alias_of = page_rows_.unsigned_integer(2);
    row.kind = range_kind(page_rows_.integer(3));
    row.thread = ThreadId{static_cast<std::uint32_t>(page_rows_.integer(4))};
    row.domain = DomainId{static_cast<std::uint32_t>(page_rows_.integer(5))};
    row.template_id = static_cast<std::uint32_t>(page_rows_.integer(6));
    row.text = text(row.template_id);
    const std::string_view numbers = page_rows_.blob(7);
    places[at] = {page.numbers.size(), numbers.size()};
    page.numbers += numbers;
    row.start_ns = page_rows_.integer(8);
    row.end_ns.reset();
    if (!page_rows_.is_null(9)) row.end_ns = sum(row.start_ns, page_rows_.integer(9));
    page.present |= std::uint64_t{1} << at;
  }
  if (step != Statement::Step::kDone && status_) {
    status_ = tables_.db.error("cannot be read");
  }
  page_rows_.reset();
  for (std::size_t at = 0; at < kPageIds; ++at) {  // page.numbers stays where it is from here on
    if ((page.present >> at & 1) == 0) continue;
    page.rows[at].numbers =
        std::string_view(page.numbers).substr(places[at].first, places[at].second);
  }
}

}  // namespace prof
