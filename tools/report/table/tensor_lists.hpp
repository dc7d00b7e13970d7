// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Lists of tensors for people: an optimizer's step has hundreds.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "libprof/model/tensor.hpp"

namespace prof::reports {

/// Longer lists are shown as their count.
inline constexpr std::size_t kLongestList = 4;

/// "T=[(64,3,7,7),(64),...]" as "T=[148 tensors, 28.6 M elements]", where the list is long. Other
/// text stays.
std::string with_short_lists(std::string_view text);

/// Whether with_short_lists() may change the text.
inline bool has_list(std::string_view text) { return text.find("[(") != std::string_view::npos; }

/// "[148 tensors, 28.6 M elements]".
std::string counted_tensors(std::span<const Tensor> tensors);

}  // namespace prof::reports
