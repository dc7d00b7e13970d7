// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading memory that only a payload's bytes point to. The kernel is asked whether a page can be
// read before it is touched, so that a wrong pointer in a payload costs a count and not the
// program. (Pointers that a program passes in a call are its promise, and are read directly.)
// Threads: any.
#pragma once

#include <cstddef>

namespace prof::collectors {

/// How many bytes from `address` on can be read, at most `limit`; stops behind the first zero unit
/// (of 1, 2 or 4 bytes) if `until_zero` is not 0.
std::size_t readable_bytes(const void* address, std::size_t limit, std::size_t until_zero) noexcept;

}  // namespace prof::collectors
