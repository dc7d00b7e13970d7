// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The page without its data: tools/web/built/page.html, which is part of the program.
#pragma once

#include <string_view>

namespace prof::reports {

/// The marks that the page has in the places of its data, each once (tools/web/README.md).
inline constexpr std::string_view kTitleMark = "<!--prof:title-->";
inline constexpr std::string_view kFirstMark = "<!--prof:first-->";
inline constexpr std::string_view kRestMark = "<!--prof:rest-->";

std::string_view page_template();

}  // namespace prof::reports
