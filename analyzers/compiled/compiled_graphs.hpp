// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CompiledGraphs: the graphs of a trace for which a compiler has generated code, and which call of
// that code launched which work. The kernels of a call of a graph come in the order of the code's
// calls; a kernel is that of the next call of the code if its name is, or the op around it.
//
// A graph whose kernels do not fit its code says nothing from there on until a kernel comes that
// only one call launches; what is not matched is counted. Sizes that are symbols in the code are
// those that fit the shapes of the ops that the call has run: kernels after these have costs. Where
// they leave a choice, sizes are those of the last call of what the graph is compiled from, if they
// fit, and costs are estimates. Reads documents of the given reader, each once, when work of its
// graph comes. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzers/compiled/graph_sites.hpp"
#include "analyzers/compiled/inductor_code.hpp"
#include "analyzers/dialects/meaning.hpp"
#include "analyzers/model/attribution_counts.hpp"
#include "analyzers/model/compiled_site.hpp"
#include "analyzers/ops/op_catalog.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

/// A call of the code, with a number of its own in the trace, from 1.
struct NumberedSite {
  std::uint32_t number = 0;
  std::shared_ptr<const CompiledSite> site;
};

class CompiledGraphs {
 public:
  explicit CompiledGraphs(TraceReader& reader);
  ~CompiledGraphs();

  /// The launch of a kernel: the call `call` (a number that no other has) of that graph.
  struct Launch {
    std::uint64_t call = 0;
    const CompiledGraph& graph;
    std::string_view kernel;  ///< Its name.
    /// The op of the framework that launched it, and its id; null: the code itself.
    const OpDesc* op = nullptr;
    std::uint64_t op_id = 0;
  };
  /// The site that it is of; null: not known. Call in launch order. Valid as long as this object.
  const NumberedSite* site_of(const Launch& launch);

  [[nodiscard]] const CompiledCounts& counts() const { return counts_; }
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  struct Graph;
  /// How far a call of a graph has come.
  struct Progress {
    std::uint64_t call = 0;   // 0: none
    Graph* root = nullptr;    // null: there is no code
    Graph* graph = nullptr;   // that, with the sizes that are known of the call
    std::size_t next = 0;     // of the code's calls
    std::uint64_t op_id = 0;  // of the last match, if an op
    const NumberedSite* last = nullptr;
    compiled::Symbols sizes = {};  // that are sure
  };

  Graph* graph_of(const CompiledGraph& graph);
  /// Empty: it is not in the trace, or damaged, which is counted.
  std::string text_of(std::string_view kind, const std::string& name);
  compiled::GraphTables tables_of(const CompiledGraph& graph, bool is_backward);
  /// Nodes of a backward graph of which its table does not say what they come from: all if there is
  /// none, otherwise those that the compiler's passes have made.
  void add_printed_nodes(const CompiledGraph& graph, compiled::GraphTables& to);
  void describe(Graph& graph, const compiled::GraphTables& tables);
  /// The graph itself if its calls have had too many sizes.
  Graph* with_sizes(Graph& root, const compiled::Symbols& symbols, bool is_guess);
  Progress& progress_of(const Launch& launch);
  const NumberedSite* match_op(Progress& progress, const Launch& launch);
  void learn_sizes(Progress& progress, std::size_t call, const OpDesc& op);
  static const NumberedSite* match_kernel(Progress& progress, const Launch& launch);

  TraceReader& reader_;
  std::map<std::string, DocumentRow, std::less<>> documents_;  // by kind and name
  std::map<std::string, std::unique_ptr<Graph>, std::less<>> graphs_;
  // By what the graphs are compiled from:
  std::map<std::string, compiled::Symbols> last_sizes_;
  std::map<std::string, std::string> forwards_;  // the key of the last forward graph
  ops::OpCatalog ops_;
  std::array<Progress, 16> progress_;  // of the last calls
  std::size_t next_progress_ = 0;
  std::uint32_t sites_ = 0;
  CompiledCounts counts_;
  Status status_;
};

}  // namespace prof
