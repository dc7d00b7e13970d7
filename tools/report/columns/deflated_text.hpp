// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A stream of the columns format (docs/formats/columns.md): bytes as base64 of raw deflate.
#pragma once

#include <string>
#include <string_view>

namespace prof::reports {

/// Throws only std::bad_alloc.
std::string deflated_text(std::string_view bytes);

}  // namespace prof::reports
