// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/range_cache.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace prof {
namespace {

constexpr std::uint32_t kMaxTexts = 1U << 20;
constexpr auto kLargestId = static_cast<RangeId>(std::numeric_limits<std::int64_t>::max());
/// Pages that are read on the way to one that is asked for, rather than to look it up alone.
constexpr RangeId kMaxWay = 256;

constexpr std::string_view kColumns[] = {"id",        "parent_id",  "alias_of_id", "kind",
                                         "thread_id", "domain_id",  "text_id",     "numbers",
                                         "start_ns",  "duration_ns"};

RangeRecord::Kind range_kind(std::int64_t value) {
  const bool known = value >= 0 && value <= static_cast<std::int64_t>(RangeRecord::Kind::kAlias);
  return known ? static_cast<RangeRecord::Kind>(value) : RangeRecord::Kind::kPushPop;
}

std::int64_t sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace

Status RangeCache::prepare() {
  Result<Statement> prepared =
      tables_.db.prepare(select_from("range", kColumns) + " WHERE id BETWEEN ? AND ?");
  if (!prepared) return prepared.error();
  page_rows_ = std::move(*prepared);
  prepared = tables_.db.prepare("SELECT id FROM range WHERE id>=? ORDER BY id LIMIT 1");
  if (!prepared) return prepared.error();
  next_id_ = std::move(*prepared);
  pages_.resize(kPages);
  return {};
}

const RangeRow* RangeCache::find(RangeId id) {
  if (id == 0 || id > kLargestId) return nullptr;
  const Page& found = page(id / kPageIds);
  const RangeId at = id % kPageIds;
  return (found.present >> at & 1) != 0 ? unpack(found, at) : nullptr;
}

const RangeRow* RangeCache::after(RangeId id) {
  if (id >= kLargestId) return nullptr;
  if (const RangeRow* row = first_from(id + 1)) return row;
  const RangeId number = (id + 1) / kPageIds + 1;
  if (number > kLargestId / kPageIds) return nullptr;
  // Between the pages that the scan has filled and the next that it will, there is nothing.
  if (number >= filled_pages_ && number <= next_page_) {
    return next_page_ != kNone ? first_from(next_page_ * kPageIds) : nullptr;
  }
  if (const RangeRow* row = first_from(number * kPageIds)) return row;
  return find(next_id_from(number * kPageIds));
}

/// The first row of the page of `id` from `id` on.
const RangeRow* RangeCache::first_from(RangeId id) {
  const Page& found = page(id / kPageIds);
  const std::uint64_t from = found.present & (~std::uint64_t{0} << (id % kPageIds));
  return from == 0 ? nullptr : unpack(found, static_cast<std::size_t>(std::countr_zero(from)));
}

RangeCache::Page& RangeCache::page(RangeId number) {
  if (last_ != nullptr && last_->number == number) return *last_;
  std::unique_ptr<Page>& slot = pages_[number % kPages];
  if (slot == nullptr || slot->number != number) {
    if (!scanning_) start_scan();
    if (number >= next_page_ && number - next_page_ <= kMaxWay) {
      while (next_page_ <= number) fill_next_page();
      if (slot == nullptr || slot->number != number) empty_page(number);  // the scan found nothing
    } else {
      look_up(number);
    }
  }
  last_ = slot.get();
  return *last_;
}

RangeCache::Page& RangeCache::empty_page(RangeId number) {
  std::unique_ptr<Page>& slot = pages_[number % kPages];
  if (slot == nullptr) slot = std::make_unique<Page>();
  slot->number = number;
  slot->present = 0;
  numbers_bytes_ -= slot->numbers.size();
  slot->numbers.clear();
  return *slot;
}

void RangeCache::start_scan() {
  scanning_ = true;
  const Status status = scan_.open(tables_.db, tables_.pages_or_null(), "range", kColumns);
  if (!status) return note(status.error());
  step_scan();
}

void RangeCache::step_scan() {
  while (scan_.next()) {
    const std::int64_t id = scan_.integer(0);
    if (id <= 0) continue;  // no id of ours
    const auto row_id = static_cast<RangeId>(id);
    if (row_id <= last_scanned_) {
      note({"is damaged: ranges are out of order", tables_.db.path(), "capture again"});
      break;
    }
    last_scanned_ = row_id;
    next_page_ = row_id / kPageIds;
    return;
  }
  if (!scan_.status()) note(scan_.status().error());
  next_page_ = kNone;
}

void RangeCache::fill_next_page() {
  const RangeId number = next_page_;
  Page& page = empty_page(number);
  while (next_page_ == number) {
    take(scan_, page);
    step_scan();
  }
  filled_pages_ = number + 1;
}

void RangeCache::look_up(RangeId number) {
  Page& page = empty_page(number);
  page_rows_.bind(1, static_cast<std::int64_t>(number * kPageIds));
  page_rows_.bind(2, static_cast<std::int64_t>(number * kPageIds + (kPageIds - 1)));
  Statement::Step step;
  while ((step = page_rows_.step()) == Statement::Step::kRow) take(page_rows_, page);
  if (step != Statement::Step::kDone) note(tables_.db.error("cannot be read"));
  page_rows_.reset();
}

/// 0: there is none.
RangeId RangeCache::next_id_from(RangeId id) {
  next_id_.bind(1, static_cast<std::int64_t>(id));
  const Statement::Step step = next_id_.step();
  const RangeId next = step == Statement::Step::kRow ? next_id_.unsigned_integer(0) : 0;
  if (step != Statement::Step::kRow && step != Statement::Step::kDone) {
    note(tables_.db.error("cannot be read"));
  }
  next_id_.reset();
  return next;
}

template <typename Rows>
void RangeCache::take(const Rows& rows, Page& page) {
  const RangeId id = rows.unsigned_integer(0);
  const auto at = static_cast<std::size_t>(id % kPageIds);
  Packed& row = page.rows[at];
  row.parent = rows.unsigned_integer(1);
  row.alias_of = rows.unsigned_integer(2);
  row.kind = range_kind(rows.integer(3));
  row.thread = static_cast<std::uint32_t>(rows.integer(4));
  row.domain = static_cast<std::uint32_t>(rows.integer(5));
  row.template_id = static_cast<std::uint32_t>(rows.integer(6));
  std::string_view numbers = rows.blob(7);
  // Rows do not share bytes of the file; only damage makes them take more than it has.
  if (numbers.size() >
      tables_.db.file_bytes() - std::min(numbers_bytes_, tables_.db.file_bytes())) {
    note({"is damaged: ranges share their numbers", tables_.db.path(), "capture again"});
    numbers = {};
  }
  numbers_bytes_ += numbers.size();
  row.numbers_at = static_cast<std::uint32_t>(page.numbers.size());
  row.numbers_size = static_cast<std::uint32_t>(numbers.size());
  page.numbers += numbers;
  row.start_ns = rows.integer(8);
  row.has_end = !rows.is_null(9);
  row.end_ns = sum(row.start_ns, rows.integer(9));
  page.present |= std::uint64_t{1} << at;
}

const RangeRow* RangeCache::unpack(const Page& page, std::size_t at) {
  const Packed& row = page.rows[at];
  given_.id = page.number * kPageIds + at;
  given_.parent = row.parent;
  given_.alias_of = row.alias_of;
  given_.kind = row.kind;
  given_.thread = ThreadId{row.thread};
  given_.domain = DomainId{row.domain};
  given_.template_id = row.template_id;
  given_.text = text(row.template_id);
  given_.numbers = std::string_view(page.numbers).substr(row.numbers_at, row.numbers_size);
  given_.start_ns = row.start_ns;
  given_.end_ns = row.has_end ? std::optional(row.end_ns) : std::nullopt;
  return &given_;
}

std::string_view RangeCache::text(std::uint32_t id) {
  if (id >= kMaxTexts) return text_(StringId{id});
  if (id >= texts_.size()) texts_.resize(std::size_t{id} + 1);
  std::string_view& known = texts_[id];
  if (known.data() == nullptr) known = text_(StringId{id});
  return known;
}

void RangeCache::note(Error error) {
  if (status_) status_ = std::move(error);
}

}  // namespace prof
