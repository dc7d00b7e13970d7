// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// docs/ops.md, generated from the op models: one source for formulas, tests and documentation.
#pragma once

#include <string>

#include "analyzers/dialects/registry.hpp"
#include "analyzers/ops/registry.hpp"

namespace prof::ops {

/// The whole document, Markdown.
std::string document(const Registry& ops, const dialects::Registry& dialects);

}  // namespace prof::ops
