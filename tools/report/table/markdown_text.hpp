// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Foreign text in Markdown: shown as it is, whatever it holds.
#pragma once

#include <string>
#include <string_view>

namespace prof::reports {

/// Appends a text so that Markdown shows it literally, on one line and in one cell of a table. It
/// must be printable (tools::append_printable): without control characters and line ends.
void append_markdown(std::string_view text, std::string& out);

}  // namespace prof::reports
