// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/control/control_socket.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "libprof/base/clock.hpp"
#include "libprof/base/own_descriptors.hpp"
#include "libprof/control/control_folder.hpp"
#include "libprof/control/control_words.hpp"

namespace prof {
namespace {

constexpr std::int64_t kClientPatienceNs = 100'000'000, kNsPerMs = 1'000'000;
constexpr int kBacklog = 64;
constexpr int kNewSocket = SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK;

enum class Listener : std::uint8_t { kNone, kDead, kAlive };

/// Probes for a listener behind a socket's name. The connection made for this and closed harms no
/// listener.
Listener listener_at(const sockaddr_un& address) noexcept {
  const int probe = set_apart(socket(AF_UNIX, kNewSocket, 0));
  if (probe < 0) return Listener::kAlive;  // Unknown: nothing is removed.
  const auto* const to = reinterpret_cast<const sockaddr*>(&address);
  const int error = connect(probe, to, sizeof address) == 0 ? 0 : errno;
  ::close(probe);
  if (error == ENOENT) return Listener::kNone;
  return error == ECONNREFUSED ? Listener::kDead : Listener::kAlive;
}

/// "123.sock" -> 123.
std::optional<pid_t> pid_of(std::string_view name) {
  constexpr std::string_view kSuffix = ".sock";
  if (!name.ends_with(kSuffix)) return std::nullopt;
  name.remove_suffix(kSuffix.size());
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  if (error != std::errc() || end != name.data() + name.size() || pid <= 0) return std::nullopt;
  return pid;
}

/// Removes the sockets of processes that do not exist and that nobody listens on: a process in
/// another PID namespace, which has no number here, does listen.
void remove_dead_sockets(const std::string& folder) {
  constexpr int kMostEntries = 1000;
  DIR* const entries = opendir(folder.c_str());
  if (entries == nullptr) return;
  for (int i = 0; i < kMostEntries; ++i) {
    const dirent* const entry = readdir(entries);
    if (entry == nullptr) break;
    const auto pid = pid_of(entry->d_name);
    if (!pid || kill(*pid, 0) == 0 || errno != ESRCH) continue;
    const std::string path = control_socket(folder, *pid);
    const auto address = control_address(path);
    if (address && listener_at(*address) == Listener::kDead) unlink(path.c_str());
  }
  closedir(entries);
}

/// Makes room for this process's socket.
Status remove_old_socket(const std::string& path, const sockaddr_un& address) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return {};
  if (!S_ISSOCK(info.st_mode)) return Error{"exists and is not a socket", path, "remove it"};
  // The listener is alive: a process with the same id in another PID namespace, as containers have.
  if (listener_at(address) == Listener::kAlive) {
    return Error{"another process listens on this socket", path,
                 "set XDG_RUNTIME_DIR to a folder of your own for one of them"};
  }
  if (unlink(path.c_str()) != 0 && errno != ENOENT)
    return Error{std::string("cannot be replaced: ") + strerrordesc_np(errno), path, "remove it"};
  return {};
}

Error socket_error(const std::string& path) {
  return {std::string("the socket cannot be created: ") + strerrordesc_np(errno), path, ""};
}

/// The folder may have been made, here or by another process, under a umask that takes the user's
/// own permissions away. A folder that others can use is not touched.
void lift_umask(const std::string& folder, uid_t user) noexcept {
  struct stat info {};
  const bool is_own =
      lstat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == user;
  if (!is_own || (info.st_mode & (S_IRWXG | S_IRWXO)) != 0) return;
  fchmodat(AT_FDCWD, folder.c_str(), S_IRWXU, AT_SYMLINK_NOFOLLOW);
}

void send_text(int client, std::string_view text) noexcept {
  while (send(client, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
         errno == EINTR) {
  }
}

/// As much of the text as fits, without part of a character (UTF-8).
std::string_view cut(std::string_view text) noexcept {
  if (text.size() <= kMaxControlAnswer) return text;
  std::size_t end = kMaxControlAnswer;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
  return text.substr(0, end);
}

}  // namespace

ControlServer::Socket::Socket(int number) : number_(number), file_(identify(number)) {}

bool ControlServer::Socket::is_ours() const noexcept {
  return number_ >= 0 && file_.inode != 0 && identify(number_) == file_;
}

void ControlServer::Socket::close() noexcept {
  if (is_ours()) ::close(number_);
  number_ = -1;
}

ControlServer::ControlServer(std::string path, Socket listener, uid_t user)
    : path_(std::move(path)),
      file_(identify(path_)),
      listener_(listener),
      user_(user),
      owner_(getpid()) {}

Result<std::unique_ptr<ControlServer>> ControlServer::open(pid_t pid) {
  const uid_t user = geteuid();
  const std::string folder = control_folder(user);
  if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    return Error{std::string("the folder cannot be created: ") + strerrordesc_np(errno), folder,
                 "set XDG_RUNTIME_DIR to a folder of your own"};
  }
  lift_umask(folder, user);
  PROF_TRY(check_control_folder(folder, user));
  remove_dead_sockets(folder);
  const std::string path = control_socket(folder, pid);
  const auto address = control_address(path);
  if (!address) return Error{"the path is too long for a socket", path, ""};
  PROF_TRY(remove_old_socket(path, *address));
  Socket listener(set_apart(socket(AF_UNIX, kNewSocket, 0)));
  if (listener.number() < 0) return socket_error(path);
  // The umask must not be changed in a program with threads. Until chmod the folder protects it.
  if (bind(listener.number(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0) {
    const Error error = socket_error(path);
    listener.close();
    return error;
  }
  if (chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0 || listen(listener.number(), kBacklog) != 0) {
    const Error error = socket_error(path);
    listener.close();
    unlink(path.c_str());
    return error;
  }
  return std::unique_ptr<ControlServer>(new ControlServer(path, listener, user));
}

int ControlServer::fd() const noexcept { return listener_.is_ours() ? listener_.number() : -1; }

ControlServer::Accepted ControlServer::accept_into(Socket& client) noexcept {
  if (!listener_.is_ours()) return Accepted::kLost;
  const int number =
      set_apart(accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (number >= 0) {
    client = Socket(number);
    return Accepted::kOne;
  }
  switch (errno) {
    case EAGAIN:
      return Accepted::kNone;
    case EINTR:
    case ECONNABORTED:
      return Accepted::kAgain;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
      return Accepted::kNoRoom;
    default:
      return Accepted::kLost;
  }
}

bool ControlServer::is_same_user(const Socket& client) const noexcept {
  ucred peer{};
  socklen_t bytes = sizeof peer;
  return getsockopt(client.number(), SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 &&
         bytes == sizeof peer && peer.uid == user_;
}

void ControlServer::answer_request(Socket& client, const Answer& answer) noexcept {
  std::array<char, kMaxControlRequest> request;
  // The length of the whole packet, even if it exceeds the buffer. Descriptors that come with it
  // are discarded.
  const ssize_t bytes =
      recv(client.number(), request.data(), request.size(), MSG_DONTWAIT | MSG_TRUNC);
  if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (bytes <= 0) return client.close();
  const auto length = static_cast<std::size_t>(bytes);
  const auto word =
      length <= request.size() ? read_control_request({request.data(), length}) : std::nullopt;
  try {
    const std::string text =
        word ? answer(*word)
             : control_error("not understood: " + std::string(kControlWordsExpected) +
                             " expected (protocol prof1)");
    // An answer may take long.
    if (client.is_ours()) send_text(client.number(), cut(text));
  } catch (...) {
    if (client.is_ours()) send_text(client.number(), "error the command failed: out of memory");
  }
  client.close();
}

void ControlServer::answer_clients(const Answer& answer) noexcept {
  const std::int64_t deadline = clock_ns(CLOCK_MONOTONIC) + kClientPatienceNs;
  for (;;) {
    std::array<pollfd, kClients> waiting{};
    bool is_any = false;
    for (std::size_t i = 0; i < kClients; ++i) {
      waiting[i] = {clients_[i].is_ours() ? clients_[i].number() : -1, POLLIN, 0};
      is_any = is_any || waiting[i].fd >= 0;
    }
    if (!is_any) return;
    const std::int64_t left = std::max<std::int64_t>(deadline - clock_ns(CLOCK_MONOTONIC), 0);
    const int ready =
        poll(waiting.data(), waiting.size(), static_cast<int>((left + kNsPerMs - 1) / kNsPerMs));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return;
    bool is_one_done = false;
    for (std::size_t i = 0; i < kClients; ++i) {
      if (waiting[i].revents == 0) continue;
      if (clients_[i].is_ours()) answer_request(clients_[i], answer);
      is_one_done = is_one_done || !clients_[i].is_ours();
    }
    // Clients that sent a request while another was answered are still served.
    if (left == 0 && !is_one_done) return;
  }
}

void ControlServer::serve(const Answer& answer) noexcept {
  std::size_t count = 0;
  // Attempts are limited, not only clients, so that repeated interruptions end, too.
  for (std::size_t attempt = 0; attempt < 2 * kClients && count < kClients; ++attempt) {
    const Accepted accepted = accept_into(clients_[count]);
    if (accepted == Accepted::kLost) return listener_.close();
    // The client stays and would wake the caller at once, again and again.
    if (accepted == Accepted::kNoRoom)
      poll(nullptr, 0, static_cast<int>(kClientPatienceNs / kNsPerMs));
    if (accepted == Accepted::kNone || accepted == Accepted::kNoRoom) break;
    if (accepted == Accepted::kAgain) continue;
    if (is_same_user(clients_[count])) {
      ++count;
    } else {
      // If a request stays unread, the client gets no answer but a reset.
      char unread = 0;
      static_cast<void>(recv(clients_[count].number(), &unread, 1, MSG_DONTWAIT));
      send_text(clients_[count].number(), "error only the user of this process may steer it");
      clients_[count].close();
    }
  }
  answer_clients(answer);
  for (Socket& client : clients_) client.close();
}

void ControlServer::close_and_remove() noexcept {
  listener_.close();
  for (Socket& client : clients_) client.close();
  // Not in a child that has not forgotten it, and not if another process has put its socket there.
  if (owner_ == getpid() && file_.inode != 0 && identify(path_) == file_) unlink(path_.c_str());
  file_ = {};
}

void ControlServer::forget_in_child() noexcept {
  listener_.close();
  for (Socket& client : clients_) client.close();
  file_ = {};
}

}  // namespace prof
