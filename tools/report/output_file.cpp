// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/output_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace prof::reports {
namespace {

Error failed(const std::string& path, int error) {
  return {
      .what = std::string("cannot be written: ") + std::strerror(error), .where = path, .hint = ""};
}

/// Anything but a regular file, such as /dev/stdout, is written to as it is.
bool is_special(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
}

}  // namespace

Result<OutputFile> OutputFile::create(const std::string& path) {
  const std::string part = is_special(path) ? "" : path + ".part";
  const std::string& target = part.empty() ? path : part;
  std::FILE* stream = std::fopen(target.c_str(), "we");
  if (stream == nullptr) return failed(path, errno);
  return OutputFile(path, part, stream);
}

OutputFile::~OutputFile() {
  if (stream_ != nullptr && !part_.empty()) unlink(part_.c_str());
}

Status OutputFile::finish(int error) {
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

}  // namespace prof::reports
