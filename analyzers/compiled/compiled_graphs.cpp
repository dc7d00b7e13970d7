// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/compiled/compiled_graphs.hpp"

#include <zlib.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "analyzers/compiled/node_places.hpp"
#include "analyzers/compiled/printed_graph.hpp"

namespace prof {
namespace {

/// Code of the largest graphs has a few MB.
constexpr std::size_t kMaxGraphBytes = std::size_t{256} << 20;

/// Empty if it is damaged or too long.
std::string inflated(std::string bytes) {
  z_stream stream = {};
  if (inflateInit(&stream) != Z_OK) return {};
  std::string text;
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  int result = Z_OK;
  while (result == Z_OK && text.size() < kMaxGraphBytes) {
    std::array<char, 1U << 16> part;
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    result = inflate(&stream, Z_NO_FLUSH);
    text.append(part.data(), part.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  return result == Z_STREAM_END ? text : std::string();
}

std::string key_of(std::string_view kind, std::string_view name) {
  return std::string(kind) + '\n' + std::string(name);
}

/// Sizes of a graph's calls that are distinguished. With more, only those of the first have costs.
constexpr std::size_t kMaxCallSizes = 256;

/// Sizes as the code states them, and their values in a call.
using ToldSizes = std::vector<std::pair<std::string_view, const Shape*>>;

/// The sizes of the tensors that the call gives the op. Nullopt: another op was called, or one
/// without symbols.
std::optional<ToldSizes> told_sizes(const compiled::InductorCode& code, const compiled::Call& call,
                                    const OpDesc& op) {
  if (!code.is_dynamic) return std::nullopt;
  ToldSizes told;
  bool has_symbols = false;
  for (const std::string_view arg : call.args) {
    const auto sizes = compiled::sizes_of_argument(code, arg);
    if (!sizes || sizes->empty()) continue;
    told.emplace_back(*sizes, nullptr);
    has_symbols = has_symbols || !compiled::read_sizes(*sizes, {});
  }
  std::size_t at = 0;
  for (const Tensor& tensor : op.tensors) {
    if (tensor.role != Tensor::Role::kIn || tensor.shape.empty()) continue;
    if (at == told.size()) return std::nullopt;
    told[at++].second = &tensor.shape;
  }
  return has_symbols && at == told.size() ? std::optional(std::move(told)) : std::nullopt;
}

/// Adds what the sizes say of symbols.
bool fits(const ToldSizes& told, compiled::Symbols& to) {
  const auto fit = [&](const auto& one) {
    return compiled::solve_sizes(one.first, *one.second, to);
  };
  // Again with what the last ones say.
  return std::ranges::all_of(told, fit) && std::ranges::all_of(told, fit);
}

/// Positions of calls in the code, ascending.
using Positions = std::vector<std::size_t>;

constexpr std::size_t kNone = SIZE_MAX;

/// The first one that is not before `from`.
std::size_t next_of(const Positions& calls, std::size_t from) {
  const auto found = std::ranges::lower_bound(calls, from);
  return found == calls.end() ? kNone : *found;
}

}  // namespace

struct CompiledGraphs::Graph {
  compiled::InductorCode code;
  std::vector<NumberedSite> sites;                  // of the code's calls
  std::map<std::string_view, Positions> of_kernel;  // by symbol
  std::map<std::string_view, Positions> of_op;
  Positions of_unknown;  // of kernels whose symbols are not known
  Positions required;    // of kernels that run in each call of the graph
  // For code with symbols:
  compiled::GraphTables tables;
  compiled::Symbols* last_sizes = nullptr;
  std::map<std::pair<compiled::Symbols, bool>, std::unique_ptr<Graph>> by_sizes;

  void index() {
    for (std::size_t i = 0; i < code.calls.size(); ++i) {
      const compiled::Call& call = code.calls[i];
      if (call.kernel == nullptr) {
        of_op[call.op].push_back(i);
        continue;
      }
      if (!call.is_optional) required.push_back(i);
      if (call.kernel->symbols.empty()) of_unknown.push_back(i);
      for (const std::string_view symbol : call.kernel->symbols) {
        Positions& calls = of_kernel[symbol];
        if (calls.empty() || calls.back() != i) calls.push_back(i);
      }
    }
  }
};

CompiledGraphs::CompiledGraphs(TraceReader& reader) : reader_(reader) {
  for (DocumentRow& row : reader.documents()) {
    std::string key = key_of(row.kind, row.name);
    documents_.emplace(std::move(key), std::move(row));
  }
}

CompiledGraphs::~CompiledGraphs() = default;

std::string CompiledGraphs::text_of(std::string_view kind, const std::string& name) {
  const auto found = documents_.find(key_of(kind, name));
  if (found == documents_.end()) return {};
  std::string text = inflated(reader_.document_bytes(found->second));
  if (text.empty()) ++counts_.damaged;
  return text;
}

compiled::GraphTables CompiledGraphs::tables_of(const CompiledGraph& graph, bool is_backward) {
  const auto read = [this](const std::string& text, auto table) {
    auto nodes = table(text);
    if (!nodes && !text.empty()) ++counts_.damaged;
    return nodes ? *std::move(nodes) : typename decltype(nodes)::value_type();
  };
  compiled::GraphTables tables;
  tables.sources = read(text_of("dynamo.nodes", graph.source), compiled::read_source_nodes);
  tables.nodes = read(text_of("aot.nodes", graph.key), compiled::read_graph_nodes);
  // Names in the code of a forward graph are Dynamo's.
  if (!is_backward) {
    forwards_[graph.source] = graph.key;
  } else {
    add_printed_nodes(graph, tables);
  }
  return tables;
}

void CompiledGraphs::add_printed_nodes(const CompiledGraph& graph, compiled::GraphTables& to) {
  const std::string text = text_of("inductor.post_grad", graph.key);
  const std::string before = text_of("inductor.post_grad", forwards_[graph.source]);
  const compiled::PrintedGraph printed = compiled::read_printed_graph(text);
  const auto placed =
      compiled::place_nodes(printed, compiled::read_printed_graph(before), to.sources, ops_);
  std::map<std::string_view, std::size_t> known;
  const std::vector<compiled::GraphNode> table = to.nodes;
  for (std::size_t i = 0; i < table.size(); ++i) known.emplace(table[i].name, i);
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const auto at = known.find(placed[i].name);
    if (at == known.end()) {
      to.nodes.push_back(placed[i]);
    } else if (table[at->second].source.empty() && is_of_pass(printed.nodes[i])) {
      to.nodes[at->second] = placed[i];
    }
  }
}

CompiledGraphs::Graph* CompiledGraphs::graph_of(const CompiledGraph& graph) {
  const auto [known, is_new] = graphs_.try_emplace(key_of(graph.key, graph.source));
  if (!is_new) return known->second.get();
  auto text = std::make_shared<const std::string>(text_of("inductor.wrapper", graph.key));
  if (text->empty()) return nullptr;
  auto made = std::make_unique<Graph>();
  made->code = compiled::read_inductor_code(std::move(text));
  // The call knows better than the text: that is as the process wrote it that compiled.
  if (graph.direction != Direction::kNone) made->code.direction = graph.direction;
  made->last_sizes = &last_sizes_[graph.source];
  made->tables = tables_of(graph, made->code.direction == Direction::kBprop);
  describe(*made, made->tables);
  return (known->second = std::move(made)).get();
}

void CompiledGraphs::describe(Graph& graph, const compiled::GraphTables& tables) {
  for (auto& site : compiled::describe_sites(graph.code, tables, ops_)) {
    graph.sites.push_back({++sites_, std::move(site)});
  }
  graph.index();
}

CompiledGraphs::Graph* CompiledGraphs::with_sizes(Graph& root, const compiled::Symbols& symbols,
                                                  bool is_guess) {
  const std::pair key(symbols, is_guess);
  const auto known = root.by_sizes.find(key);
  if (known != root.by_sizes.end()) return known->second.get();
  if (root.by_sizes.size() == kMaxCallSizes) return &root;
  auto made = std::make_unique<Graph>();
  made->code = compiled::read_inductor_code(root.code.text, symbols);
  made->code.direction = root.code.direction;
  made->code.is_guess = is_guess;
  describe(*made, root.tables);
  return (root.by_sizes[key] = std::move(made)).get();
}

CompiledGraphs::Progress& CompiledGraphs::progress_of(const Launch& launch) {
  const auto known = std::ranges::find(progress_, launch.call, &Progress::call);
  if (known != progress_.end()) return *known;
  Progress& made = progress_[next_progress_++ % progress_.size()];
  Graph* const root = graph_of(launch.graph);
  made = {.call = launch.call, .root = root, .graph = root};
  if (root != nullptr && !launch.graph.sizes.empty()) {
    made.sizes = launch.graph.sizes;
    made.graph = with_sizes(*root, made.sizes, false);
  }
  return made;
}

const NumberedSite* CompiledGraphs::site_of(const Launch& launch) {
  Progress& progress = progress_of(launch);
  const bool is_op = launch.op != nullptr;
  if (progress.graph == nullptr) {
    counts_.without_code += is_op ? 0 : 1;
    return nullptr;
  }
  const NumberedSite* const found =
      is_op ? match_op(progress, launch) : match_kernel(progress, launch);
  if (found == nullptr && !is_op && counts_.unmatched++ == 0) {
    counts_.first_graph = launch.graph.key;
  }
  if (found != nullptr && found->site->is_unplaced) ++counts_.unplaced;
  return found;
}

/// Ops may launch any number of kernels, or none. Those before the next kernel may be meant.
const NumberedSite* CompiledGraphs::match_op(Progress& progress, const Launch& launch) {
  if (launch.op_id != 0 && launch.op_id == progress.op_id) return progress.last;
  const std::string_view op = launch.op->op;
  const Graph& graph = *progress.graph;
  const auto calls = graph.of_op.find(op.substr(op.rfind(':') + 1));
  if (calls == graph.of_op.end()) return nullptr;
  const std::size_t call = next_of(calls->second, progress.next);
  if (call >= next_of(graph.required, progress.next)) return nullptr;
  progress.next = call + 1;
  progress.op_id = launch.op_id;
  progress.last = &graph.sites[call];
  learn_sizes(progress, call, *launch.op);
  return progress.last;
}

void CompiledGraphs::learn_sizes(Progress& progress, std::size_t call, const OpDesc& op) {
  Graph& root = *progress.root;
  const std::optional<ToldSizes> told = told_sizes(root.code, root.code.calls[call], op);
  compiled::Symbols sizes = progress.sizes;
  if (!told || !fits(*told, sizes)) return;
  compiled::Symbols guess = sizes;
  guess.insert(root.last_sizes->begin(), root.last_sizes->end());
  const bool is_guess = guess.size() > sizes.size() && fits(*told, guess);
  for (const auto& [symbol, value] : sizes) (*root.last_sizes)[symbol] = value;
  progress.graph = with_sizes(root, is_guess ? guess : sizes, is_guess);
  progress.sizes = std::move(sizes);
}

const NumberedSite* CompiledGraphs::match_kernel(Progress& progress, const Launch& launch) {
  const Graph& graph = *progress.graph;
  const auto take = [&](std::size_t call) {
    progress.next = call + 1;
    progress.op_id = 0;
    return progress.last = &graph.sites[call];
  };
  const auto known = graph.of_kernel.find(launch.kernel);
  const bool is_known = known != graph.of_kernel.end();
  // Kernels of other makers have names of their own.
  const auto& calls = is_known ? known->second : graph.of_unknown;
  const std::size_t call = next_of(calls, progress.next);
  if (call != kNone && call <= next_of(graph.required, progress.next)) return take(call);
  // Something else ran than the code says, or the capture began or ended inside the call. Calls
  // that have run do not run again, except in a loop.
  if (!is_known || calls.size() > 1) return nullptr;
  const std::size_t only = calls.front();
  const bool may_run = only >= progress.next || graph.code.calls[only].is_optional;
  return may_run ? take(only) : nullptr;
}

}  // namespace prof
