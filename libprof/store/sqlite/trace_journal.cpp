// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/sqlite/trace_journal.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "libprof/store/sqlite/db_file.hpp"

namespace prof {
namespace {

constexpr std::string_view kJournalMagic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
constexpr std::size_t kHeadBytes = 28;
constexpr std::size_t kPagesAt = 16;
constexpr std::size_t kJournalPageSizeAt = 24;
/// The end of a super-journal's record: size of the name, checksum, magic.
constexpr std::size_t kSuperJournalBytes = 16;

Descriptor open_journal(const std::string& path) {
  // Neither block on a pipe nor follow a link.
  return Descriptor(open(journal_of(path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
}

std::uint64_t size_of(int descriptor) {
  struct stat info {};
  return fstat(descriptor, &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

Error refused(const std::string& path, std::string why) {
  return {"is not read, because of " + journal_of(path.substr(path.rfind('/') + 1)) +
              " beside it: " + std::move(why),
          path, "copy the trace alone to another folder to read it as it is"};
}

}  // namespace

std::string journal_of(const std::string& path) { return path + "-journal"; }

std::string journal_head(const std::string& path) {
  const Descriptor file = open_journal(path);
  if (!file) return {};
  std::string head = read_at(file.get(), 0, kHeadBytes);
  return head.starts_with(kJournalMagic) ? head : std::string();
}

Status check_journal(const std::string& path, std::uint64_t page_bytes) {
  struct stat info {};
  if (lstat(journal_of(path).c_str(), &info) != 0) return {};
  if (!S_ISREG(info.st_mode)) return refused(path, "that is not a regular file");
  const Descriptor file = open_journal(path);
  if (!file && errno == ENOENT) return {};
  if (!file) return refused(path, std::string("it cannot be opened: ") + strerrordesc_np(errno));
  const std::uint64_t bytes = size_of(file.get());
  const std::string head = read_at(file.get(), 0, kHeadBytes);
  if (head.empty() || head.front() == '\0') return {};  // nothing was left behind
  if (!head.starts_with(kJournalMagic)) return refused(path, "that is not a journal");
  if (head.size() < kHeadBytes) return {};  // truncated header: SQLite ignores it
  const std::uint64_t pages_before = big_endian(head, kPagesAt, 4);
  const std::uint64_t journal_page = big_endian(head, kJournalPageSizeAt, 4);
  if (journal_page != 0 && journal_page != page_bytes) {
    return refused(path, "its pages have " + std::to_string(journal_page) +
                             " bytes, the trace's have " + std::to_string(page_bytes));
  }
  // A rollback sets the file to the size in the journal. Transactions only make it larger.
  if (stat(path.c_str(), &info) == 0 &&
      pages_before * page_bytes > static_cast<std::uint64_t>(info.st_size)) {
    return refused(path, "it belongs to a larger file");
  }
  if (bytes >= kHeadBytes + kSuperJournalBytes &&
      read_at(file.get(), bytes - kJournalMagic.size(), kJournalMagic.size()) == kJournalMagic) {
    return refused(path, "it names a file to delete, which no capture does");
  }
  return {};
}

}  // namespace prof
