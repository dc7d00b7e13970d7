// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/read/trace_open.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "libprof/store/read/private_copy.hpp"
#include "libprof/store/schema/check.hpp"
#include "libprof/store/schema/schema.hpp"
#include "libprof/store/sqlite/db_file.hpp"
#include "libprof/store/sqlite/trace_journal.hpp"

namespace prof {
namespace {

constexpr std::string_view kDatabaseMagic("SQLite format 3\0", 16);

struct Header {
  std::uint64_t expected_bytes;
  std::uint64_t bytes;
  std::uint64_t page_bytes;
  std::int32_t version;  ///< Version of the trace's schema.
  bool has_log;          ///< The database is in write-ahead mode.
};

bool has_application_id(const std::string& header) {
  return big_endian(header, 68, 4) == static_cast<std::uint32_t>(schema::kApplicationId);
}

/// Advice for a file that is not a trace: files that prof-import reads begin with such bytes.
std::string way_to_a_trace(std::string_view header, const std::string& path) {
  const std::size_t first = header.find_first_not_of(" \t\r\n");
  const bool is_text =
      first != std::string_view::npos && (header[first] == '{' || header[first] == '[');
  const bool is_packed = header.starts_with("\x1f\x8b");
  const bool is_database = header.starts_with(kDatabaseMagic);
  if (!is_text && !is_packed && !is_database) return "name a trace that prof-run wrote";
  return "prof-import " + path + " converts streams and other profilers' files";
}

/// The program that wrote the file.
enum class Maker : std::uint8_t { kLibprof, kAnotherProgram };

/// The release that wrote a trace that is too new, from which nothing else is read.
std::string release_that_wrote(const std::string& path) {
  Result<SqliteDb> db = SqliteDb::open(path, SqliteDb::Mode::kReadOnly);
  return db ? writing_release(*db) : std::string();
}

std::int32_t version_in(const std::string& header) {
  return static_cast<std::int32_t>(big_endian(header, 60, 4));
}

/// An error unless the trace's version is one that this program reads.
Status check_version(const std::string& header, const std::string& path) {
  if (!has_application_id(header)) {
    return Error{"is an SQLite database, but not a trace", path, way_to_a_trace(header, path)};
  }
  const std::int32_t version = version_in(header);
  if (version >= kOldestSchema && version <= schema::kVersion) return {};
  const bool is_newer = version > schema::kVersion;
  const std::string writer = is_newer ? release_that_wrote(path) : std::string();
  std::string what = "has schema version " + std::to_string(version);
  if (!writer.empty()) what += " of libprof " + writer;
  what += ", and this is libprof " PROF_VERSION_STRING ", which reads versions " +
          std::to_string(kOldestSchema) + " to " + std::to_string(schema::kVersion);
  if (!is_newer) return Error{what, path, "capture again"};
  const bool is_known = !writer.empty() && writer != PROF_VERSION_STRING;
  return Error{what, path, "use " + (is_known ? "libprof " + writer + " or newer" : "a newer one")};
}

Result<Header> check_header(const std::string& path, Maker maker) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return system_error("cannot be opened", path);
  struct stat info {};
  if (fstat(file.get(), &info) != 0) return system_error("cannot be opened", path);
  if (S_ISDIR(info.st_mode)) {
    return Error{"is a folder without a trace", path, "name a trace that prof-run wrote"};
  }
  if (!S_ISREG(info.st_mode)) return Error{"is not a regular file, so not a trace", path, ""};
  if (info.st_size == 0)
    return Error{"is empty: not a trace, or one whose capture was killed at the start", path, ""};
  const std::string header = read_at(file.get(), 0, db_header::kBytes);
  if (!header.starts_with(kDatabaseMagic)) {
    return Error{"is not a trace (no SQLite database)", path, way_to_a_trace(header, path)};
  }
  if (header.size() < db_header::kBytes) {
    const bool ours = maker == Maker::kLibprof;
    return Error{ours ? "is a truncated trace" : "is truncated", path,
                 ours ? "capture again" : "copy it again"};
  }
  if (maker == Maker::kLibprof) PROF_TRY(check_version(header, path));
  const std::uint32_t size_field = big_endian(header, 16, 2);
  const std::uint64_t page_bytes = size_field == 1 ? 65536 : size_field;
  if (page_bytes == 0) return Error{"is damaged: its pages have no size", path, "copy it again"};
  return Header{page_bytes * big_endian(header, 28, 4), static_cast<std::uint64_t>(info.st_size),
                page_bytes, version_in(header),
                header[db_header::kWriteVersionAt] != db_header::kRollbackMode ||
                    header[db_header::kReadVersionAt] != db_header::kRollbackMode};
}

/// Makes SQLite take the read lock, roll back if necessary, and read the first page.
Status touch(SqliteDb& db) { return db.exec("SELECT 1 FROM sqlite_schema LIMIT 1"); }

/// Rolls back in place the transaction of a killed capture, if the file and its folder are
/// writable.
bool roll_back(const std::string& path) {
  Result<SqliteDb> db = SqliteDb::open(path, SqliteDb::Mode::kChange);
  return db && touch(*db);
}

/// SQLite itself notices missing pages, but not a truncated last page.
bool is_cut_in_a_page(const Header& header) {
  return header.bytes < header.expected_bytes && header.bytes % header.page_bytes != 0;
}

/// A database at its own path. `path` has all links resolved. Errors name `shown`.
class Opening {
 public:
  Opening(std::string path, std::string shown, const Header& header, Maker maker)
      : path_(std::move(path)), shown_(std::move(shown)), header_(header), maker_(maker) {}

