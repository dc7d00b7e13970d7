// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The name of a range without the numbers, sizes and attributes that PyTorch and prof/annotate.hpp
// put into its text.
#pragma once

#include <string>
#include <string_view>

namespace prof::reports {

/// The op's name in a range's text, and the shapes of its inputs.
struct RangeName {
  std::string name, inputs;
};
RangeName name_of_range(std::string_view text);

}  // namespace prof::reports
