// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/base/scratch_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace prof {

ScratchPlace temporary_place() {
  std::string folder = access("/var/tmp", W_OK | X_OK) == 0 ? "/var/tmp" : "/tmp";
  for (const char* const variable : {"TMPDIR", "SQLITE_TMPDIR"}) {
    const char* const chosen = std::getenv(variable);
    if (chosen != nullptr && *chosen != '\0') folder = chosen;
  }
  return {.folder = std::move(folder),
          .name = "/prof-" + std::to_string(getpid()) + ".tmp",
          .hint = "free some space or set TMPDIR to another folder"};
}

ScratchFile::~ScratchFile() {
  if (file_ >= 0) close(file_);
}

Error ScratchFile::error(const char* what, int number) const {
  Error made{std::string(what) + ": " + strerrordesc_np(number), place_.folder, ""};
  if (number == ENOSPC || number == EDQUOT) made.hint = place_.hint;
  return made;
}

Status ScratchFile::open() {
  constexpr mode_t kMode = 0600;
  file_ = ::open(place_.folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kMode);
  if (file_ >= 0) return {};
  const std::string name = place_.folder + place_.name;
  file_ = ::open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, kMode);
  if (file_ < 0) return error("cannot create a temporary file", errno);
  unlink(name.c_str());
  return {};
}

Status ScratchFile::append(std::span<const std::byte> bytes) {
  if (file_ < 0) PROF_TRY(open());
  while (!bytes.empty()) {
    const ssize_t written = pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(size_));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      return error("cannot write a temporary file", written < 0 ? errno : ENOSPC);
    }
    size_ += static_cast<std::uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Status ScratchFile::read(std::uint64_t at, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = pread(file_, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return error("cannot read a temporary file", got < 0 ? errno : EIO);
    at += static_cast<std::uint64_t>(got);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

}  // namespace prof
