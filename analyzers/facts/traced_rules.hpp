// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The fact rules of programs that a compiler made of traced functions (XLA). Layer, op and
// direction are what the names of those functions say: guesses, which give way to what the program
// states. Pure.
#pragma once

#include "analyzers/dialects/meaning.hpp"
#include "analyzers/facts/facts.hpp"
#include "analyzers/ops/op_catalog.hpp"

namespace prof {

void enter_traced_program(Facts& facts, const TracedProgram& program);
void enter_traced_op(Facts& facts, const TracedOp& op, const ops::OpCatalog& ops);

}  // namespace prof
