// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Pager: a program that shows text a screen at a time, on the terminal that is stdout: $PAGER, else
// less; with LESS=FRSX unless that variable is set, as git has it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdio>
#include <string_view>

namespace prof::tools {

/// Rows that the text takes on a terminal of that width, where long lines are broken.
std::size_t rows_of(std::string_view text, std::size_t width);

class Pager {
 public:
  Pager() = default;
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;
  ~Pager() { close(); }

  /// What is written here is shown; this object owns it. Until it is closed, the keyboard's signals
  /// are the pager's. Null: there is to be none ($PAGER is empty or "cat", TERM is "dumb"). One
  /// that is not installed shows the text as it is.
  std::FILE* start();
  /// Waits until the user has left it: before anything else is written to the terminal.
  void close();

 private:
  using Handler = void (*)(int);

  std::FILE* stream_ = nullptr;
  pid_t process_ = 0;
  Handler on_interrupt_ = nullptr, on_quit_ = nullptr;
};

}  // namespace prof::tools
