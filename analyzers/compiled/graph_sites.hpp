// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Determines what each call in a graph's code computes (CompiledSite): joins the code, the nodes
// that its comments name, and the models of the ops (docs/graphs.md has the rules). Pure.
#pragma once

#include <memory>
#include <vector>

#include "analyzers/compiled/inductor_code.hpp"
#include "analyzers/compiled/source_nodes.hpp"
#include "analyzers/model/compiled_site.hpp"
#include "analyzers/ops/op_catalog.hpp"

namespace prof::compiled {

struct GraphTables {
  std::vector<SourceNode> sources;
  std::vector<GraphNode> nodes;
};

/// One for each call, in their order.
std::vector<std::shared_ptr<const CompiledSite>> describe_sites(const InductorCode& code,
                                                                const GraphTables& tables,
                                                                const ops::OpCatalog& ops);

}  // namespace prof::compiled
