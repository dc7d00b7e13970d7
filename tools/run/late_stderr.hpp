// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A way to print a line on what was descriptor 2 once the program that had it is gone, though
// nobody may notice meanwhile (docs/decisions/0004-harmless.md). A terminal is opened again. A
// pipe, whose reader leaves with the last writer, is held open by a writer of our own, which must
// be given up as soon as the program has none. Of a file the descriptor is kept: with another one
// the line would not move the place where others write next. One thread.
#pragma once

#include <sys/types.h>

#include <array>
#include <string_view>

namespace prof::tools {

class LateStderr {
 public:
  /// Looks at descriptor 2; all of its own descriptors are close-on-exec.
  LateStderr();
  LateStderr(const LateStderr&) = delete;
  LateStderr& operator=(const LateStderr&) = delete;
  ~LateStderr();

  /// Its own; -1: unused.
  [[nodiscard]] std::array<int, 3> descriptors() const { return {path_, writer_, closings_}; }
  /// Readable when a writer of the pipe has closed it; -1: there is nothing to watch.
  [[nodiscard]] int closings() const { return closings_; }
  /// Takes note of closings; then look whether the program still has it.
  void take_closings() const;
  [[nodiscard]] bool is_held_by(pid_t program) const;
  /// The pipe's reader may see its end.
  void give_up_pipe();

  /// Waits at most 200 ms for a reader.
  void print(std::string_view text) const;

 private:
  int path_ = -1, writer_ = -1, closings_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace prof::tools
