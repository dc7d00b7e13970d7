// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// How the collector speaks to the user: whole lines on stderr that begin with "prof: ". Never on
// stdout, which is the program's. Any thread; one write a line, so that lines do not mix.
#pragma once

#include <string_view>

namespace prof::collectors {

/// Prints "prof: LINE"; control characters in it become spaces.
void say(std::string_view line);

}  // namespace prof::collectors
