// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Programs that run with more rights than the user who started them. That user controls the
// environment, so in such a program the environment may not choose code or files, see SECURITY.md.
// Any thread.
#pragma once

#include <sys/auxv.h>

namespace prof {

/// Whether the kernel started this program with more rights than its user has.
inline bool is_secure_program() noexcept { return getauxval(AT_SECURE) != 0; }

/// Completes a line that begins with the names of variables.
inline constexpr char kWhyIgnored[] =
    ": ignored, because this program runs with more rights than its user (set-user-id, "
    "set-group-id or file capabilities)";

}  // namespace prof
