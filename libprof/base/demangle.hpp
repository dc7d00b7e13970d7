// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Demangles C++ symbols. Any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace prof {

/// Null: not a mangled symbol, or one that the demangler rejects; nvcc makes some.
std::optional<std::string> demangled(std::string_view symbol);

}  // namespace prof
