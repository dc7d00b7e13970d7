// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/run/steer.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

#include "libprof/control/control_folder.hpp"
#include "libprof/control/control_words.hpp"

namespace prof::tools {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

Error failed(std::string line) { return {std::move(line), "", ""}; }
std::string name_of(pid_t pid) { return "process " + std::to_string(pid); }

class Connection {
 public:
  explicit Connection(int number) : number_(number) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() {
    if (number_ >= 0) close(number_);
  }
  [[nodiscard]] int get() const { return number_; }

 private:
  int number_;
};

/// Facts about a process from /proc; hidden facts are absent.
struct ProcessFacts {
  bool exists = false;
  char state = '?';
  std::optional<uid_t> user;  ///< The user as which it acts.
};

ProcessFacts facts_of(pid_t pid) {
  ProcessFacts facts;
  facts.exists = kill(pid, 0) == 0 || errno != ESRCH;
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    std::istringstream words(line);
    std::string key;
    uid_t real = 0, effective = 0;
    words >> key;
    if (key == "State:") words >> facts.state;
    if (key == "Uid:" && words >> real >> effective) facts.user = effective;
  }
  return facts;
}

/// Why a process has no socket that we could use. `refused`: folders that are not the user's own.
Error explain(pid_t pid, uid_t user, const std::string& refused) {
  const ProcessFacts facts = facts_of(pid);
  if (!facts.exists) return failed("there is no process " + std::to_string(pid));
  if (facts.state == 'Z' || facts.state == 'X') return failed(name_of(pid) + " has ended");
  if (facts.user.has_value() && *facts.user != user) {
    return failed(name_of(pid) + " belongs to user " + std::to_string(*facts.user) +
                  ": only that user may steer it");
  }
  return failed(name_of(pid) + " takes no commands: start it with prof-run --capture control" +
                refused);
}

enum class Reached : std::uint8_t { kYes, kNobody, kTooLate };

milliseconds until(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
  return std::max(left, milliseconds(0));
}

/// Waits while the queue of connections is full.
Reached connect_to(int socket, const sockaddr_un& address, Clock::time_point deadline) {
  for (;;) {
    if (connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
      return Reached::kYes;
    if (errno != EAGAIN && errno != EINTR) return Reached::kNobody;
    if (until(deadline).count() == 0) return Reached::kTooLate;
    poll(nullptr, 0, 5);
  }
}

Error no_answer(pid_t pid, milliseconds patience) {
  const bool is_stopped = facts_of(pid).state == 'T';
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(patience).count();
  return failed(name_of(pid) + " does not answer within " + std::to_string(seconds) + " s" +
                (is_stopped ? ": it is stopped (continue it with kill -CONT)" : ""));
}

/// The outcome of one connection.
struct Attempt {
  enum class End : std::uint8_t { kAnswered, kNobody, kNotRead, kTooLate, kClosed, kOtherUser };
  End end = End::kNobody;
  std::string answer;
};

Attempt::End receive(int connection, Clock::time_point deadline, std::string& answer) {
  for (;;) {
    pollfd wait{connection, POLLIN, 0};
    const int ready = poll(&wait, 1, static_cast<int>(until(deadline).count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return Attempt::End::kTooLate;
    answer.resize(kMaxControlAnswer);
    const ssize_t bytes = recv(connection, answer.data(), answer.size(), MSG_DONTWAIT);
    if (bytes < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    // A server that closes without having read the request resets the connection.
    if (bytes < 0) return Attempt::End::kNotRead;
    answer.resize(static_cast<std::size_t>(bytes));
    return bytes == 0 ? Attempt::End::kClosed : Attempt::End::kAnswered;
  }
}

Attempt try_once(pid_t pid, uid_t user, const std::string& path, std::string_view word,
                 Clock::time_point deadline) {
  using End = Attempt::End;
  const auto address = control_address(path);
  if (!address) return {};
  const Connection connection(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const Reached reached = connect_to(connection.get(), *address, deadline);
  if (reached != Reached::kYes)
    return {reached == Reached::kTooLate ? End::kTooLate : End::kNobody, ""};
  ucred peer{};
  socklen_t bytes = sizeof peer;
  if (getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0) return {};
  if (peer.uid != user) return {End::kOtherUser, ""};
  // A process of another PID namespace, as containers have, that shares the folder.
  if (peer.pid != pid) return {};
  const std::string request = control_request(word);
  const ssize_t sent = send(connection.get(), request.data(), request.size(), MSG_NOSIGNAL);
  if (sent < 0) return {End::kNotRead, ""};
  Attempt attempt;
  attempt.end = receive(connection.get(), deadline, attempt.answer);
  return attempt;
}

Result<std::string> text_of(pid_t pid, const std::string& answer) {
  const auto read = read_control_answer(answer);
  if (!read) return failed(name_of(pid) + " gave an answer that this prof-run does not understand");
  if (read->is_ok) return std::string(read->text);
  return failed(name_of(pid) + ": " + std::string(read->text));
}

}  // namespace

milliseconds patience_with(std::string_view word) {
  return std::chrono::seconds(word == "stop" || word == "flush" ? 60 : 10);
}

Result<std::string> steer(pid_t pid, std::string_view word, milliseconds patience) {
  using End = Attempt::End;
  const uid_t user = geteuid();
  const Clock::time_point deadline = Clock::now() + patience;
  std::string refused;
  for (const std::string& folder : control_folders(user)) {
    struct stat info {};
    if (lstat(folder.c_str(), &info) != 0) continue;
    if (const Status checked = check_control_folder(folder, user); !checked) {
      refused +=
          " (not looked for in " + checked.error().where + ", which " + checked.error().what + ")";
      continue;
    }
    const std::string path = control_socket(folder, pid);
    for (;;) {
      const Attempt attempt = try_once(pid, user, path, word, deadline);
      if (attempt.end == End::kNobody) break;
      if (attempt.end == End::kAnswered) return text_of(pid, attempt.answer);
      if (attempt.end == End::kOtherUser)
        return failed(name_of(pid) + ": " + path + " is another user's: nothing was sent");
      const bool is_late = until(deadline).count() == 0;
      if (attempt.end == End::kTooLate || is_late) return no_answer(pid, patience);
      if (attempt.end == End::kClosed) {
        return failed(name_of(pid) + (facts_of(pid).exists
                                          ? " closed the connection without an answer"
                                          : " ended before it answered"));
      }
      poll(nullptr, 0, 5);  // It has not read the command: again.
    }
  }
  return explain(pid, user, refused);
}

}  // namespace prof::tools
