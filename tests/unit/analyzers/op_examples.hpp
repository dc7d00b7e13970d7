// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Worked examples as ops, for the tests that run them and the document that prints them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "analyzers/dialects/registry.hpp"
#include "analyzers/ops/op_model.hpp"

namespace prof::ops {

/// "[[4, 128], [], [128]]"; nullopt for anything else.
std::optional<std::vector<Shape>> parse_sizes(std::string_view text);

/// The op that an example describes; nullopt if its text is of neither form.
std::optional<OpDesc> example_op(const OpExample& example, const dialects::Registry& dialects);

}  // namespace prof::ops