  Result<OpenedTrace> open() {
    if (header_.has_log) return copy(CopyFor::kWriteAheadLog);
    for (const bool rolled_back : {false, true}) {
      if (const Status status = check_journal(path_, header_.page_bytes); !status) {
        return Error{status.error().what, shown_, status.error().hint};
      }
      Result<SqliteDb> db = SqliteDb::open(path_, SqliteDb::Mode::kReadOnly);
      if (!db) return Error{db.error().what, shown_, db.error().hint};
      db->show_as(shown_);
      const Status status = touch(*db);
      if (status && !is_cut_in_a_page(header_))
        return OpenedTrace{std::move(*db), false, header_.version};
      if (db->busy()) return copy(CopyFor::kStillWritten);
      if (db->needs_writing()) {
        if (maker_ == Maker::kLibprof && !rolled_back && roll_back(path_)) continue;
        return copy(CopyFor::kRollback);
      }
      return header_.expected_bytes > header_.bytes ? truncated() : status.error();
    }
    return copy(CopyFor::kRollback);
  }

 private:
  Result<OpenedTrace> copy(CopyFor reason) const {
    Result<SqliteDb> db = open_private_copy(path_, shown_, header_.page_bytes, reason);
    if (!db) return db.error();
    return OpenedTrace{std::move(*db), reason == CopyFor::kStillWritten, header_.version};
  }

  [[nodiscard]] Error truncated() const {
    return {"is truncated: " + std::to_string(header_.bytes) + " of " +
                std::to_string(header_.expected_bytes) + " bytes are there",
            shown_, "copy it again, or capture again"};
  }

  std::string path_, shown_;
  Header header_;
  Maker maker_;
};

Result<OpenedTrace> open_database(const std::string& path, Maker maker) {
  const Result<Header> header = check_header(path, maker);
  if (!header) return header.error();
  char* const resolved = realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return system_error("cannot be opened", path);
  Opening opening(resolved, path, *header, maker);
  std::free(resolved);
  return opening.open();
}

}  // namespace

FileKind kind_of_file(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const std::string header = file ? read_at(file.get(), 0, db_header::kBytes) : "";
  const bool is_database = header.size() == db_header::kBytes && header.starts_with(kDatabaseMagic);
  if (!is_database) return FileKind::kNoDatabase;
  return has_application_id(header) ? FileKind::kTrace : FileKind::kOtherDatabase;
}

Result<OpenedTrace> open_trace(const std::string& path) {
  Result<OpenedTrace> trace = open_database(path, Maker::kLibprof);
  if (trace) PROF_TRY(check_tables(trace->db, trace->version));
  return trace;
}

Result<SqliteDb> open_foreign_database(const std::string& path) {
  Result<OpenedTrace> opened = open_database(path, Maker::kAnotherProgram);
  if (!opened) return opened.error();
  return std::move(opened->db);
}

}  // namespace prof
