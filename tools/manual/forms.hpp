// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The forms in which a manual is written down. Pure: a manual in, a file's text out.
#pragma once

#include <string>

#include "tools/common/manual.hpp"

namespace prof::manuals {

/// For man, in section 1.
std::string man_page(const tools::Manual& manual);
/// For docs/options.md.
std::string markdown_section(const tools::Manual& manual);
// For completion. Each knows all words; nothing runs the program.
std::string bash_completion(const tools::Manual& manual);
std::string zsh_completion(const tools::Manual& manual);
std::string fish_completion(const tools::Manual& manual);

}  // namespace prof::manuals
