// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ControlServer: the socket of a profiled process through which prof-run --pid steers its capture.
// It lives in the program's descriptor table, so each use first checks that a number still is ours:
// some programs close every descriptor and get the numbers again for their own files.
//
// Who may ask: processes of the user whom this process acted as when the socket was made, and
// nobody else. The folder keeps other users out, and each client's user is checked once more. Root
// is no exception, although nothing could keep it out: root can become that user, and "the same
// user" is a rule without cases.
//
// Threads: one at a time. Nothing here waits for a client for more than 100 ms a call.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "libprof/base/output_file.hpp"
#include "libprof/base/result.hpp"

namespace prof {

class ControlServer {
 public:
  /// Gets "start", "stop", "flush" or "status". Returns control_ok() or control_error()
  /// (control_words.hpp); beyond kMaxControlAnswer bytes it is cut.
  using Answer = std::function<std::string(std::string_view word)>;

  /// Makes the folder and PID.sock in it. A socket that a dead process left there is replaced;
  /// those that other dead processes of this user left are removed.
  static Result<std::unique_ptr<ControlServer>> open(pid_t pid);

  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;
  ~ControlServer() { close_and_remove(); }

  /// To poll for POLLIN; -1: the program closed it, or it is closed.
  [[nodiscard]] int fd() const noexcept;
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Accepts clients that wait, some at a time, and answers them. For when fd() is readable; may be
  /// called at any time.
  void serve(const Answer& answer) noexcept;

  void close_and_remove() noexcept;
  /// In a forked child: closes its copy of the socket, which stays the parent's. Takes no memory
  /// and no lock.
  void forget_in_child() noexcept;

 private:
  /// A number in the program's table and what we got it for.
  class Socket {
   public:
    Socket() = default;
    explicit Socket(int number);
    [[nodiscard]] int number() const noexcept { return number_; }
    [[nodiscard]] bool is_ours() const noexcept;
    void close() noexcept;

   private:
    int number_ = -1;
    FileIdentity file_ = {};
  };
  enum class Accepted : std::uint8_t { kOne, kNone, kAgain, kNoRoom, kLost };

  ControlServer(std::string path, Socket listener, uid_t user);
  Accepted accept_into(Socket& client) noexcept;
  [[nodiscard]] bool is_same_user(const Socket& client) const noexcept;
  static void answer_request(Socket& client, const Answer& answer) noexcept;
  void answer_clients(const Answer& answer) noexcept;

  static constexpr std::size_t kClients = 16;  ///< At a time.

  std::string path_;
  FileIdentity file_;  ///< At path_.
  Socket listener_;
  std::array<Socket, kClients> clients_{};
  uid_t user_;
  pid_t owner_;
};

}  // namespace prof
