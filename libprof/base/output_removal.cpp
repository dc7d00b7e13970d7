// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/base/output_removal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "libprof/base/output_lock.hpp"

namespace prof {
namespace {

// https://www.sqlite.org/fileformat.html, sections 1.3 and 3.
constexpr std::string_view kDatabaseStart("SQLite format 3\0", 16);
constexpr std::size_t kApplicationIdAt = 68;
constexpr std::string_view kJournalStart("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);
constexpr int kLook = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;

/// The first bytes of a file.
class Start {
 public:
  explicit Start(int descriptor) {
    const ssize_t bytes = pread(descriptor, bytes_.data(), bytes_.size(), 0);
    is_read_ = bytes >= 0;
    size_ = is_read_ ? static_cast<std::size_t>(bytes) : 0;
  }

  [[nodiscard]] bool is_output() const { return is_empty() || is_trace() || is_stream(); }
  [[nodiscard]] bool is_journal() const {
    // SQLite's own journals are cut or overwritten with zeros when they are done.
    return is_empty() || text().front() == '\0' || text().starts_with(kJournalStart);
  }

 private:
  [[nodiscard]] std::string_view text() const { return {bytes_.data(), size_}; }
  [[nodiscard]] bool is_empty() const { return is_read_ && size_ == 0; }
  [[nodiscard]] bool is_stream() const { return text().starts_with(kStreamStart); }
  [[nodiscard]] bool is_trace() const {
    if (size_ != bytes_.size() || !text().starts_with(kDatabaseStart)) return false;
    std::uint32_t id = 0;
    for (std::size_t i = 0; i < sizeof id; ++i) {
      id = id << 8 | static_cast<unsigned char>(bytes_[kApplicationIdAt + i]);
    }
    return id == static_cast<std::uint32_t>(kTraceApplicationId);
  }

  std::array<char, 100> bytes_{};
  std::size_t size_ = 0;
  bool is_read_ = false;
};

Error cannot_replace(const std::string& path) {
  return {std::string("cannot replace the file: ") + strerrordesc_np(errno), path,
          "remove it yourself, or name another output file"};
}

Error not_ours(const std::string& path) {
  return {"exists and is not a trace; only a trace is replaced", path,
          "remove it yourself, or name another output file"};
}

Error in_use(const std::string& path, pid_t writer) {
  return {"is being written by " + name_of_writer(writer), path,
          "wait for it to finish, or name another output file"};
}

/// Unlinks the journal first: once the name is free, a journal beside it may belong to a new
/// writer.
Status unlink_pair(const std::string& path) {
  PROF_TRY(remove_journal(path));
  if (unlink(path.c_str()) != 0 && errno != ENOENT) return cannot_replace(path);
  return {};
}

bool is_at(const std::string& path, int descriptor) {
  const FileIdentity there = identify(path);
  return there.inode != 0 && there == identify(descriptor);
}

/// The file at a path, open for inspection, and locked if allowed.
class Found {
 public:
  explicit Found(const std::string& path, bool may_lock) : path_(path) {
    if (may_lock) descriptor_ = open(path.c_str(), kLook | O_RDWR);
    can_be_locked_ = descriptor_ >= 0;
    has_lock_ = can_be_locked_ && lock_output(descriptor_);
    if (descriptor_ < 0) descriptor_ = open(path.c_str(), kLook);
    error_ = descriptor_ < 0 ? errno : 0;
  }
  Found(const Found&) = delete;
  Found& operator=(const Found&) = delete;
  ~Found() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] bool is_still_there() const { return is_at(path_, descriptor_); }
  [[nodiscard]] FileIdentity file() const { return identify(descriptor_); }
  /// Whether another process had the lock a moment ago. Without the lock, the file that has the
  /// name by now may belong to that process.
  [[nodiscard]] bool missed_lock() const { return can_be_locked_ && !has_lock_; }

  [[nodiscard]] Status check() const {
    struct stat info {};
    if (fstat(descriptor_, &info) != 0 || !S_ISREG(info.st_mode)) {
      return Error{"exists and is not a regular file", path_, "name another output file"};
    }
    if (const pid_t writer = has_lock_ ? 0 : writer_of(descriptor_); writer != 0) {
      return in_use(path_, writer);
    }
    return Start(descriptor_).is_output() ? Status{} : not_ours(path_);
  }

 private:
  const std::string& path_;
  int descriptor_ = -1, error_ = 0;
  bool can_be_locked_ = false, has_lock_ = false;
};

/// An error if the target of a link is not replaceable.
Status check_link(const std::string& path) {
  const int target = open(path.c_str(), kLook & ~O_NOFOLLOW);
  if (target < 0) return errno == ENOENT ? Status{} : Status{cannot_replace(path)};
  struct stat info {};
  const bool is_output =
      fstat(target, &info) == 0 && S_ISREG(info.st_mode) && Start(target).is_output();
  close(target);
  return is_output ? Status{} : not_ours(path);
}

/// Calls action() once the file at the path has been judged replaceable. Repeats the check if
/// others replace the file meanwhile.
template <typename Action>
Status with_what_is_there(const std::string& path, bool may_lock, Action action) {
  constexpr int kAttempts = 16;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    struct stat info {};
    if (lstat(path.c_str(), &info) != 0) {
      if (errno == ENOENT) return {};
      return cannot_replace(path);
    }
    if (S_ISLNK(info.st_mode)) {
      PROF_TRY(check_link(path));
      return action();
    }
    if (!S_ISREG(info.st_mode)) {
      return Error{"exists and is not a regular file", path, "name another output file"};
    }
    const Found found(path, may_lock);
    if (!found.is_open()) {
      errno = found.error();
      if (errno != ENOENT && errno != ELOOP) return cannot_replace(path);
      continue;
    }
    PROF_TRY(found.check());
    if (!found.missed_lock() && found.is_still_there()) return action();
  }
  return Error{"is constantly being replaced by other processes", path, "name another output file"};
}

}  // namespace

Status check_replaceable(const std::string& path) {
  return with_what_is_there(path, false, [] { return Status{}; });
}

Status remove_replaceable(const std::string& path) {
  return with_what_is_there(path, true, [&] { return unlink_pair(path); });
}

bool remove_own_output(const std::string& path, const FileIdentity& file) {
  const Found found(path, true);
  return found.is_open() && found.file() == file && found.check() && !found.missed_lock() &&
         found.is_still_there() && unlink_pair(path);
}

void remove_unfinished_output(const std::string& path, int descriptor) {
  constexpr int kAttempts = 16;
  for (int attempt = 0; !lock_output(descriptor); ++attempt) {
    if (attempt == kAttempts) return;
    usleep(1'000);
  }
  if (!is_at(path, descriptor)) return;
  static_cast<void>(remove_journal(path));
  unlink(path.c_str());
}

Status remove_journal(const std::string& path) {
  const std::string journal = path + "-journal";
  const int descriptor = open(journal.c_str(), kLook);
  if (descriptor < 0 && errno == ENOENT) return {};
  if (descriptor < 0) return cannot_replace(journal);
  struct stat info {};
  const bool is_journal =
      fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) && Start(descriptor).is_journal();
  close(descriptor);
  if (!is_journal) {
    return Error{"exists and is not the journal of a trace", journal,
                 "remove it yourself, or name another output file"};
  }
  if (unlink(journal.c_str()) != 0 && errno != ENOENT) return cannot_replace(journal);
  return {};
}

}  // namespace prof
