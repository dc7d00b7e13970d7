// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/base/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "libprof/base/output_lock.hpp"
#include "libprof/base/output_removal.hpp"
#include "libprof/base/own_descriptors.hpp"

namespace prof {
namespace {

constexpr std::string_view kBefore = "before.";

Error system_error(std::string_view what, const std::string& path, int error) {
  Error result{std::string(what) + ": " + strerrordesc_np(error), path, ""};
  if (error == ENOENT) result.hint = "create the folder first, or name another one";
  if (error == EACCES || error == EROFS) result.hint = "name a folder that you can write to";
  if (error == ENOSPC || error == EDQUOT) result.hint = "free some space or write elsewhere";
  return result;
}

}  // namespace

std::string name_of_other_process(std::string_view path, long pid, int n) {
  const std::size_t slash = path.rfind('/');
  const std::size_t name = slash == std::string_view::npos ? 0 : slash + 1;
  std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos || dot <= name) dot = path.size();
  std::string other(path.substr(0, dot));
  other.append(".").append(std::to_string(pid));
  if (n > 1) other.append(".").append(std::to_string(n));
  return other.append(path.substr(dot));
}

Result<std::string> resolve_folder(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const std::string file = slash == std::string::npos ? path : path.substr(slash + 1);
  if (file.empty()) return Error{"is a folder, not a file", path, "name an output file"};
  char* const resolved = realpath(folder.c_str(), nullptr);
  if (resolved == nullptr) return system_error("cannot create the file", path, errno);
  std::string result(resolved);
  std::free(resolved);
  if (result.back() != '/') result.push_back('/');
  return result + file;
}

bool is_same_output(const std::string& first, const std::string& second) {
  const Result<std::string> a = resolve_folder(first), b = resolve_folder(second);
  return a && b ? *a == *b : first == second;
}

Status check_length(const std::string& path) {
  constexpr std::string_view kJournal = "-journal";
  constexpr std::size_t kMaxPath = 511;
  const std::size_t slash = path.rfind('/');
  const std::size_t name = path.size() - (slash == std::string::npos ? 0 : slash + 1);
  if (name + kJournal.size() > NAME_MAX) {
    return Error{
        "the name is too long: at most " + std::to_string(NAME_MAX - kJournal.size()) + " bytes",
        path, "choose a shorter one"};
  }
  if (path.size() > kMaxPath) {
    return Error{"the path is too long: at most " + std::to_string(kMaxPath) + " bytes", path,
                 "write to another folder"};
  }
  return {};
}

Result<int> create_output_file(const std::string& path, Existing existing) {
  if (existing == Existing::kReplace) PROF_TRY(remove_replaceable(path));
  constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  constexpr mode_t kMode = S_IRUSR | S_IWUSR;
  const int descriptor = set_apart(open(path.c_str(), kFlags, kMode));
  if (descriptor >= 0) {
    fchmod(descriptor, kMode);  // Restores the permissions that the umask took away.
    return descriptor;
  }
  if (errno == EEXIST) {
    return Error{"exists already", path, "name another output file, or force its replacement"};
  }
  return system_error("cannot create the file", path, errno);
}

FileIdentity identify(int descriptor) {
  struct stat info {};
  if (fstat(descriptor, &info) != 0) return {};
  return {info.st_dev, info.st_ino};
}

FileIdentity identify(const std::string& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return {};
  return {info.st_dev, info.st_ino};
}

std::string fingerprint(const std::string& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  return std::to_string(info.st_dev) + "." + std::to_string(info.st_ino) + "." +
         std::to_string(info.st_ctim.tv_sec) + "." + std::to_string(info.st_ctim.tv_nsec);
}

std::string fingerprint_of_older(std::int64_t realtime_ns) {
  return std::string(kBefore).append(std::to_string(realtime_ns));
}

bool has_fingerprint(const std::string& path, const std::string& fingerprint) {
  if (fingerprint.empty()) return false;
  if (!fingerprint.starts_with(kBefore)) return prof::fingerprint(path) == fingerprint;
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  return std::int64_t{info.st_ctim.tv_sec} * 1'000'000'000 + info.st_ctim.tv_nsec <
         std::strtoll(fingerprint.c_str() + kBefore.size(), nullptr, 10);
}

Result<OutputFile> OutputFile::create(const std::string& path, Existing existing) {
  constexpr int kAttempts = 16;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Result<int> descriptor = create_output_file(path, existing);
    if (!descriptor) return descriptor.error();
    OutputFile file(path, *descriptor);
    // A concurrent forced run may have removed the file before it was locked.
    if (lock_output(*descriptor) && file.in_place()) return file;
  }
  return Error{"is constantly being replaced by other processes", path, "name another output file"};
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      identity_(other.identity_) {}

OutputFile::OutputFile(std::string path, int descriptor)
    : path_(std::move(path)), descriptor_(descriptor), identity_(identify(descriptor)) {
  remember_own(descriptor);
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close_own(descriptor_);
}

Status OutputFile::write(std::string_view bytes) {
  if (identify(descriptor_) != identity_) {
    return Error{"cannot write: the program closed the profiler's file", path_, ""};
  }
  while (!bytes.empty()) {
    const ssize_t done = written([&] { return ::write(descriptor_, bytes.data(), bytes.size()); });
    if (done <= 0) return system_error("cannot write", path_, done < 0 ? errno : ENOSPC);
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return {};
}

}  // namespace prof
