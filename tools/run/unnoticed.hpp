// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Processes that prof-run leaves behind when it becomes the program, and of which the program knows
// nothing: they are no children of it, in no group or session of it, and have none of its
// descriptors (docs/decisions/0004-harmless.md).
#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

namespace prof::tools {

struct Unnoticed {
  std::vector<int> kept;  ///< Descriptors that stay open.
  /// Called in another process that ends at once, if there is something to do with its id;
  /// negative: it could not be started.
  std::function<void(pid_t)> is_left = {};
  std::function<void()> life;  ///< The work of the process, until it ends.
};

/// False: an orphan would become the program's child.
bool can_leave_unnoticed();
/// Only if it can. One thread.
void leave_unnoticed(Unnoticed process);

}  // namespace prof::tools
