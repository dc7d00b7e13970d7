// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/trace_open.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "libprof/store/schema.hpp"

namespace prof {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  [[nodiscard]] int get() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

Error system_error(std::string_view what, const std::string& path) {
  return {std::string(what) + ": " + strerrordesc_np(errno), path, ""};
}

/// Up to `bytes` bytes from the start of a file.
std::string read_start(int descriptor, std::size_t bytes) {
  std::string start(bytes, '\0');
  const ssize_t got = pread(descriptor, start.data(), bytes, 0);
  start.resize(static_cast<std::size_t>(got > 0 ? got : 0));
  return start;
}

std::uint32_t big_endian(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

// The file format's header: https://www.sqlite.org/fileformat.html, section 1.3.
constexpr std::size_t kHeaderBytes = 100;
constexpr std::string_view kMagic("SQLite format 3\0", 16);

struct Header {
  std::uint64_t expected_bytes;
  std::uint64_t bytes;
  std::uint64_t page_bytes;
};

Result<Header> check_header(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return system_error("cannot be opened", path);
  struct stat info {};
  if (fstat(file.get(), &info) != 0) return system_error("cannot be opened", path);
  if (S_ISDIR(info.st_mode)) return Error{"is a folder, not a trace", path, ""};
  if (!S_ISREG(info.st_mode)) return Error{"is not a regular file, so not a trace", path, ""};
  if (info.st_size == 0) return Error{"is empty, not a trace", path, ""};
  const std::string header = read_start(file.get(), kHeaderBytes);
  if (!header.starts_with(kMagic)) {
    return Error{"is not a trace (no SQLite database)", path, "name a trace that prof-run wrote"};
  }
  if (header.size() < kHeaderBytes) return Error{"is a truncated trace", path, "capture again"};
  if (big_endian(header, 68, 4) != static_cast<std::uint32_t>(schema::kApplicationId)) {
    return Error{"is an SQLite database, but not a trace", path,
                 "name a trace that prof-run wrote"};
  }
  const std::uint32_t version = big_endian(header, 60, 4);
  if (version > static_cast<std::uint32_t>(schema::kVersion)) {
    return Error{"has schema version " + std::to_string(version) + ", this program reads up to " +
                     std::to_string(schema::kVersion),
                 path, "use a newer release of it"};
  }
  const std::uint32_t size_field = big_endian(header, 16, 2);
  const std::uint64_t page_bytes = size_field == 1 ? 65536 : size_field;
  if (page_bytes == 0) return Error{"is damaged: its pages have no size", path, "copy it again"};
  return Header{page_bytes * big_endian(header, 28, 4), static_cast<std::uint64_t>(info.st_size),
                page_bytes};
}

/// Makes SQLite take the read lock, roll back if it must, and read the first page.
Status touch(SqliteDb& db) { return db.exec("SELECT count(*) FROM sqlite_schema"); }

// While a transaction is open or left over, the journal starts with SQLite's magic and a random
// number that is the transaction's own.
constexpr std::size_t kJournalHeadBytes = 28;
constexpr std::string_view kJournalMagic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";

std::string journal_of(const std::string& path) { return path + "-journal"; }

std::string journal_head(const std::string& path) {
  const Descriptor file(open(journal_of(path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return {};
  std::string head = read_start(file.get(), kJournalHeadBytes);
  return head.starts_with(kJournalMagic) ? head : std::string();
}

Status copy_file(const std::string& from, const std::string& to) {
  const Descriptor in(open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (!in) return system_error("cannot be read", from);
  const Descriptor out(open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!out) return system_error("cannot be created", to);
  std::vector<char> buffer(1 << 20);
  for (;;) {
    const ssize_t got = read(in.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error("cannot be read", from);
    if (got == 0) return {};
    for (ssize_t done = 0; done < got;) {
      const ssize_t put =
          write(out.get(), buffer.data() + done, static_cast<std::size_t>(got - done));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return system_error("cannot be written (a copy of the trace)", to);
      done += put;
    }
  }
}

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// A private copy of a trace and its journal, gone from the folder as soon as it is open.
class PrivateCopy {
 public:
  static Result<OpenedTrace> open(const std::string& path, bool still_written) {
    PrivateCopy copy;
    PROF_TRY(copy.make_folder());
    PROF_TRY(still_written ? copy.snapshot(path) : copy.take(path));
    Result<SqliteDb> db = SqliteDb::open(copy.file(), SqliteDb::Mode::kReadWrite);
    if (!db) return db.error();
    // What the copy says is about the trace, not about a file that nobody can find.
    if (const Status status = touch(*db); !status) {
      return Error{status.error().what, path, status.error().hint};
    }
    PROF_TRY(db->exec("PRAGMA query_only=ON"));
    return OpenedTrace{std::move(*db), still_written};
  }

  PrivateCopy(const PrivateCopy&) = delete;
  PrivateCopy& operator=(const PrivateCopy&) = delete;
  ~PrivateCopy() {
    if (folder_.empty()) return;
    unlink(file().c_str());
    unlink(journal_of(file()).c_str());
    rmdir(folder_.c_str());
  }

 private:
  PrivateCopy() = default;

  [[nodiscard]] std::string file() const { return folder_ + "/trace.db"; }

  Status make_folder() {
    const char* const base = std::getenv("TMPDIR");
    std::string folder = std::string(base != nullptr && *base != '\0' ? base : "/tmp");
    char* const resolved = realpath(folder.c_str(), nullptr);
    if (resolved == nullptr) return system_error("cannot be used for a copy of the trace", folder);
    folder = std::string(resolved) + "/prof-XXXXXX";
    std::free(resolved);
    if (mkdtemp(folder.data()) == nullptr) {
      return system_error("cannot be created for a copy of the trace", folder);
    }
    folder_ = folder;
    return {};
  }

  Status take(const std::string& path) {
    PROF_TRY(copy_file(path, file()));
    if (journal_head(path).empty()) return {};
    return copy_file(journal_of(path), journal_of(file()));
  }

  // The writer works on while we copy. Its change counter is no help: SQLite does not advance it in
  // exclusive mode. Two things are: a page is in the journal before it is changed in the file, so a
  // journal copied after the file puts right what a commit changed meanwhile, as long as it is the
  // same transaction's journal at both ends. And with no transaction at either end, none came and
  // went if the file's time stands still (and is old enough for its clock's ticks).
  Status snapshot(const std::string& path) {
    constexpr int kAttempts = 200;
    constexpr std::int64_t kTickNs = 100'000'000;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      if (attempt != 0) usleep(20'000);
      const std::string head = journal_head(path);
      struct stat before {
      }, after{};
      timespec now{};
      clock_gettime(CLOCK_REALTIME, &now);
      if (stat(path.c_str(), &before) != 0) return system_error("cannot be read", path);
      const bool old = nanoseconds(now) - nanoseconds(before.st_mtim) > kTickNs;
      if (head.empty() && !old) continue;
      PROF_TRY(take(path));
      if (journal_head(path) != head) continue;
      if (!head.empty()) return {};
      if (stat(path.c_str(), &after) != 0) return system_error("cannot be read", path);
      const bool still = before.st_size == after.st_size &&
                         nanoseconds(before.st_mtim) == nanoseconds(after.st_mtim);
      if (still) return {};
    }
    return Error{"is being written too fast to be read now", path, "try again after the capture"};
  }

  std::string folder_;
};

/// Rolls back in place what a killed capture left, where the file and its folder can be written.
bool roll_back(const std::string& path) {
  char* const resolved = realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return false;
  Result<SqliteDb> db = SqliteDb::open(resolved, SqliteDb::Mode::kReadWrite);
  std::free(resolved);
  return db && touch(*db);
}

/// SQLite itself notices where whole pages are missing, not where the last one is cut.
bool is_cut_in_a_page(const Header& header) {
  return header.bytes < header.expected_bytes && header.bytes % header.page_bytes != 0;
}

}  // namespace

Result<OpenedTrace> open_trace(const std::string& path) {
  const Result<Header> header = check_header(path);
  if (!header) return header.error();
  for (const bool rolled_back : {false, true}) {
    Result<SqliteDb> db = SqliteDb::open(path, SqliteDb::Mode::kReadOnly);
    if (!db) return db.error();
    const Status status = touch(*db);
    if (status && !is_cut_in_a_page(*header)) return OpenedTrace{std::move(*db), false};
    if (db->busy()) return PrivateCopy::open(path, /*still_written=*/true);
    if (db->needs_writing()) {
      if (!rolled_back && roll_back(path)) continue;
      return PrivateCopy::open(path, /*still_written=*/false);
    }
    if (header->expected_bytes > header->bytes) {
      return Error{"is truncated: " + std::to_string(header->bytes) + " of " +
                       std::to_string(header->expected_bytes) + " bytes are there",
                   path, "copy it again, or capture again"};
    }
    return status.error();
  }
  return PrivateCopy::open(path, /*still_written=*/false);
}

}  // namespace prof
