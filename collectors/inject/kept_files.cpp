// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/inject/kept_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

namespace prof::collectors {
namespace {

std::uint64_t size_of(const std::string& path) {
  struct stat info {};
  return !path.empty() && lstat(path.c_str(), &info) == 0 ? static_cast<std::uint64_t>(info.st_size)
                                                          : 0;
}

}  // namespace

void KeptFiles::add(const std::string& trace, const std::string& stream) {
  ++windows_;
  if (max_bytes_ == 0) return;
  kept_.push_back({trace, stream, size_of(trace) + size_of(stream)});
  bytes_ += kept_.back().bytes;
  while (bytes_ > max_bytes_ && kept_.size() > 1) {
    const Window& oldest = kept_.front();
    unlink(oldest.trace.c_str());
    if (!oldest.stream.empty()) unlink(oldest.stream.c_str());
    bytes_ -= oldest.bytes;
    ++removed_;
    kept_.pop_front();
  }
}

std::string KeptFiles::text() const {
  if (removed_ == 0) return {};
  return "the files of the first " + std::to_string(removed_) + " of " + std::to_string(windows_) +
         " windows were removed, to stay below " + std::to_string(max_bytes_ >> 20) + " MiB";
}

}  // namespace prof::collectors
