// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Ops named by plain ranges: what a program that annotates nothing calls its work. Pure functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "analyzers/facts/facts.hpp"

namespace prof {

/// The role of a plain range for the work launched directly in it.
enum class PlainRole : std::uint8_t {
  kLayer,
  kOp,          ///< It holds the work of one op, and no ranges.
  kOpAndLayer,  ///< It also holds ranges that are ops.
};

/// The work has no op, or is a library's that no op of the program calls; plain ranges name its
/// layer.
bool may_have_plain_op(const Facts& facts);

/// The facts of work whose innermost plain range names its op. The range is no layer unless it also
/// is one, or nothing is around it.
Facts enter_plain_op(const Facts& around, PlainRole role);

/// The facts of a kernel in plain ranges of which none names its op: it is one by its own name.
Facts enter_plain_kernel(const Facts& around, std::string_view kernel);

}  // namespace prof
