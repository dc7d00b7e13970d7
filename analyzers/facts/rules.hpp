// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The fact rules: what a range of each meaning adds to the facts of the stack around it.
// docs/conventions.md has the same rules in words. Pure functions.
#pragma once

#include <memory>

#include "analyzers/facts/facts.hpp"
#include "analyzers/ops/op_catalog.hpp"

namespace prof {

/// The facts under a range with this meaning. A backward node entered this way has an unknown
/// forward op.
Facts enter(const Facts& around, const Meaning& meaning, const ops::OpCatalog& ops);

/// The facts in a backward node, from the facts of its forward op.
Facts enter_linked(const Facts& forward, const BackwardNode& node, const ops::OpCatalog& ops);

/// The facts in a backward node around a forward op that it runs again.
Facts enter_rerun(const Facts& node);

/// The facts of work that a call in the code of a compiled graph launched.
Facts enter_site(const Facts& around, const std::shared_ptr<const CompiledSite>& site);

/// False if enter() would return `around` unchanged.
bool changes_facts(const Facts& around, const Meaning& meaning);

}  // namespace prof
