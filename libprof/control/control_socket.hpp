// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ControlServer: the socket of a profiled process through which prof-run --pid controls its
// capture. It lives in the program's descriptor table, so each use first checks that a number still
// is ours: some programs close every descriptor and get the numbers again for their own files.
//
// Permitted clients: processes of the user that was this process's effective user when the socket
// was made, and nobody else. The folder keeps other users out, and each client's user is checked
// once more. Root is no exception, although nothing could keep it out: root can become that user,
// and "the same user" is a rule without special cases.
//
// Threads: one at a time. No function waits for a client for more than 100 ms per call.
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
  /// Receives "start", "stop", "flush" or "status". Returns control_ok() or control_error()
  /// (control_words.hpp); an answer is cut at kMaxControlAnswer bytes.
  using Answer = std::function<std::string(std::string_view word)>;

  /// Makes the folder and PID.sock in it. A socket that a dead process left there is replaced;
  /// sockets that other dead processes of this user left are removed.
  static Result<std::unique_ptr<ControlServer>> open(pid_t pid);

  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;
  ~ControlServer() { close_and_remove(); }

  /// Descriptor to poll for POLLIN; -1: the program closed it, or it is closed.
  [[nodiscard]] int fd() const noexcept;
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Accepts waiting clients, some at a time, and answers them. To be called when fd() is readable;
  /// may be called at any time.
  void serve(const Answer& answer) noexcept;

  void close_and_remove() noexcept;
  /// Called in a forked child: closes its copy of the socket, which stays the parent's. Allocates
  /// no memory and takes no lock.
  void forget_in_child() noexcept;

 private:
  /// A number in the program's table and the file for which it was opened.
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

  static constexpr std::size_t kClients = 16;  ///< Limit for clients served at the same time.

  std::string path_;
  FileIdentity file_;  ///< The file at path_.
  Socket listener_;
  std::array<Socket, kClients> clients_{};
  uid_t user_;
  pid_t owner_;
};

}  // namespace prof
