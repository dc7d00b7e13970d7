// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The version of what the analyzers say. Bump it with every change after which some trace is
// attributed differently, or some cell of GPU work reads differently: an attribution that an
// earlier version saved is stale then (docs/sql.md).
#pragma once

#include <string_view>

namespace prof {

inline constexpr std::string_view kAnalyzersVersion = "12";

}  // namespace prof
