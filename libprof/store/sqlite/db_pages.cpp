// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/sqlite/db_pages.hpp"

#include <algorithm>

#include "libprof/store/sqlite/db_file.hpp"
#include "libprof/store/sqlite/db_record.hpp"

namespace prof {
namespace {

constexpr std::size_t kMinUsableBytes = 480;

std::uint32_t page_count(SqliteDb& db) {
  Result<Statement> rows = db.prepare("PRAGMA page_count");
  if (!rows || rows->step() != Statement::Step::kRow) return 0;
  return static_cast<std::uint32_t>(rows->integer(0));
}

}  // namespace

std::optional<DbPages> DbPages::open(SqliteDb& db) {
  std::array<std::uint8_t, db_header::kBytes> header{};
  if (!db.read_file(0, header.data(), header.size())) return std::nullopt;
  if (header[db_header::kWriteVersionAt] != db_header::kRollbackMode ||
      header[db_header::kReadVersionAt] != db_header::kRollbackMode) {
    return std::nullopt;
  }
  std::size_t bytes =
      std::size_t{header[db_header::kPageSizeAt]} << 8 | header[db_header::kPageSizeAt + 1];
  if (bytes == 1) bytes = kPieceBytes;
  const bool power_of_two = bytes >= 512 && (bytes & (bytes - 1)) == 0;
  if (!power_of_two || bytes - header[db_header::kReservedAt] < kMinUsableBytes)
    return std::nullopt;
  return DbPages(db, bytes, bytes - header[db_header::kReservedAt], page_count(db));
}

DbPages::Page DbPages::read(std::uint32_t number) {
  if (number == 0 || number > count_) return nullptr;
  const std::uint64_t offset = std::uint64_t{number - 1} * page_bytes_;
  const std::uint64_t wanted = offset / kPieceBytes;
  Piece& piece = pieces_[wanted % kPieces];
  if (piece.number != wanted) {
    const std::uint64_t begin = wanted * kPieceBytes;
    const std::uint64_t end = std::uint64_t{count_} * page_bytes_;
    const std::size_t bytes = std::min<std::uint64_t>(kPieceBytes, end - begin);
    piece.number = kNone;
    if (piece.bytes == nullptr || piece.bytes.use_count() > 1) {
      piece.bytes = std::make_shared<std::vector<std::uint8_t>>();
    }
    piece.bytes->resize(bytes + kDecodePadding);
    if (!db_->read_file(begin, piece.bytes->data(), bytes)) return nullptr;
    piece.number = wanted;
  }
  return {piece.bytes, piece.bytes->data() + offset % kPieceBytes};
}

}  // namespace prof
