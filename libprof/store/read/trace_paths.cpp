// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/read/trace_paths.hpp"

#include <string.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "libprof/store/read/trace_open.hpp"

namespace prof {
namespace {

namespace fs = std::filesystem;

bool belongs(const fs::directory_entry& entry) {
  std::error_code error;
  if (!entry.is_regular_file(error)) return false;
  switch (kind_of_file(entry.path().string())) {
    case FileKind::kTrace:
      return true;
    case FileKind::kOtherDatabase:
      return false;
    case FileKind::kNoDatabase:
      break;
  }
  return entry.path().extension() == ".db";
}

}  // namespace

std::vector<std::string> traces_in(std::span<const std::string> paths) {
  std::vector<std::string> traces;
  for (const std::string& path : paths) {
    const std::size_t before = traces.size();
    std::error_code error;
    for (fs::directory_iterator entry(path, error), end; !error && entry != end;
         entry.increment(error)) {
      if (belongs(*entry)) traces.push_back(entry->path().string());
    }
    if (traces.size() == before) {
      traces.push_back(path);
    } else {
      std::sort(traces.begin() + static_cast<std::ptrdiff_t>(before), traces.end(),
                [](const std::string& a, const std::string& b) {
                  return strverscmp(a.c_str(), b.c_str()) < 0;
                });
    }
  }
  return traces;
}

}  // namespace prof
