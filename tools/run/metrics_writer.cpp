// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/run/metrics_writer.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <regex>
#include <set>
#include <system_error>
#include <utility>

#include "libprof/control/placeholders.hpp"
#include "tools/common/result_file.hpp"
#include "tools/run/unnoticed.hpp"

namespace prof::tools {
namespace {

namespace fs = std::filesystem;

/// A window may be that young when its metrics are made.
constexpr int kTickMs = 2000;
/// So many ticks after a failure, without another window.
constexpr int kTicksUntilRetry = 15;
/// More than any program has that is alive, and fewer than a command line takes.
constexpr std::size_t kMostProcesses = 1000;

/// Matches the names of the run's traces; what its groups match is the same in all windows of a
/// process. A process beside the first one has its id before the extension.
std::regex name_pattern(const std::string& template_name) {
  std::size_t extension = template_name.rfind('.');
  if (extension == std::string::npos || extension == 0) extension = template_name.size();
  std::string literal;
  for (std::size_t i = 0; i <= template_name.size(); ++i) {
    if (i == extension) literal += R"(((?:\.[0-9]+)*))";
    if (i == template_name.size()) break;
    if (std::strchr(R"(^$\.*+?()[]{}|)", template_name[i]) != nullptr) literal += '\\';
    literal += template_name[i];
  }
  return std::regex(fill_placeholders(literal, {"([0-9]+)", "(.*)", "(.*)", "[0-9]+"}));
}

/// Everything that may be a trace of the plan, by process.
std::map<std::string, ChangedFiles> windows_by_process(const std::string& traces) {
  const fs::path path(traces);
  const std::regex pattern = name_pattern(path.filename().string());
  std::map<std::string, ChangedFiles> found;
  std::error_code error;
  for (fs::directory_iterator at(path.parent_path(), error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    std::smatch match;
    struct stat info {};
    if (!std::regex_match(name, match, pattern) || lstat(at->path().c_str(), &info) != 0) continue;
    std::string process;
    for (std::size_t i = 1; i < match.size(); ++i) process.append(match[i].str()).append("/");
    found[process][at->path().string()] =
        std::int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
  }
  return found;
}

/// Runs prof-report over the traces, whose paths are absolute, and waits for it. It writes the file
/// in one go, or not at all.
bool make_metrics(const MetricsPlan& plan, const std::vector<std::string>& traces) {
  std::vector<const char*> words = {plan.reporter.c_str(), "--export", "prometheus", "-o",
                                    plan.file.c_str()};
  for (const std::string& trace : traces) words.push_back(trace.c_str());
  words.push_back(nullptr);
  const pid_t reporter = fork();
  if (reporter == 0) {
    execv(plan.reporter.c_str(), const_cast<char* const*>(words.data()));  // NOLINT
    _exit(1);
  }
  int status = 1;
  while (reporter > 0 && waitpid(reporter, &status, 0) < 0 && errno == EINTR) {
  }
  return reporter > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Lowers this process to idle priority, so that the program does not feel it, and resets what
/// prof-report must not inherit.
void become_idle() {
  const sched_param none{};
  sched_setscheduler(0, SCHED_IDLE, &none);
  signal(SIGCHLD, SIG_DFL);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_UNBLOCK, &all, nullptr);
  unsetenv("LD_PRELOAD");
}

/// Runs until the program ends, which `end` signals.
void write_metrics(const MetricsPlan& plan, int end) {
  become_idle();
  std::vector<std::string> tried;
  std::set<std::string> done;  // windows: what is left when others are moved away is old
  int ticks_until_retry = 0;   // 0: the last one succeeded
  for (bool has_ended = false; !has_ended;) {
    pollfd ends{end, POLLIN, 0};
    has_ended = poll(&ends, 1, kTickMs) > 0;
    std::vector<std::string> traces = last_windows(plan);
    const bool is_due = traces != tried || (ticks_until_retry > 0 && --ticks_until_retry == 0);
    const bool has_new =
        std::ranges::any_of(traces, [&](const std::string& one) { return !done.contains(one); });
    if (!has_new || (!is_due && !(has_ended && ticks_until_retry > 0))) continue;
    const bool is_done = make_metrics(plan, traces);
    if (is_done) done.insert(traces.begin(), traces.end());
    ticks_until_retry = is_done ? 0 : kTicksUntilRetry;
    tried = std::move(traces);
  }
}

}  // namespace

std::vector<std::string> last_windows(const MetricsPlan& plan) {
  using Window = std::pair<std::int64_t, std::string>;  // when it was written, its path
  std::vector<std::vector<Window>> processes;           // newest windows first
  for (const auto& [process, files] : windows_by_process(plan.traces)) {
    std::vector<Window> windows;
    for (const auto& [path, changed_ns] : files) {
      const auto before = plan.existing.find(path);
      if (before != plan.existing.end() && before->second == changed_ns) continue;
      windows.emplace_back(changed_ns, path);
    }
    std::ranges::sort(windows, std::greater{});
    if (!windows.empty()) processes.push_back(std::move(windows));
  }
  std::ranges::sort(processes, std::greater{});
  if (processes.size() > kMostProcesses) processes.resize(kMostProcesses);
  std::vector<std::string> paths;
  for (const std::vector<Window>& windows : processes) {
    const std::vector<Window>& newest = processes.front();
    if (newest.size() > 2 && windows.front().first < newest[2].first) continue;
    paths.push_back(windows.front().second);
  }
  std::ranges::sort(paths);
  return paths;
}

Result<MetricsPlan> plan_metrics(const std::string& file, const std::string& traces,
                                 const std::string& own_path) {
  std::error_code error;
  const fs::path target = fs::absolute(file, error);
  if (fs::is_directory(target, error)) return Error{"is a folder", file, "--metrics names a file"};
  if (fs::exists(target, error) && !fs::is_regular_file(target, error)) {
    return Error{"is no regular file", file, "--metrics replaces a file by another one"};
  }
  const fs::path trace(traces);
  if (target.parent_path() == trace.parent_path() &&
      std::regex_match(target.filename().string(), name_pattern(trace.filename().string()))) {
    return Error{"may be the name of a window's trace", file, "give --metrics another name"};
  }
  // As prof-report will; what is created is gone at once.
  if (const auto possible = ResultFile::create(target.string()); !possible) return possible.error();
  const fs::path reporter = fs::path(own_path).parent_path() / "prof-report";
  if (access(reporter.c_str(), X_OK) != 0) {
    return Error{"is not there, and makes the metrics", reporter.string(), "install it"};
  }
  MetricsPlan plan{.file = target.string(), .traces = traces, .reporter = reporter.string()};
  for (auto& [process, files] : windows_by_process(traces)) plan.existing.merge(files);
  return plan;
}

Status leave_metrics_writer(const MetricsPlan& plan) {
  constexpr const char* kOption = "--metrics";
  if (!can_leave_unnoticed()) {
    return Error{"no process can stay behind to write it: the program would be its parent", kOption,
                 "start prof-run by a shell or an init process such as tini"};
  }
  const int end = static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0));
  int started[2] = {-1, -1};
  if (end < 0 || pipe2(started, O_CLOEXEC) != 0) {
    const Error error{
        std::string("no process can watch the program: ") + std::strerror(errno), kOption, {}};
    if (end >= 0) close(end);
    return error;
  }
  leave_unnoticed({.kept = {end, started[1]}, .life = [&] {
                     const bool is_told = write(started[1], "", 1) == 1;
                     close(started[1]);
                     if (is_told) write_metrics(plan, end);
                   }});
  close(started[1]);
  char one = 0;
  const bool is_left = read(started[0], &one, 1) == 1;
  close(started[0]);
  close(end);
  if (is_left) return {};
  return Error{"the process that writes it could not be started", kOption, {}};
}

}  // namespace prof::tools
