// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/read/range_cache.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "libprof/store/schema/wrapping_times.hpp"

namespace prof {
namespace {

constexpr std::uint32_t kMaxTexts = 1U << 20;
constexpr auto kLargestId = static_cast<RangeId>(std::numeric_limits<std::int64_t>::max());
/// The most pages to scan on the way to a requested one instead of looking it up directly.
constexpr RangeId kMaxWay = 256;

}  // namespace

Status RangeCache::prepare() {
  PROF_TRY(decoder_.prepare());
  Result<Statement> prepared = tables_.db.prepare(
      select_from(RangeDecoder::kTable, RangeDecoder::kColumns) + " WHERE id BETWEEN ? AND ?");
  if (!prepared) return prepared.error();
  page_rows_ = std::move(*prepared);
  prepared = tables_.db.prepare("SELECT id FROM " + std::string(RangeDecoder::kTable) +
                                " WHERE id>=? ORDER BY id LIMIT 1");
  if (!prepared) return prepared.error();
  next_id_ = std::move(*prepared);
  pages_.resize(kPages);
  file_bytes_ = tables_.db.file_bytes();
  return {};
}

RangeRef RangeCache::find(RangeId id) {
  if (id == 0 || id > kLargestId) return {};
  const PagePtr& found = page(id / kPageIds);
  const RangeId at = id % kPageIds;
  if ((found->present >> at & 1) == 0) return {};
  return {found, &found->rows[at]};
}

RangeRef RangeCache::after(RangeId id) {
  if (id >= kLargestId) return {};
  if (id == 0) begin_pass();  // A caller that asks for the first range asks for the others, too.
  const PagePtr& here = page((id + 1) / kPageIds);
  if (const std::uint64_t from = present_from(*here, id + 1); from != 0) {
    return {here, &here->rows[static_cast<std::size_t>(std::countr_zero(from))]};
  }
  const RangeId number = here->number + 1;
  if (number > kLargestId / kPageIds) return {};
  // No page lies between the last that the scan filled and the next one.
  if (number >= filled_pages_ && number <= next_page_) {
    return next_page_ == kNone ? RangeRef{} : find(first_from(next_page_ * kPageIds));
  }
  const RangeId found = first_from(number * kPageIds);
  return find(found != 0 ? found : next_id_from(number * kPageIds));
}

RangeId RangeCache::first_from(RangeId id) {
  const Page& found = *page(id / kPageIds);
  const std::uint64_t from = present_from(found, id);
  return from == 0 ? 0 : found.number * kPageIds + static_cast<RangeId>(std::countr_zero(from));
}

const RangeCache::PagePtr& RangeCache::load_page(RangeId number) {
  const PagePtr& slot = pages_[number % kPages];
  if (!scanning_ || (begins_ && number < next_page_)) start_scan();
  begins_ = false;
  if (number >= next_page_ && number - next_page_ <= kMaxWay) {
    while (next_page_ <= number) fill_next_page();
    if (slot == nullptr || slot->number != number) empty_page(number);  // the scan found no rows
  } else {
    look_up(number);
  }
  return slot;
}

RangeCache::Page& RangeCache::empty_page(RangeId number) {
  PagePtr& slot = pages_[number % kPages];
  if (slot != nullptr) numbers_bytes_ -= slot->numbers.size();
  if (slot == nullptr || slot.use_count() > 1) slot = std::make_shared<Page>();
  slot->number = number;
  slot->present = 0;
  slot->numbers.clear();
  return *slot;
}

void RangeCache::start_scan() {
  scanning_ = true;
  last_scanned_ = filled_pages_ = 0;
  next_page_ = kNone;
  scan_ = {};
  const Status status =
      scan_.open(tables_.db, tables_.pages_or_null(), RangeDecoder::kTable, RangeDecoder::kColumns);
  if (!status) return note(status.error());
  step_scan();
}

void RangeCache::step_scan() {
  while (scan_.next()) {
    std::int64_t id = 0;
    scan_.row([&id](const auto& row) { id = row.integer(0); });
    if (id <= 0) continue;  // not an id that libprof writes
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
    scan_.row([&](const auto& row) { take(row, page); });
    step_scan();
  }
  place_numbers(page);
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
  place_numbers(page);
}

/// The next id from `id` on; 0: there is none.
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
  decoder_.take(rows, stored_);
  const RangeId id = stored_.id;
  const auto at = static_cast<std::size_t>(id % kPageIds);
  std::string_view numbers = stored_.numbers;
  // Rows do not share bytes of the file; only a damaged file yields more than its size.
  if (numbers.size() > file_bytes_ - std::min(numbers_bytes_, file_bytes_)) {
    note({"is damaged: ranges share their numbers", tables_.db.path(), "capture again"});
    numbers = {};
  }
  numbers_bytes_ += numbers.size();
  numbers_sizes_[at] = static_cast<std::uint32_t>(numbers.size());
  page.numbers += numbers;
  const RangeForm& form = *stored_.form;
  const std::int64_t start_ns = stored_.start_ns.value_or(0);
  // Made anew in its place, each member once. Asking an optional of the last row there whether it
  // holds a value would be a cache miss, copying a row just made would wait for its parts, and
  // std::construct_at() would write zeros first.
  ::new (static_cast<void*>(&page.rows[at])) RangeRow{
      .id = id,
      .parent = stored_.parent,
      .alias_of = stored_.alias_of,
      .start_ns = start_ns,
      .end_ns = stored_.duration_ns ? std::optional(wrapping_sum(start_ns, *stored_.duration_ns))
                                    : std::nullopt,
      .kind = form.kind,
      .thread = form.thread,
      .domain = form.domain,
      .template_id = form.text.value,
      .text = text(form.text.value),
      .numbers = {},
      .op = {.signature = form.signature,
             .sequence = stored_.sequence ? std::optional(*stored_.sequence) : std::nullopt,
             .forward_thread = form.forward_thread}};
  page.present |= std::uint64_t{1} << at;
}

/// Rows are in the order of their ids, and so are their numbers, which no longer move.
void RangeCache::place_numbers(Page& page) {
  std::string_view rest = page.numbers;
  for (std::uint64_t rows = page.present; rows != 0; rows &= rows - 1) {
    const auto at = static_cast<std::size_t>(std::countr_zero(rows));
    page.rows[at].numbers = rest.substr(0, numbers_sizes_[at]);
    rest.remove_prefix(numbers_sizes_[at]);
  }
}

std::string_view RangeCache::look_up_text(std::uint32_t id) {
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
