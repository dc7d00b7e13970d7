// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Sizes in the code of a graph with dynamic shapes: expressions of symbols, "(1 + s33*s50) // 2". A
// symbol is a size of the graph's inputs, so it has one value in each call of the graph. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "libprof/model/tensor.hpp"

namespace prof::compiled {

/// Values of "s33", ..., as far as they are known.
using Symbols = std::map<std::string, std::int64_t, std::less<>>;

/// Nullopt: it has an unknown symbol, or is no such expression, or no size.
std::optional<std::int64_t> value_of_size(std::string_view size, const Symbols& symbols);

/// "s33, 128". Nullopt: the value of one is not known.
std::optional<Shape> read_sizes(std::string_view text, const Symbols& symbols);

/// Adds what the sizes of a tensor say if it has that shape: "s33, 4*s50" of 8, 512. False: it
/// cannot have it; `to` is then worth nothing.
bool solve_sizes(std::string_view text, const Shape& shape, Symbols& to);

}  // namespace prof::compiled
