// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// DbPages: the pages of an SQLite file, read without SQLite's own cache. Scans of several tables
// advance through a file together, so they share the most recently read pieces: every byte of the
// file is read about once. Needs 1 MiB, and a piece for each page that is held. One thread. Format:
// https://www.sqlite.org/fileformat.html
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "libprof/store/sqlite/sqlite_db.hpp"

namespace prof {

class DbPages {
 public:
  /// nullopt if only SQLite knows the pages' contents: a database in memory, a write-ahead log.
  /// `db` must not move.
  static std::optional<DbPages> open(SqliteDb& db);

  [[nodiscard]] std::size_t page_bytes() const { return page_bytes_; }
  /// Number of bytes of a page that hold content.
  [[nodiscard]] std::size_t usable_bytes() const { return usable_bytes_; }
  [[nodiscard]] std::uint32_t count() const { return count_; }

  /// The bytes of a page and kDecodePadding bytes after it, unchanged as long as they are held.
  using Page = std::shared_ptr<const std::uint8_t>;
  /// Reads a page; pages count from 1. Null: there is no such page, or it cannot be read. To be
  /// called only while a statement of the connection has rows left: its lock keeps writers out.
  Page read(std::uint32_t number);

 private:
  static constexpr std::size_t kPieceBytes = 64 * 1024;  // the largest page
  static constexpr std::size_t kPieces = 16;
  static constexpr std::uint64_t kNone = UINT64_MAX;

  struct Piece {
    std::uint64_t number = kNone;
    std::shared_ptr<std::vector<std::uint8_t>> bytes;
  };

  DbPages(SqliteDb& db, std::size_t page_bytes, std::size_t usable_bytes, std::uint32_t count)
      : db_(&db), page_bytes_(page_bytes), usable_bytes_(usable_bytes), count_(count) {}

  SqliteDb* db_;
  std::size_t page_bytes_;
  std::size_t usable_bytes_;
  std::uint32_t count_;
  std::array<Piece, kPieces> pieces_;  // indexed by the low bits of their numbers
};

}  // namespace prof
