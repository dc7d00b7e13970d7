// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// C++ functions without what their names share: "void at::native::fill<at::Half>(int, at::Half)"
// is bare "fill<Half>".
#pragma once

#include <string>
#include <string_view>

namespace prof::reports {

/// `text` without its return type void, all namespaces and its parameters; `text` itself if it is
/// no demangled C++ function with parameters.
std::string bare_name(std::string_view text);

}  // namespace prof::reports
