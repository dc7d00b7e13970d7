// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads the signature of an op fact (docs/op_facts.md): the JSON in which an importer or an
// observer states what a range's op is called and works on. Strict, as the dialects are. Pure;
// never throws.
#pragma once

#include <string_view>

#include "analyzers/dialects/dialect.hpp"

namespace prof::dialects {

/// `has_seq`: the range has a sequence number. A malformed signature means nothing and has a
/// problem.
RangeMeaning read_op_signature(std::string_view signature, bool has_seq);

}  // namespace prof::dialects
