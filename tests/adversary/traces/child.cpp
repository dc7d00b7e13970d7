// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/adversary/traces/child.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <sstream>

#if defined(__SANITIZE_ADDRESS__)
extern "C" const char* __asan_default_options() {  // NOLINT(bugprone-reserved-identifier)
  return "hard_rss_limit_mb=3000:quarantine_size_mb=16:detect_leaks=0";
}
#endif

namespace prof::adversary {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr unsigned kSeconds = 120;
constexpr double kMaxMb = 1500;
#else
constexpr unsigned kSeconds = 20;
constexpr double kMaxMb = 400;
#endif
constexpr rlim_t kMaxFileBytes = rlim_t{1} << 30;

void limit(__rlimit_resource resource, rlim_t value) {
  const rlimit both{value, value};
  setrlimit(resource, &both);
}

[[noreturn]] void be_child(const std::function<int()>& body, int errors) {
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, kMaxFileBytes);
#if !defined(__SANITIZE_ADDRESS__)
  limit(RLIMIT_AS, rlim_t{4} << 30);
#endif
  alarm(kSeconds);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0 || dup2(errors, STDERR_FILENO) < 0) _exit(3);
  int status = 3;
  try {
    status = body();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "an exception: %s\n", error.what());
  }
  std::fflush(stdout);
  std::fflush(stderr);
  _exit(status);
}

std::string content(int descriptor) {
  std::string text(1 << 16, '\0');
  const ssize_t got = pread(descriptor, text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

}  // namespace

Ended run_child(const std::function<int()>& body) {
  std::fflush(stdout);
  const int errors = memfd_create("errors", MFD_CLOEXEC);
  const pid_t child = fork();
  if (child == 0) be_child(body, errors);
  Ended ended;
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) == child) {
    ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    ended.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    ended.peak_mb = static_cast<double>(usage.ru_maxrss) / 1024;
  }
  ended.errors = content(errors);
  close(errors);
  return ended;
}

std::string Ended::wrong(const std::string& program) const {
  if (signal == SIGALRM) return "takes too long";
  if (signal != 0) return "ended by signal " + std::to_string(signal) + ": " + errors;
  if (status != 0 && status != 1) return "status " + std::to_string(status) + ": " + errors;
  if (peak_mb > kMaxMb) return "takes " + std::to_string(peak_mb) + " MB";
  std::istringstream lines(errors);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    if (!line.starts_with(program + ": ")) return "a line of nobody: " + line;
    // SQLite's words for what went right, and for what only its caller knows.
    for (const char* const unclear : {"no more rows available", "not an error", "SQLite failed",
                                      "unknown error", "not authorized", "std::"}) {
      if (line.find(unclear) != std::string::npos) return "an unclear line: " + line;
    }
  }
  if (status == 1 && count != 1) return std::to_string(count) + " lines of error: " + errors;
  return {};
}

}  // namespace prof::adversary
