// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/first_bytes.hpp"

#include <sys/stat.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace prof::importers {
namespace {

constexpr unsigned kBytes = 4096;

struct Close {
  void operator()(gzFile file) const { gzclose(file); }
};

}  // namespace

Result<std::string> first_bytes(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    return Error{"is a folder", path,
                 "name a file to import; of a report of Nsight Systems, what nsys export --type "
                 "sqlite makes"};
  }
  // The file is read twice from its start, and a pipe could block.
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    return Error{"is not a regular file", path, "name a file to import"};
  }
  const std::unique_ptr<gzFile_s, Close> file(gzopen(path.c_str(), "rbe"));
  if (!file) return Error{std::string("cannot be opened: ") + strerrordesc_np(errno), path, ""};
  std::string bytes(kBytes, '\0');
  const int got = gzread(file.get(), bytes.data(), kBytes);
  if (got < 0) {
    return Error{"is gzip data that is cut off or damaged", path, "copy it again"};
  }
  if (got == 0 && info.st_size == 0) return Error{"is empty", path, "name a file to import"};
  if (got == 0) return Error{"is gzip data without content, or cut off", path, "copy it again"};
  bytes.resize(static_cast<std::size_t>(got));
  return bytes;
}

}  // namespace prof::importers
