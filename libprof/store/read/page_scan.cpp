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

// B-tree pages, 1.6.
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

/// How much of a payload is in the cell; the rest is on overflow pages (1.6, "P", "U", "X", "M",
/// "K").
std::uint64_t local_bytes(std::uint64_t payload, std::uint64_t usable, bool table) {
  const std::uint64_t largest = table ? usable - 35 : (usable - 12) * 64 / 255 - 23;
  if (payload <= largest) return payload;
  const std::uint64_t least = (usable - 12) * 32 / 255 - 23;
  const std::uint64_t fitting = least + (payload - least) % (usable - 4);
  return fitting <= largest ? fitting : least;
}

}  // namespace

Status PageScan::open(SqliteDb& db, DbPages& pages, std::uint32_t root, bool by_row_id,
                      Positions positions) {
  db_ = &db;
  pages_ = &pages;
  by_row_id_ = by_row_id;
  positions_ = std::move(positions);
  for (const std::size_t position : positions_) {
    if (position != kRowId) record_columns_ = std::max(record_columns_, position + 1);
  }
  // Before the first page: the statement's lock keeps the pages unchanged.
  Result<Statement> lock = db.prepare("SELECT 1 FROM sqlite_schema");
  if (!lock) return lock.error();
  lock_ = std::move(*lock);
  if (lock_.step() != Statement::Step::kRow) return db.error("cannot be read");
  levels_.resize(kMaxDepth);
  pages_left_ = std::uint64_t{pages_->count()} + 1;
  max_payload_bytes_ = std::min(kMaxPayloadBytes, pages_left_ * pages_->usable_bytes());
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
  level.page.resize(pages_->page_bytes() + kDecodePadding);
  if (!pages_->read(number, level.page.data())) return damaged();
  const auto type = static_cast<PageType>(level.page[0]);
  level.leaf = type == (by_row_id_ ? PageType::kTableLeaf : PageType::kIndexLeaf);
  const bool interior = type == (by_row_id_ ? PageType::kTableInterior : PageType::kIndexInterior);
  if (!level.leaf && !interior) return damaged();
  level.cells = big_endian_16(&level.page[kCellCountAt]);
  level.at = 0;
  const std::size_t header = level.leaf ? kLeafHeaderBytes : kInteriorHeaderBytes;
  if (header + 2 * std::size_t{level.cells} > pages_->usable_bytes()) return damaged();
  ++depth_;
  return true;
}

bool PageScan::next() {
  while (depth_ > 0) {
    Level& level = levels_[depth_ - 1];
    if (level.leaf) {
      if (level.at < level.cells) return take_row(level, level.at++);
      --depth_;
      continue;
    }
    // Child, cell, child, ..., cell, child.
    const std::uint32_t turn = level.at++;
    const std::uint32_t cell = turn / 2;
    if (turn > 2 * level.cells) {
      --depth_;
    } else if (turn % 2 == 1) {
      if (!by_row_id_) return take_row(level, cell);
    } else {
      std::size_t at = kRightChildAt;
      if (cell < level.cells) {
        at = big_endian_16(&level.page[kInteriorHeaderBytes + 2 * std::size_t{cell}]);
        if (at + kChildBytes > pages_->usable_bytes()) return damaged();
      }
      if (!descend(big_endian_32(&level.page[at]))) return false;
    }
  }
  return false;
}

bool PageScan::take_row(const Level& level, std::uint32_t cell) {
  const std::size_t header = level.leaf ? kLeafHeaderBytes : kInteriorHeaderBytes;
  const std::uint8_t* const page = level.page.data();
  std::size_t begin = big_endian_16(page + header + 2 * std::size_t{cell});
  if (!level.leaf) begin += kChildBytes;
  if (begin >= pages_->usable_bytes()) return damaged();
  std::uint64_t bytes = 0;
  const std::uint8_t* at = take_db_varint(page + begin, bytes);
  if (by_row_id_) {
    std::uint64_t row_id = 0;
    at = take_db_varint(at, row_id);
    row_id_ = static_cast<std::int64_t>(row_id);
  }
  return take_payload(level, static_cast<std::size_t>(at - page), bytes);
}

bool PageScan::take_payload(const Level& level, std::size_t at, std::uint64_t bytes) {
  const std::size_t usable = pages_->usable_bytes();
  const std::uint8_t* const begin = level.page.data() + at;
  const std::uint64_t local = local_bytes(bytes, usable, by_row_id_);
  if (bytes > max_payload_bytes_ || at + local > usable) return damaged();
  if (local == bytes) {
    return record_.parse({begin, bytes}, record_columns_) || damaged();
  }
  // A chain of pages, each with the number of the next (1.7).
  if (at + local + kChildBytes > usable) return damaged();
  long_payload_.assign(begin, begin + local);
  std::uint32_t next = big_endian_32(begin + local);
  std::vector<std::uint8_t> page(pages_->page_bytes());
  while (long_payload_.size() < bytes) {
    // No page belongs to two rows either: chains that share pages would be read repeatedly.
    if (pages_left_ == 0 || !pages_->read(next, page.data())) return damaged();
    --pages_left_;
    const std::size_t part = std::min<std::size_t>(bytes - long_payload_.size(), usable - 4);
    long_payload_.insert(long_payload_.end(), page.begin() + 4,
                         page.begin() + 4 + static_cast<std::ptrdiff_t>(part));
    next = big_endian_32(page.data());
  }
  long_payload_.resize(bytes + kDecodePadding);
  return record_.parse({long_payload_.data(), bytes}, record_columns_) || damaged();
}

}  // namespace prof
