// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Names of outputs, see output_name.hpp.
#include "collectors/inject/output_name.hpp"

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "collectors/inject/config.hpp"
#include "libprof/base/output_file.hpp"
#include "libprof/base/output_lock.hpp"
#include "libprof/base/output_removal.hpp"

namespace prof::collectors {
namespace {

constexpr int kMaxNames = 100;

bool exists(const std::string& path) { return identify(path).inode != 0; }

/// A writer that is creating the file right now locks it once it has written to it.
bool is_being_written(const std::string& path) {
  constexpr int kLooks = 20;
  constexpr timespec kPause{0, 5'000'000};
  for (int look = 0;; ++look) {
    if (writer_of(path) != 0) return true;
    struct stat info {};
    if (look == kLooks || lstat(path.c_str(), &info) != 0 || info.st_size != 0) return false;
    nanosleep(&kPause, nullptr);
  }
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Status check_folder(const std::string& path) {
  const std::string folder = folder_of(path);
  struct stat info {};
  if (stat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    return Error{"there is no folder " + folder, path, "create it first, or name another output"};
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    return Error{std::string("cannot create the file: ") + strerrordesc_np(errno), path,
                 "name a folder that you can write to"};
  }
  if (path.back() == '/') return Error{"is a folder, not a file", path, "name an output file"};
  return {};
}

}  // namespace

Status prepare_name(const std::string& path, const NameRules& rules) {
  const Result<std::string> resolved = resolve_folder(path);
  if (resolved) PROF_TRY(check_length(*resolved));
  PROF_TRY(check_folder(path));
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return {};
  if (S_ISREG(info.st_mode) && is_being_written(path)) return {};  // Try the next name.
  if (rules.force) return remove_replaceable(path);
  if (has_fingerprint(path, rules.old)) return check_replaceable(path);
  if (S_ISREG(info.st_mode) && rules.same_run) return {};
  return Error{"exists already", path, "name another output file, or force its replacement"};
}

Result<OutputName> create_under_free_name(const std::string& path, const NameRules& rules,
                                          const std::function<Status(const std::string&)>& create) {
  for (int n = 0;; ++n) {
    const std::string name = n == 0 ? path : name_of_other_process(path, getpid(), n);
    // Replaced only now: the old file stays until there is something to replace it. Another run may
    // be replacing it at this moment, or have seen the name free and be writing by now.
    if (n == 0 && has_fingerprint(path, rules.old)) {
      const Status removed = remove_replaceable(path);
      if (!removed && writer_of(path) == 0 && has_fingerprint(path, rules.old))
        return removed.error();
    }
    const Status status = create(name);
    if (status) return OutputName{name, n == 0};
    // A file that could not be created is not there either: a full disk is full under every name.
    if (n == kMaxNames || !exists(name)) return status.error();
    if (!rules.any_name && !rules.same_run && !is_being_written(name)) return status.error();
  }
}

}  // namespace prof::collectors
