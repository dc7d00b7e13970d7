// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The fact rules of optimizers' methods. A program may hand its forward and backward pass to an
// optimizer's step, as a closure: the ranges under it are then on the optimizer's stack without
// being its work. Pure.
#pragma once

#include "analyzers/facts/facts.hpp"

namespace prof {

/// Adds a method of an optimizer. To be called before its op is entered.
void begin_optimizer(Facts& facts, const FrameworkOp& method);

/// The work under a range of this meaning is not the optimizer's that is around it. Whether an op
/// that autograd records is the optimizer's, meanings do not show (links/optimizer_ops.hpp).
bool leaves_optimizer(const Facts& facts, const Meaning& meaning);

/// The facts of work on the stack of an optimizer that is not the optimizer's.
Facts leave_optimizer(const Facts& inside);

/// A range that names work, or the line that calls it: what leaves the optimizer in it has that
/// name, the optimizer's own work does not.
void name_in_optimizer(Facts& facts, const Meaning& meaning);

}  // namespace prof
