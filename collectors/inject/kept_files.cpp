// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/inject/kept_files.hpp"

#include <sys/stat.h>

#include "libprof/base/output_removal.hpp"

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
  kept_.push_back({file_at(trace), file_at(stream), size_of(trace) + size_of(stream)});
  bytes_ += kept_.back().bytes;
  while (bytes_ > max_bytes_ && kept_.size() > 1) {
    const Window& oldest = kept_.front();
    if (remove_own_output(oldest.trace.path, oldest.trace.identity)) ++removed_;
    if (!oldest.stream.path.empty()) remove_own_output(oldest.stream.path, oldest.stream.identity);
    bytes_ -= oldest.bytes;
    kept_.pop_front();
  }
}

std::string KeptFiles::text() const {
  if (removed_ == 0) return {};
  return "the files of " + std::to_string(removed_) + " of " + std::to_string(windows_) +
         " windows were removed, the oldest first, to stay below " +
         std::to_string(max_bytes_ >> 20) + " MiB";
}

}  // namespace prof::collectors
