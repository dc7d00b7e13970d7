// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/staged_trace.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "libprof/base/check.hpp"
#include "libprof/base/output_file.hpp"
#include "libprof/base/output_removal.hpp"
#include "tools/import/builder/scratch_name.hpp"

namespace prof::importers {
namespace {

constexpr const char* kFiles[] = {"/trace.db", "/trace.db-journal", kScratchName};

// For the signal handler: the folder to remove, or an empty text.
char interrupted_folder[PATH_MAX];

/// Async-signal-safe.
void remove_folder(const char* folder) {
  char path[PATH_MAX + 32];
  const std::size_t size = strnlen(folder, PATH_MAX - 1);
  std::memcpy(path, folder, size);
  for (const char* const file : kFiles) {
    std::memcpy(path + size, file, std::strlen(file) + 1);
    unlink(path);
  }
  rmdir(folder);
}

extern "C" void end_interrupted(int number) {
  if (interrupted_folder[0] != '\0') remove_folder(interrupted_folder);
  // Raises it again with the default action; it is blocked until this returns.
  signal(number, SIG_DFL);
  raise(number);
}

void handle_interruptions(const std::string& folder) {
  if (folder.size() >= sizeof interrupted_folder) return;
  std::memcpy(interrupted_folder, folder.c_str(), folder.size() + 1);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    // Signals that the parent ignores (nohup) stay ignored.
    if (sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) {
      now.sa_handler = end_interrupted;
      sigaction(number, &now, nullptr);
    }
  }
}

Error system_error(std::string_view what, const std::string& path) {
  Error error{std::string(what) + ": " + strerrordesc_np(errno), path, ""};
  if (errno == EACCES || errno == EROFS) error.hint = "name a folder that you can write to";
  if (errno == ENOSPC || errno == EDQUOT) error.hint = "free some space or write elsewhere";
  return error;
}

bool is_same_file(const std::string& one, const std::string& other) {
  struct stat a {
  }, b{};
  return stat(one.c_str(), &a) == 0 && stat(other.c_str(), &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

/// Whether a file may be created at `path`.
Status check_place(const std::string& path, const std::string& shown, const Replacing& replacing) {
  if (replacing.existing == Existing::kReplace) {
    const Status replaceable = check_replaceable(path);
    if (replaceable) return {};
    return Error{replaceable.error().what, shown, replaceable.error().hint};
  }
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return {};
    return system_error("cannot inspect the file to replace", shown);
  }
  return Error{"exists already", shown, std::string(replacing.hint)};
}

}  // namespace

Result<StagedTrace> StagedTrace::begin(const std::string& input, const std::string& output,
                                       const Replacing& replacing) {
  if (is_same_file(input, output)) {
    return Error{"is the input file itself", output, "name another output file"};
  }
  const Result<std::string> resolved = resolve_folder(output);
  if (!resolved) return resolved.error();
  PROF_TRY(check_place(*resolved, output, replacing));
  // A folder of our own: no name in it is taken, and the journal is in it, too.
  const std::size_t name = resolved->rfind('/') + 1;
  std::string folder = resolved->substr(0, name) + ".prof-import-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return system_error("cannot create the file", output);
  handle_interruptions(folder);
  return StagedTrace(std::move(folder), *resolved, output, replacing);
}

StagedTrace::StagedTrace(std::string folder, std::string output, std::string shown,
                         const Replacing& replacing)
    : folder_(std::move(folder)),
      output_(std::move(output)),
      shown_(std::move(shown)),
      replacing_(replacing) {}

StagedTrace::StagedTrace(StagedTrace&& other) noexcept
    : folder_(std::exchange(other.folder_, {})),
      output_(std::move(other.output_)),
      shown_(std::move(other.shown_)),
      replacing_(other.replacing_) {}

StagedTrace::~StagedTrace() { remove(); }

void StagedTrace::remove() {
  if (folder_.empty()) return;
  remove_folder(folder_.c_str());
  interrupted_folder[0] = '\0';
  folder_.clear();
}

Status StagedTrace::finish() {
  PROF_CHECK(!folder_.empty());  // Neither finished nor moved from.
  PROF_TRY(check_place(output_, shown_, replacing_));
  PROF_TRY(remove_journal(output_));
  if (replacing_.existing == Existing::kRefuse) {
    // Never over a file created there meanwhile.
    if (link(path().c_str(), output_.c_str()) == 0) {
      remove();
      return {};
    }
    if (errno == EEXIST) return Error{"exists already", shown_, "name another output file"};
    // A file system without hard links: only a rename is left.
  }
  if (rename(path().c_str(), output_.c_str()) != 0) {
    return system_error("cannot be moved into place", shown_);
  }
  remove();
  return {};
}

}  // namespace prof::importers
