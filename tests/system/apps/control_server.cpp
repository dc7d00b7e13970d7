// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// control_server KIND: a process that takes commands as a profiled one does, without a GPU. Prints
// its socket once it listens, then each command; ends with its standard input.
//
// Kinds: window (start opens, stop closes), junk (an answer of no known form), odd (control
// characters in its answer), mute (never answers), slow (after 12 s), dies (at the first command).
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "libprof/control/control_socket.hpp"
#include "libprof/control/control_words.hpp"

namespace {

/// What a collector might say.
std::string answer_of_window(std::string_view word, bool& is_open) {
  const bool was_open = is_open;
  if (word == "start") {
    is_open = true;
    return was_open ? prof::control_error("a window is open already")
                    : prof::control_ok("window 1 is open");
  }
  if (word == "stop") {
    is_open = false;
    return was_open ? prof::control_ok("window 1 is closed: 3 kernels")
                    : prof::control_error("no window is open");
  }
  if (word == "flush") return prof::control_ok("");
  return prof::control_ok(was_open ? "open\n3 kernels" : "closed\n0 kernels");
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view kind = count > 1 ? arguments[1] : "window";
  const auto opened = prof::ControlServer::open(getpid());
  if (!opened.ok()) {
    std::fprintf(stderr, "%s\n", opened.error().to_line().c_str());
    return 1;
  }
  prof::ControlServer& server = *opened.value();
  std::printf("%s\n", server.path().c_str());
  std::fflush(stdout);
  bool is_open = false;
  for (;;) {
    pollfd waits[] = {{STDIN_FILENO, POLLIN, 0}, {kind == "mute" ? -1 : server.fd(), POLLIN, 0}};
    if (poll(waits, 2, -1) < 0) return 1;
    if (waits[0].revents != 0) return 0;
    server.serve([&](std::string_view word) -> std::string {
      std::printf("%.*s\n", static_cast<int>(word.size()), word.data());
      std::fflush(stdout);
      if (kind == "dies") _exit(3);
      if (kind == "junk") return "hm";
      if (kind == "odd") return "ok \x1b[31mred\x07";
      if (kind == "slow") sleep(12);
      return answer_of_window(word, is_open);
    });
  }
}
