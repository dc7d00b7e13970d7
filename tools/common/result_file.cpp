// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/common/result_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "libprof/base/output_removal.hpp"

namespace prof::tools {
namespace {

/// Names that are tried for a file in the making.
constexpr int kMostParts = 100;
/// First bytes of reports that are not text: gzip, Parquet, and our exports for Perfetto (its first
/// packet: the root track) and, uncompressed, for pprof (the mapping).
constexpr std::array<std::string_view, 4> kOfReports = {
    "\x1f\x8b", "PAR1", "\x0a\x0f\x50\x01\x68\x01\xe2\x03", "\x1a\x06\x08\x01\x28\x01\x38\x01"};

Error failed(const std::string& path, int error) {
  return {
      .what = std::string("cannot be written: ") + std::strerror(error), .where = path, .hint = ""};
}

/// Anything but a regular file, such as /dev/stdout, is written to as it is.
bool is_special(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
}

/// Fails unless the existing file may be an earlier report: text, compressed text, a table in
/// Parquet or an export. A trace, a program or a script is not one.
Status check_report(const std::string& path) {
  std::array<char, 4096> bytes{};
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return errno == ENOENT ? Status{} : Status{failed(path, errno)};
  struct stat info {};
  const bool is_known = fstat(file, &info) == 0;
  const ssize_t size = read(file, bytes.data(), bytes.size());
  close(file);
  const std::string_view start(bytes.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  const bool is_text = start.find('\0') == std::string_view::npos && !start.starts_with("#!") &&
                       !start.starts_with(kStreamStart);
  const bool is_program = (info.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) != 0;
  const bool is_report = is_text || std::ranges::any_of(kOfReports, [&](std::string_view begin) {
                           return start.starts_with(begin);
                         });
  if (is_known && size >= 0 && !is_program && is_report) return {};
  return Error{.what = "exists and is not a report",
               .where = path,
               .hint = "remove it yourself, or give another name"};
}

/// The target of a chain of links; it need not exist yet.
std::string target_of(const std::string& path) {
  constexpr int kMostLinks = 40;
  std::error_code error;
  std::filesystem::path target = path;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(target, error); ++i) {
    target = target.parent_path() / std::filesystem::read_symlink(target, error);
  }
  return target.string();
}

}  // namespace

Result<ResultFile> ResultFile::create(const std::string& given) {
  if (is_special(given)) {
    std::FILE* const stream = std::fopen(given.c_str(), "we");
    if (stream == nullptr) return failed(given, errno);
    return ResultFile(given, "", stream);
  }
  const std::string path = target_of(given);
  PROF_TRY(check_report(path));
  std::string part;
  int descriptor = -1;
  // Numbers of processes repeat: in containers, and after what was killed.
  for (int i = 0; i < kMostParts && descriptor < 0; ++i) {
    part = path + "." + std::to_string(getpid()) + (i > 0 ? "-" + std::to_string(i) : "") + ".part";
    descriptor = open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno != EEXIST) break;
  }
  struct stat before {};
  if (descriptor >= 0 && stat(path.c_str(), &before) == 0) {
    fchmod(descriptor, before.st_mode & 07777);  // If not, it is as a new one is.
  }
  std::FILE* const stream = descriptor < 0 ? nullptr : fdopen(descriptor, "w");
  if (stream == nullptr) return failed(path, errno);
  return ResultFile(path, part, stream);
}

ResultFile::~ResultFile() {
  if (stream_ != nullptr && !part_.empty()) unlink(part_.c_str());
}

Status ResultFile::finish(int error) {
  if (error == 0 && std::fclose(stream_.release()) != 0) error = errno;
  if (error == 0 && !part_.empty() && std::rename(part_.c_str(), path_.c_str()) != 0) error = errno;
  if (error == 0) return {};
  if (!part_.empty()) unlink(part_.c_str());
  return failed(path_, error);
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return std::filesystem::equivalent(a, b, error) && !error;
}

bool names_folder(const std::string& path) {
  std::error_code error;
  return path.ends_with('/') || std::filesystem::is_directory(path, error);
}

bool can_be_folder(const std::string& path) {
  std::error_code error;
  if (names_folder(path)) return true;
  return !std::filesystem::exists(path, error) && !std::filesystem::path(path).has_extension();
}

Result<std::string> file_in_folder(const std::string& folder, std::string_view name,
                                   std::string_view extension) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return failed(folder, error.value());
  const std::string file = std::string(name).append(".").append(extension);
  return (std::filesystem::path(folder) / file).string();
}

}  // namespace prof::tools
