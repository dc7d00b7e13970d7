// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/common/pager.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>
#include <utility>

#include "tools/common/unicode.hpp"
#include "tools/common/words.hpp"

namespace prof::tools {
namespace {

/// Without sequences such as "\x1b[1m".
std::string without_styles(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\x1b') {
      at = std::min(text.find('m', at), text.size());
    } else {
      plain += text[at];
    }
  }
  return plain;
}

std::string pager_command() {
  const char* const term = std::getenv("TERM");
  if (term != nullptr && std::string_view(term) == "dumb") return {};
  const char* const chosen = std::getenv("PAGER");
  const std::string_view pager = chosen != nullptr ? chosen : "less";
  if (pager.empty() || pager == "cat") return {};
  // Whether the first word is a program is the shell's to say.
  return fmt::format("export LESS=\"${{LESS-FRSX}}\"; command -v {} >/dev/null || exec cat; {}",
                     shell_word(pager.substr(0, pager.find(' '))), pager);
}

}  // namespace

std::size_t rows_of(std::string_view text, std::size_t width) {
  std::size_t rows = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::size_t columns = display_width(without_styles(text.substr(0, end)));
    rows += std::max<std::size_t>(1, (columns + width - 1) / std::max<std::size_t>(width, 1));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return rows;
}

void Pager::close() {
  if (process_ == 0) return;
  if (stream_ != nullptr) static_cast<void>(std::fclose(std::exchange(stream_, nullptr)));
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  process_ = 0;
  static_cast<void>(std::signal(SIGINT, on_interrupt_));
  static_cast<void>(std::signal(SIGQUIT, on_quit_));
}

std::FILE* Pager::start() {
  std::string command = pager_command();
  std::array<int, 2> ends{};
  if (command.empty() || pipe2(ends.data(), O_CLOEXEC) != 0) return nullptr;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  // What this process ignores, the pager should not.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  for (const int ignored : {SIGPIPE, SIGXFSZ, SIGINT, SIGQUIT}) sigaddset(&defaults, ignored);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  std::string shell = "sh", option = "-c";
  const std::array<char*, 4> words = {shell.data(), option.data(), command.data(), nullptr};
  const int failed = posix_spawnp(&process_, "sh", &actions, &attributes, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  ::close(ends[0]);
  if (failed != 0) {
    process_ = 0;
    ::close(ends[1]);
    return nullptr;
  }
  on_interrupt_ = std::signal(SIGINT, SIG_IGN);
  on_quit_ = std::signal(SIGQUIT, SIG_IGN);
  stream_ = fdopen(ends[1], "w");
  if (stream_ == nullptr) ::close(ends[1]);
  return stream_;
}

}  // namespace prof::tools
