// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// prof-run becomes the program: the same process, so that nothing stands between the program and
// whoever started it (docs/decisions/0004-harmless.md). One thread.
#pragma once

#include <signal.h>

#include <array>
#include <string>
#include <vector>

#include "tools/run/launch_plan.hpp"

namespace prof::tools {

/// The inherited actions of the signals that prof-run itself must not get: a message to a closed
/// pipe or a full file must not end it. One at a time; create it first, so that no message is
/// printed without it.
class OwnSignals {
 public:
  OwnSignals();
  OwnSignals(const OwnSignals&) = delete;
  OwnSignals& operator=(const OwnSignals&) = delete;
  /// Restores what was inherited.
  ~OwnSignals() { give_back(); }
  void give_back() const;
  void take_again() const;

 private:
  static constexpr int kSignals = 2;
  std::array<struct sigaction, kSignals> inherited_;
};

/// Replaces this process by `command`, with `variables` set, in this process's folder and with its
/// files and its inherited signal actions. Returns only if that fails: errno.
int become_program(const std::vector<std::string>& command, const Variables& variables,
                   const OwnSignals& signals);

}  // namespace prof::tools
