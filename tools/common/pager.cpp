// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/common/pager.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <string>

#include "tools/common/unicode.hpp"

namespace prof::tools {
namespace {

std::string pager_command() {
  const char* const term = std::getenv("TERM");
  if (term != nullptr && std::string_view(term) == "dumb") return {};
  const char* const chosen = std::getenv("PAGER");
  // A shell says by 127 that there is no less: the text is then shown as it is.
  if (chosen == nullptr) return "command -v less >/dev/null && exec less || exec cat";
  return std::string_view(chosen) == "cat" ? "" : chosen;
}

}  // namespace

std::optional<std::size_t> terminal_height(int descriptor) {
  winsize size{};
  if (isatty(descriptor) == 0 || ioctl(descriptor, TIOCGWINSZ, &size) != 0) return std::nullopt;
  return size.ws_row > 0 ? std::optional<std::size_t>(size.ws_row) : std::nullopt;
}

std::size_t rows_of(std::string_view text, std::size_t width) {
  std::size_t rows = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::size_t columns = display_width(text.substr(0, end));
    rows += std::max<std::size_t>(1, (columns + width - 1) / std::max<std::size_t>(width, 1));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return rows;
}

Pager::~Pager() {
  if (stream_ != nullptr) static_cast<void>(std::fclose(stream_));
  while (process_ > 0 && waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::FILE* Pager::start() {
  std::string command = pager_command();
  std::array<int, 2> ends{};
  if (command.empty() || pipe2(ends.data(), O_CLOEXEC) != 0) return nullptr;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  // This process ignores SIGPIPE; the pager's children should not.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  setenv("LESS", "FRSX", 0);
  std::string shell = "sh", option = "-c";
  const std::array<char*, 4> words = {shell.data(), option.data(), command.data(), nullptr};
  const int failed = posix_spawnp(&process_, "sh", &actions, &attributes, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  close(ends[0]);
  if (failed != 0) {
    process_ = 0;
    close(ends[1]);
    return nullptr;
  }
  stream_ = fdopen(ends[1], "w");
  return stream_;
}

}  // namespace prof::tools
