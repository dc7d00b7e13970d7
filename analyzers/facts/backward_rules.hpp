// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The fact rules of backward nodes. Pure.
#pragma once

#include "analyzers/facts/facts.hpp"
#include "analyzers/ops/op_catalog.hpp"

namespace prof {

/// The facts in a backward node. `from`: the facts of its forward op if `is_linked`, otherwise
/// those of the stack it is on.
Facts in_node(const Facts& from, const BackwardNode& node, bool is_linked,
              const ops::OpCatalog& ops);

/// From here on, ops called in the node are forward ops that run again. Nothing changes outside of
/// nodes and in nodes of compiled code.
void rerun_forward(BackwardFacts& node);

/// Turns a backward node's facts into those of an independent op called in it.
void leave_node(Facts& facts);

}  // namespace prof
