// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/read/private_copy.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <vector>

#include "libprof/store/sqlite/db_file.hpp"
#include "libprof/store/sqlite/trace_journal.hpp"

namespace prof {
namespace {

std::string log_of(const std::string& path) { return path + "-wal"; }

Status copy_file(const std::string& from, const std::string& to) {
  const Descriptor in(open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  struct stat info {};
  if (!in || fstat(in.get(), &info) != 0) return system_error("cannot be read", from);
  if (!S_ISREG(info.st_mode)) return Error{"is not a regular file", from, ""};
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

/// A private copy of a trace and its journal or log, unlinked as soon as it is open.
class PrivateCopy {
 public:
  PrivateCopy() = default;
  PrivateCopy(const PrivateCopy&) = delete;
  PrivateCopy& operator=(const PrivateCopy&) = delete;
  ~PrivateCopy() {
    if (folder_.empty()) return;
    for (const char* const suffix : {"", "-journal", "-wal", "-shm"}) {
      unlink((file() + suffix).c_str());
    }
    rmdir(folder_.c_str());
  }

  [[nodiscard]] std::string file() const { return folder_ + "/trace.db"; }

  Status take(const std::string& path, CopyFor reason) {
    PROF_TRY(make_folder());
    if (reason == CopyFor::kStillWritten) return snapshot(path);
    PROF_TRY(copy(path));
    const bool logged =
        reason == CopyFor::kWriteAheadLog && access(log_of(path).c_str(), F_OK) == 0;
    return logged ? copy_file(log_of(path), log_of(file())) : Status();
  }

 private:
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

  Status copy(const std::string& path) {
    unlink(journal_of(file()).c_str());  // a leftover of an earlier attempt
    PROF_TRY(copy_file(path, file()));
    if (journal_head(path).empty()) return {};
    const Status copied = copy_file(journal_of(path), journal_of(file()));
    const bool gone = !copied && access(journal_of(path).c_str(), F_OK) != 0;
    return gone ? Status() : copied;  // The transaction has ended: snapshot() sees that.
  }

  // The writer continues during the copy. Its change counter is no help: SQLite does not advance it
  // in exclusive mode. Two facts do help. A page is in the journal before it is changed in the
  // file, so a journal copied after the file undoes the changes of a commit meanwhile, provided the
  // same transaction's journal is there before and after. And with no transaction before or after,
  // none happened in between if the file's time is unchanged (and old enough for the clock's
  // resolution).
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
      PROF_TRY(copy(path));
      if (journal_head(path) != head) continue;
      if (!head.empty()) return {};
      if (stat(path.c_str(), &after) != 0) return system_error("cannot be read", path);
      const bool still = before.st_size == after.st_size &&
                         nanoseconds(before.st_mtim) == nanoseconds(after.st_mtim);
      if (still) return {};
    }
    return Error{"is being written too fast to be read", path, "try again after the capture"};
  }

  std::string folder_;
};

}  // namespace

Result<SqliteDb> open_private_copy(const std::string& path, const std::string& shown,
                                   std::uint64_t page_bytes, CopyFor reason) {
  // Errors refer to the trace, not to a copy that nobody can find.
  const auto about_trace = [&](const Error& error) { return Error{error.what, shown, error.hint}; };
  PrivateCopy copy;
  if (const Status taken = copy.take(path, reason); !taken) {
    const Error& error = taken.error();
    return error.where == path ? about_trace(error) : error;
  }
  // No other process can change these files: SQLite reads the same contents that are checked here.
  if (const Status status = check_journal(copy.file(), page_bytes); !status) {
    return about_trace(status.error());
  }
  Result<SqliteDb> db = SqliteDb::open(copy.file(), SqliteDb::Mode::kOwnCopy);
  if (!db) return about_trace(db.error());
  db->show_as(shown);
  // Applies the log or rolls back; in either case reads the first page.
  PROF_TRY(db->exec(reason == CopyFor::kWriteAheadLog ? "PRAGMA journal_mode=DELETE"
                                                      : "SELECT 1 FROM sqlite_schema LIMIT 1"));
  PROF_TRY(db->exec("PRAGMA query_only=ON"));
  return std::move(*db);
}

}  // namespace prof
