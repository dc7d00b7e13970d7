// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Script commands about the program's own descriptors.
// clang-format off
//   replace N FILE       closes descriptor N and opens FILE, emptied, as N
//   close N
//   fill N               writes to descriptor N until it takes no more
// clang-format on
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "runner.hpp"

namespace {

int descriptor(const Statement& statement) { return static_cast<int>(count_word(statement, 1, 0)); }

void replace(Runner&, const Statement& statement) {
  const int wanted = descriptor(statement);
  close(wanted);
  const int file = open(statement.words.at(2).c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (file < 0) std::exit(73);
  if (file == wanted) return;
  if (dup2(file, wanted) < 0) std::exit(73);
  close(file);
}

void close_one(Runner&, const Statement& statement) { close(descriptor(statement)); }

void fill(Runner&, const Statement& statement) {
  const int wanted = descriptor(statement);
  const int flags = fcntl(wanted, F_GETFL);
  if (flags < 0 || fcntl(wanted, F_SETFL, flags | O_NONBLOCK) != 0) std::exit(74);
  const std::string block(4096, '.');
  while (write(wanted, block.data(), block.size()) > 0) {
  }
  fcntl(wanted, F_SETFL, flags);
}

}  // namespace

void add_descriptor_commands(CommandTable& table) {
  table["replace"] = replace;
  table["close"] = close_one;
  table["fill"] = fill;
}
