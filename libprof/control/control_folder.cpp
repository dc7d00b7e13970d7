// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/control/control_folder.hpp"

#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace prof {
namespace {

constexpr mode_t kOthersMayWrite = S_IWGRP | S_IWOTH, kPermissions = 0777;

/// $XDG_RUNTIME_DIR/prof; none: the variable is of no use to `user`. The path must fit for any
/// process id, so that all processes of one environment share a folder.
std::optional<std::string> runtime_folder(uid_t user) {
  const char* const runtime = secure_getenv("XDG_RUNTIME_DIR");
  if (runtime == nullptr || *runtime != '/') return std::nullopt;
  struct stat info {};
  if (stat(runtime, &info) != 0 || !S_ISDIR(info.st_mode)) return std::nullopt;
  if (info.st_uid != user || (info.st_mode & kOthersMayWrite) != 0) return std::nullopt;
  std::string folder = std::string(runtime) + "/prof";
  const std::string longest = control_socket(folder, std::numeric_limits<pid_t>::max());
  if (!control_address(longest)) return std::nullopt;
  return folder;
}

std::string shared_folder(uid_t user) { return "/tmp/prof-" + std::to_string(user); }

std::string octal(mode_t permissions) {
  std::string digits = "0000";
  for (std::size_t i = digits.size(); i-- > 0; permissions >>= 3U)
    digits[i] = static_cast<char>('0' + (permissions & 7U));
  return digits;
}

}  // namespace

std::string control_folder(uid_t user) {
  return runtime_folder(user).value_or(shared_folder(user));
}

std::vector<std::string> control_folders(uid_t user) {
  std::vector<std::string> folders = {control_folder(user)};
  // Under sudo, in cron and in containers the variable is often missing on one side.
  for (std::string folder : {"/run/user/" + std::to_string(user) + "/prof", shared_folder(user)}) {
    if (std::find(folders.begin(), folders.end(), folder) == folders.end())
      folders.push_back(std::move(folder));
  }
  return folders;
}

Status check_control_folder(const std::string& folder, uid_t user) {
  constexpr const char* kRemove = "remove it, or set XDG_RUNTIME_DIR to a folder of your own";
  struct stat info {};
  // Nobody else can replace the folder afterwards: /tmp is sticky, XDG_RUNTIME_DIR the user's own.
  if (lstat(folder.c_str(), &info) != 0)
    return Error{strerrordesc_np(errno), folder, "set XDG_RUNTIME_DIR to a folder of your own"};
  if (S_ISLNK(info.st_mode))
    return Error{"is a symbolic link, and must be a folder", folder, kRemove};
  if (!S_ISDIR(info.st_mode)) return Error{"is not a folder", folder, kRemove};
  if (info.st_uid != user) {
    return Error{"belongs to user " + std::to_string(info.st_uid), folder,
                 "set XDG_RUNTIME_DIR to a folder of your own"};
  }
  if ((info.st_mode & kPermissions) != S_IRWXU) {
    return Error{"has the permissions " + octal(info.st_mode & kPermissions) +
                     ", and must be its user's alone",
                 folder, "set them to 0700 (chmod 700)"};
  }
  return {};
}

std::string control_socket(const std::string& folder, pid_t pid) {
  return folder + "/" + std::to_string(pid) + ".sock";
}

std::optional<sockaddr_un> control_address(const std::string& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket.size() >= sizeof address.sun_path) return std::nullopt;
  std::memcpy(address.sun_path, socket.data(), socket.size());
  return address;
}

}  // namespace prof
