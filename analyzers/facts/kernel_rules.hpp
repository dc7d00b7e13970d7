// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The fact rules of kernels that are ops by their own names: no range states what they are. Pure.
#pragma once

#include "analyzers/facts/facts.hpp"
#include "analyzers/ops/op_catalog.hpp"

namespace prof {

/// Work in compiled code, outside of the ops that it calls.
bool is_in_compiled_code(const Facts& facts);

/// No op on the stack owns the work: a kernel may be an op of its own.
bool lacks_op(const Facts& facts);

/// The facts of a kernel that is that op, where none owns it.
Facts enter_kernel(const Facts& around, const OpRef& op, const ops::OpCatalog& ops);

}  // namespace prof
