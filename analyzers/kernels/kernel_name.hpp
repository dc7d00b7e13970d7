// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernel names: from CUPTI's symbols to readable names. Names come from the traced program and may
// be anything, so every function accepts any bytes and always returns something. The facts that a
// name states about the kernel are in signatures.hpp. Pure functions, any thread.
#pragma once

#include <string>
#include <string_view>

namespace prof::kernels {

/// The C++ name of a mangled symbol; the name itself if it is not mangled or cannot be demangled.
std::string demangle(std::string_view name);

/// `demangled` without return type, template arguments, parameters, a leading `at::native` and any
/// `(anonymous namespace)`. Never empty for a non-empty name.
std::string short_name(std::string_view demangled);

}  // namespace prof::kernels
