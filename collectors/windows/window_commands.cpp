// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/windows/window_commands.hpp"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <string_view>
#include <utility>

#include "collectors/core/internal_thread.hpp"
#include "libprof/control/control_socket.hpp"
#include "libprof/control/control_words.hpp"

namespace prof::collectors {
namespace {

/// Delay after which the thread notices that the program has closed the socket.
constexpr int kPollMs = 1000;

/// State of the serving thread. Never freed: the exit leaves the thread behind, which may be busy
/// with a command.
struct Server {
  std::unique_ptr<ControlServer> socket;
  WindowCommands commands;
  std::string path;
  std::atomic<bool> is_stopping{false};
};
constinit std::atomic<Server*> g_server{nullptr};

std::string answer(const WindowCommands& commands, std::string_view word) {
  if (word == "status") return control_ok(commands.description());
  const bool was_open = commands.is_open();
  if (word == "start") {
    if (was_open) return control_error("a window is open already");
    commands.control(true);
    if (!commands.is_open()) {
      return control_error(
          "no window was opened: the delay is not over, or CUPTI is not available "
          "(the program's stderr says why)");
    }
    return control_ok(commands.description());
  }
  if (!was_open) return control_error("no window is open");
  if (word == "stop") {
    commands.control(false);
    return control_ok(commands.description());
  }
  const Status flushed = commands.flush();
  return flushed ? control_ok(commands.description()) : control_error(flushed.error().to_line());
}

void serve(Server& server) {
  for (;;) {
    pollfd wait{server.socket->fd(), POLLIN, 0};
    if (wait.fd < 0 || server.is_stopping.load()) break;
    if (poll(&wait, 1, kPollMs) <= 0 || server.is_stopping.load()) continue;
    server.socket->serve([&](std::string_view word) { return answer(server.commands, word); });
  }
  server.socket->close_and_remove();
}

}  // namespace

Status serve_commands(WindowCommands commands) {
  auto socket = ControlServer::open(getpid());
  if (!socket) return socket.error();
  std::string path = (*socket)->path();
  auto* const server = new Server{std::move(*socket), std::move(commands), std::move(path)};
  g_server.store(server);
  start_internal_thread("prof-control", [server] { serve(*server); }).detach();
  return {};
}

void stop_commands() noexcept {
  Server* const server = g_server.exchange(nullptr);
  if (server == nullptr) return;
  server->is_stopping.store(true);
  unlink(server->path.c_str());
}

void forget_commands() noexcept {
  Server* const server = g_server.exchange(nullptr);
  if (server != nullptr) server->socket->forget_in_child();
}

}  // namespace prof::collectors
