// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Section numbers are those of https://www.sqlite.org/fileformat.html.
#include "libprof/store/read/page_scan.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace prof {
namespace {

// Types of b-tree pages, 1.6.
enum class PageType : std::uint8_t {
  kIndexInterior = 2,
  kTableInterior = 5,
  kIndexLeaf = 10,
  kTableLeaf = 13
};
constexpr std::size_t kCellCountAt = 3;
constexpr std::size_t kRightChildAt = 8;
constexpr std::size_t kLeafHeaderBytes = 8;
constexpr std::size_t kInteriorHeaderBytes = 12;
constexpr std::size_t kChildBytes = 4;

constexpr std::uint64_t kMaxPayloadBytes = 1U << 28;

/// The largest payload that is wholly in its cell (1.6, "X").
std::uint64_t max_local_bytes(std::uint64_t usable, bool table) {
  return table ? usable - 35 : (usable - 12) * 64 / 255 - 23;
}

/// The part of a larger payload that is in the cell; the rest is on overflow pages (1.6, "P", "U",
/// "X", "M", "K").
std::uint64_t local_bytes(std::uint64_t payload, std::uint64_t usable, std::uint64_t largest) {
  const std::uint64_t least = (usable - 12) * 32 / 255 - 23;
  const std::uint64_t fitting = least + (payload - least) % (usable - 4);
  return fitting <= largest ? fitting : least;
}

}  // namespace

Status PageScan::open(SqliteDb& db, DbPages& pages, std::uint32_t root, bool by_row_id,
                      const Positions& positions) {
  db_ = &db;
  pages_ = &pages;
  by_row_id_ = by_row_id;
  const auto row_id = std::ranges::find(positions, kRowId);
  if (row_id != positions.end()) row_id_column_ = static_cast<int>(row_id - positions.begin());
  record_ = DbRecord(positions);
  // Prepared before the first page is read: the statement's lock keeps the pages unchanged.
  Result<Statement> lock = db.prepare("SELECT 1 FROM sqlite_schema");
  if (!lock) return lock.error();
  lock_ = std::move(*lock);
  if (lock_.step() != Statement::Step::kRow) return db.error("cannot be read");
  levels_.resize(kMaxDepth);
  pages_left_ = std::uint64_t{pages_->count()} + 1;
  usable_bytes_ = pages_->usable_bytes();
  max_local_bytes_ = max_local_bytes(usable_bytes_, by_row_id_);
  max_payload_bytes_ = std::min(kMaxPayloadBytes, pages_left_ * usable_bytes_);
  descend(root);
  return status_;
}

bool PageScan::damaged() {
  depth_ = 0;
  if (status_) {
    status_ = Error{"cannot be read: database disk image is malformed", db_->path(),
                    "the file is damaged or truncated; capture again"};
  }
  return false;
}

/// Starts at a page's first cell or child.
bool PageScan::descend(std::uint32_t number) {
  // No page occurs twice in a tree, which bounds their number.
  if (depth_ == kMaxDepth || pages_left_ == 0) return damaged();
  --pages_left_;
  Level& level = levels_[depth_];
  level.page = pages_->read(number);
  if (level.page == nullptr) return damaged();
  const std::uint8_t* const page = level.page.get();
  const auto type = static_cast<PageType>(page[0]);
  level.leaf = type == (by_row_id_ ? PageType::kTableLeaf : PageType::kIndexLeaf);
  const bool interior = type == (by_row_id_ ? PageType::kTableInterior : PageType::kIndexInterior);
  if (!level.leaf && !interior) return damaged();
  level.cells = big_endian_16(page + kCellCountAt);
  level.at = 0;
  const std::size_t header = level.leaf ? kLeafHeaderBytes : kInteriorHeaderBytes;
  if (header + 2 * std::size_t{level.cells} > pages_->usable_bytes()) return damaged();
  ++depth_;
  return true;
}

bool PageScan::next() {
  if (depth_ == 0) return false;
  Level& level = levels_[depth_ - 1];
  if (level.leaf && level.at < level.cells) return take_row(level, level.at++);
  return next_below();
}

/// Advances to the next row, which is not on the innermost page.
bool PageScan::next_below() {
  while (depth_ > 0) {
    Level& level = levels_[depth_ - 1];
    if (level.leaf) {
      if (level.at < level.cells) return take_row(level, level.at++);
      --depth_;
      continue;
    }
    // Order of the page: child, cell, child, ..., cell, child.
    const std::uint8_t* const page = level.page.get();
    const std::uint32_t turn = level.at++;
    const std::uint32_t cell = turn / 2;
    if (turn > 2 * level.cells) {
      --depth_;
    } else if (turn % 2 == 1) {
      if (!by_row_id_) return take_row(level, cell);
    } else {
      std::size_t at = kRightChildAt;
      if (cell < level.cells) {
        at = big_endian_16(page + kInteriorHeaderBytes + 2 * std::size_t{cell});
        if (at + kChildBytes > usable_bytes_) return damaged();
      }
      if (!descend(big_endian_32(page + at))) return false;
    }
  }
  return false;
}

bool PageScan::take_row(const Level& level, std::uint32_t cell) {
  const std::size_t header = level.leaf ? kLeafHeaderBytes : kInteriorHeaderBytes;
  const std::uint8_t* const page = level.page.get();
  std::size_t begin = big_endian_16(page + header + 2 * std::size_t{cell});
  if (!level.leaf) begin += kChildBytes;
  if (begin >= usable_bytes_) return damaged();
  std::uint64_t bytes = 0;
  const std::uint8_t* at = take_db_varint(page + begin, bytes);
  if (by_row_id_) {
    std::uint64_t row_id = 0;
    at = take_db_varint(at, row_id);
    row_id_ = static_cast<std::int64_t>(row_id);
  }
  const auto offset = static_cast<std::size_t>(at - page);
  if (bytes > max_local_bytes_) return take_chain(level, offset, bytes);
  if (offset + bytes > usable_bytes_) return damaged();
  return record_.parse({at, bytes}) || damaged();
}

/// Reads a payload that ends on a chain of pages, each with the number of the next (1.7).
bool PageScan::take_chain(const Level& level, std::size_t at, std::uint64_t bytes) {
  const std::uint8_t* const begin = level.page.get() + at;
  if (bytes > max_payload_bytes_) return damaged();
  const std::uint64_t local = local_bytes(bytes, usable_bytes_, max_local_bytes_);
  if (at + local + kChildBytes > usable_bytes_) return damaged();
  long_payload_.assign(begin, begin + local);
  std::uint32_t next = big_endian_32(begin + local);
  while (long_payload_.size() < bytes) {
    // No page belongs to two rows either: chains that share pages would be read repeatedly.
    if (pages_left_ == 0) return damaged();
    const DbPages::Page page = pages_->read(next);
    if (page == nullptr) return damaged();
    --pages_left_;
    const std::size_t part = std::min<std::size_t>(bytes - long_payload_.size(), usable_bytes_ - 4);
    const std::uint8_t* const from = page.get() + 4;
    long_payload_.insert(long_payload_.end(), from, from + part);
    next = big_endian_32(page.get());
  }
  long_payload_.resize(bytes + kDecodePadding);
  return record_.parse({long_payload_.data(), bytes}) || damaged();
}

}  // namespace prof
