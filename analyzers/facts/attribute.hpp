// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Turns facts into what reports show: layer, op, direction, shapes and cost. Pure.
#pragma once

#include "analyzers/facts/facts.hpp"
#include "analyzers/ops/op_catalog.hpp"

namespace prof {

/// The attribution of work under a stack with these facts by a kernel of such a name.
OpAttribution attribute(const Facts& facts, const KernelTypes& kernel, const ops::OpCatalog& ops);

/// The op whose cost the work carries, if it is of an op: in a node whose ops state no shapes, the
/// op that has its sizes.
const OpRef& cost_owner(const Facts& facts);

/// The attribution of a graph that was launched under a stack with these facts, if its kernels are
/// not recorded: a layer and a direction, but no op, because the graph may run any number of ops.
OpAttribution attribute_whole_graph(const Facts& facts);

}  // namespace prof
