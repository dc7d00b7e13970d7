// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Lines for the user, see say.hpp.
#include "collectors/inject/say.hpp"

#include <unistd.h>

#include <cerrno>
#include <string>

namespace prof::collectors {

void say(std::string_view line) {
  std::string text = "prof: ";
  for (char c : line) text += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  text += '\n';
  const int before = errno;
  // Where stderr is closed there is nobody to tell.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
  errno = before;
}

}  // namespace prof::collectors
