// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Pager: a program that shows text a screen at a time, on the terminal that is stdout: $PAGER, else
// less; with LESS=FRSX unless that variable is set, as git has it.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <optional>
#include <string_view>

namespace prof::tools {

/// Rows of the terminal behind a descriptor; absent if it is no terminal or they are not known.
std::optional<std::size_t> terminal_height(int descriptor);

/// Rows that the text takes on a terminal of that width, where long lines are broken.
std::size_t rows_of(std::string_view text, std::size_t width);

class Pager {
 public:
  Pager() = default;
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;
  /// Waits until the user has left it.
  ~Pager();

  /// What is written here is shown; this object owns it. Null: there is no pager, or it is none
  /// ($PAGER is empty or "cat", TERM is "dumb").
  std::FILE* start();

 private:
  std::FILE* stream_ = nullptr;
  pid_t process_ = 0;
};

}  // namespace prof::tools
