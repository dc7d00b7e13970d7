// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Lists in generated code. Pure.
#pragma once

#include <string_view>
#include <vector>

namespace prof::compiled {

/// Without the blanks around.
std::string_view trimmed(std::string_view text);

/// Splits at commas that are in no bracket and in no quotes; without the blanks around.
std::vector<std::string_view> split_arguments(std::string_view text);

}  // namespace prof::compiled
