// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The fact rules of ops that call each other, and of libraries that ops call. Pure.
#pragma once

#include "analyzers/facts/facts.hpp"
#include "analyzers/ops/op_catalog.hpp"

namespace prof {

/// Adds one of a framework's ops.
void enter_framework_op(Facts& facts, const FrameworkOp& meant, const ops::OpCatalog& ops);

/// Adds a library call made for the enclosing op or for the program itself.
void enter_library_call(Facts& facts, const LibraryCall& call, const ops::OpCatalog& ops);

}  // namespace prof
