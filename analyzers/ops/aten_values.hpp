// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Arguments of ATen ops that are no tensors, as sources other than texts state them (op facts), and
// as op models read them: attributes with the names of aten_signatures.inc. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "libprof/model/tensor.hpp"

namespace prof::ops {

/// Nullopt: None, or not known. A list has its numbers with commas between: "2,1", "1,0" for bools,
/// "" if it is empty.
using AtenValue = std::optional<AttrValue>;
using AtenValues = decltype(OpDesc::attrs);

/// The value of the attribute of that name: torch's numbers of reductions, modes and element types
/// become words. Nullopt for a number that torch does not have.
std::optional<AttrValue> aten_value(std::string_view name, const AttrValue& value);

}  // namespace prof::ops
