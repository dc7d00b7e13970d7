// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernel names: from what CUPTI gives to what a person reads. Names come from the traced program
// and may be anything, so every function takes any bytes and always answers something. What a name
// says about the kernel is in signatures.hpp. Pure functions, any thread.
#pragma once

#include <string>
#include <string_view>

namespace prof::kernels {

/// The C++ name of a mangled symbol; the name itself if it is not mangled or cannot be read.
std::string demangle(std::string_view name);

/// `demangled` without return type, template arguments, parameters, the namespaces `at::native` at
/// the front and `(anonymous namespace)` anywhere. Never empty for a name that is not empty.
std::string short_name(std::string_view demangled);

}  // namespace prof::kernels
