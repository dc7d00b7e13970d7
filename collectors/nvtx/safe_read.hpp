// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads memory to which only a payload's bytes point. Asks the kernel whether a page is readable
// before touching it, so that a wrong pointer in a payload is counted instead of crashing the
// program. (Pointers passed in a call are trusted and read directly.) Threads: any.
#pragma once

#include <cstddef>

namespace prof::collectors {

/// Number of readable bytes from `address` on, at most `limit`; stops after the first zero unit (of
/// 1, 2 or 4 bytes) if `until_zero` is not 0.
std::size_t readable_bytes(const void* address, std::size_t limit, std::size_t until_zero) noexcept;

}  // namespace prof::collectors
