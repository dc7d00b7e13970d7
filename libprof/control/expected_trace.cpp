// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/control/expected_trace.hpp"

#include <fnmatch.h>
#include <sys/stat.h>

#include <filesystem>
#include <string_view>
#include <system_error>

#include "libprof/base/output_file.hpp"
#include "libprof/control/placeholders.hpp"

namespace prof {

namespace fs = std::filesystem;

namespace {

/// Pattern for fnmatch(): the names that the file may have.
std::string pattern_of(const std::string& name) {
  std::string literal;
  for (const char c : name) {
    if (std::string_view("*?[\\").find(c) != std::string_view::npos) literal += '\\';
    literal += c;
  }
  return fill_placeholders(literal, {"*", "*", "*", "*"});
}

}  // namespace

bool was_written(const ExpectedTrace& expected) {
  if (!has_placeholder(expected.path)) {
    struct stat info {};
    if (lstat(expected.path.c_str(), &info) != 0) return false;
    return expected.old.empty() || fingerprint(expected.path) != expected.old;
  }
  const std::string pattern = pattern_of(fs::path(expected.path).filename().string());
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(fs::path(expected.path).parent_path(), error)) {
    struct stat info {};
    if (fnmatch(pattern.c_str(), entry.path().filename().c_str(), 0) != 0 ||
        lstat(entry.path().c_str(), &info) != 0)
      continue;
    if (std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec >=
        expected.since_ns)
      return true;
  }
  return false;
}

std::string no_trace_line(const ExpectedTrace& expected, const std::string& why) {
  return "no trace was written to " + expected.path + ": " + why;
}

std::string why_perhaps() {
  return "any 'prof:' line above says why; if there is none, the program ran nothing on a GPU with "
         "CUDA, was killed before any of its GPU work was captured, wrote its trace elsewhere "
         "(PROF_OUTPUT, a prof-run inside), or did not load the collector (statically linked, "
         "set-user-id, or started with a cleared environment)";
}

}  // namespace prof
