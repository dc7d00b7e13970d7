// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Base64 (RFC 4648, with padding) for bytes that JSON cannot hold, and the check that finds them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace prof {

void append_base64(std::string& out, std::string_view bytes);
/// nullopt if `text` is not base64.
std::optional<std::string> decode_base64(std::string_view text);
/// True where `bytes` is valid UTF-8 (no overlong forms, no surrogates).
bool is_utf8(std::string_view bytes);

}  // namespace prof
