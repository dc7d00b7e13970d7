// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/run/metrics_writer.hpp"

#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <regex>
#include <system_error>

#include "libprof/control/placeholders.hpp"
#include "tools/run/unnoticed.hpp"

namespace prof::tools {
namespace {

namespace fs = std::filesystem;

/// A window may be that young when its metrics are made.
constexpr int kTickMs = 2000;
constexpr int kLowestPriority = 19;

/// Matches the names of the run's traces; what its groups match is the same in all windows of a
/// process. A process beside the first one has its id before the extension.
std::regex name_pattern(const std::string& template_name) {
  std::string literal;
  const std::size_t extension = template_name.rfind('.');
  for (std::size_t i = 0; i < template_name.size(); ++i) {
    if (i == extension) literal += R"(((?:\.[0-9]+)*))";
    if (std::strchr(R"(^$\.*+?()[]{}|)", template_name[i]) != nullptr) literal += '\\';
    literal += template_name[i];
  }
  return std::regex(fill_placeholders(literal, {"([0-9]+)", "(.*)", "(.*)", "[0-9]+"}));
}

std::int64_t changed_ns(const struct stat& info) {
  return std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
}

/// Runs prof-report over the traces, whose paths are absolute, and waits for it. It writes the file
/// in one go, or not at all.
void make_metrics(const MetricsPlan& plan, const std::vector<std::string>& traces) {
  std::vector<const char*> words = {plan.reporter.c_str(), "--export", "prometheus", "-o",
                                    plan.file.c_str()};
  for (const std::string& trace : traces) words.push_back(trace.c_str());
  words.push_back(nullptr);
  const pid_t reporter = fork();
  if (reporter == 0) {
    execv(plan.reporter.c_str(), const_cast<char* const*>(words.data()));  // NOLINT
    _exit(1);
  }
  while (reporter > 0 && waitpid(reporter, nullptr, 0) < 0 && errno == EINTR) {
  }
}

/// Until the program's end, of which `end` tells.
void write_metrics(const MetricsPlan& plan, int end) {
  setpriority(PRIO_PROCESS, 0, kLowestPriority);
  // What the collector in the program is told is not for prof-report.
  unsetenv("LD_PRELOAD");
  std::vector<std::string> last;
  for (bool has_ended = false; !has_ended;) {
    pollfd ends{end, POLLIN, 0};
    has_ended = poll(&ends, 1, kTickMs) > 0;
    std::vector<std::string> traces = last_windows(plan);
    if (traces.empty() || traces == last) continue;
    make_metrics(plan, traces);
    last = std::move(traces);
  }
}

}  // namespace

std::vector<std::string> last_windows(const MetricsPlan& plan) {
  const fs::path path(plan.traces);
  const std::regex pattern = name_pattern(path.filename().string());
  struct Newest {
    std::string path;
    std::int64_t changed_ns = 0;
  };
  std::map<std::string, Newest> by_process;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path.parent_path(), error)) {
    const std::string name = entry.path().filename().string();
    std::smatch match;
    struct stat info {};
    if (!std::regex_match(name, match, pattern) || lstat(entry.path().c_str(), &info) != 0 ||
        changed_ns(info) < plan.since_ns)
      continue;
    std::string process;
    for (std::size_t i = 1; i < match.size(); ++i) process.append(match[i].str()).append("/");
    Newest& newest = by_process[process];
    if (changed_ns(info) >= newest.changed_ns) newest = {entry.path().string(), changed_ns(info)};
  }
  std::vector<std::string> paths;
  for (auto& [process, newest] : by_process) paths.push_back(std::move(newest.path));
  return paths;
}

Result<MetricsPlan> plan_metrics(const std::string& file, const std::string& traces,
                                 const std::string& own_path, std::int64_t since_ns) {
  std::error_code error;
  const fs::path target = fs::absolute(file, error);
  if (fs::is_directory(target, error)) return Error{"is a folder", file, "--metrics names a file"};
  const fs::path folder = target.parent_path();
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    return Error{std::strerror(errno), folder.string(), "--metrics writes a file there"};
  }
  const fs::path reporter = fs::path(own_path).parent_path() / "prof-report";
  if (access(reporter.c_str(), X_OK) != 0) {
    return Error{"is not there, and makes the metrics", reporter.string(), "install it"};
  }
  return MetricsPlan{target.string(), traces, reporter.string(), since_ns};
}

bool leave_metrics_writer(const MetricsPlan& plan) {
  if (!can_leave_unnoticed()) return false;
  const int end = static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0));
  if (end < 0) return false;
  leave_unnoticed({.kept = {end}, .life = [&] { write_metrics(plan, end); }});
  close(end);
  return true;
}

}  // namespace prof::tools
