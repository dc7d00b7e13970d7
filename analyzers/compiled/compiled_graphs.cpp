// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/compiled/compiled_graphs.hpp"

#include <zlib.h>

#include <algorithm>
#include <utility>

#include "analyzers/compiled/graph_sites.hpp"

namespace prof {
namespace {

/// Code of the largest graphs has a few MB.
constexpr std::size_t kMaxTextBytes = std::size_t{256} << 20;

/// Empty if it is damaged or too long.
std::string inflated(std::string bytes) {
  z_stream stream = {};
  if (inflateInit(&stream) != Z_OK) return {};
  std::string text;
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  int result = Z_OK;
  while (result == Z_OK && text.size() < kMaxTextBytes) {
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

}  // namespace

struct CompiledGraphs::Graph {
  compiled::InductorCode code;
  std::vector<NumberedSite> sites;  // of the code's calls
  /// By kernel: its only call, or the number of calls if there are several.
  std::map<std::string_view, std::size_t> only_call;

  static constexpr std::size_t kSeveral = SIZE_MAX;

  [[nodiscard]] bool launches(std::size_t call, std::string_view kernel) const {
    const compiled::Definition* const made = code.calls[call].kernel;
    if (made == nullptr) return false;
    // Kernels of other makers have names of their own.
    if (made->symbols.empty()) return !only_call.contains(kernel);
    return std::ranges::find(made->symbols, kernel) != made->symbols.end();
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
  return found == documents_.end() ? std::string() : inflated(reader_.document_bytes(found->second));
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
  const compiled::GraphTables tables = {
      compiled::read_source_nodes(text_of("dynamo.nodes", graph.source)),
      compiled::read_graph_nodes(text_of("aot.nodes", graph.key))};
  for (auto& site : compiled::describe_sites(made->code, tables, ops_)) {
    made->sites.push_back({++sites_, std::move(site)});
  }
  for (std::size_t i = 0; i < made->code.calls.size(); ++i) {
    const compiled::Definition* const kernel = made->code.calls[i].kernel;
    if (kernel == nullptr) continue;
    for (const std::string_view symbol : kernel->symbols) {
      const auto [only, is_first] = made->only_call.emplace(symbol, i);
      if (!is_first) only->second = Graph::kSeveral;
    }
  }
  return (known->second = std::move(made)).get();
}

CompiledGraphs::Progress& CompiledGraphs::progress_of(const Launch& launch) {
  const auto known = std::ranges::find(progress_, launch.call, &Progress::call);
  if (known != progress_.end()) return *known;
  Progress& made = progress_[next_progress_++ % progress_.size()];
  made = {.call = launch.call, .graph = graph_of(launch.graph)};
  return made;
}

const NumberedSite* CompiledGraphs::site_of(const Launch& launch) {
  Progress& progress = progress_of(launch);
  const bool is_op = !launch.op.empty();
  if (progress.graph == nullptr) {
    counts_.without_code += is_op ? 0 : 1;
    return nullptr;
  }
  const NumberedSite* const found =
      is_op ? match_op(progress, launch) : match_kernel(progress, launch);
  if (found == nullptr && !is_op && counts_.unmatched++ == 0) {
    counts_.first_graph = launch.graph.key;
  }
  return found;
}

/// Ops may launch any number of kernels, or none. Those before the next kernel may be meant.
const NumberedSite* CompiledGraphs::match_op(Progress& progress, const Launch& launch) {
  if (launch.op_id != 0 && launch.op_id == progress.op_id) return progress.last;
  const std::string_view op = launch.op.substr(launch.op.rfind(':') + 1);
  const auto& calls = progress.graph->code.calls;
  for (std::size_t i = progress.next; i < calls.size(); ++i) {
    if (calls[i].kernel != nullptr && !calls[i].is_optional) return nullptr;
    if (calls[i].kernel != nullptr || calls[i].op != op) continue;
    progress.next = i + 1;
    progress.op_id = launch.op_id;
    return progress.last = &progress.graph->sites[i];
  }
  return nullptr;
}

const NumberedSite* CompiledGraphs::match_kernel(Progress& progress, const Launch& launch) {
  const Graph& graph = *progress.graph;
  const auto& calls = graph.code.calls;
  const auto take = [&](std::size_t call) {
    progress.next = call + 1;
    progress.op_id = 0;
    return progress.last = &graph.sites[call];
  };
  for (std::size_t i = progress.next; i < calls.size(); ++i) {
    if (graph.launches(i, launch.kernel)) return take(i);
    if (calls[i].kernel != nullptr && !calls[i].is_optional) break;
  }
  // Something else ran than the code says, or the capture began or ended inside the call.
  const auto only = graph.only_call.find(launch.kernel);
  if (only == graph.only_call.end() || only->second == Graph::kSeveral) return nullptr;
  return take(only->second);
}

}  // namespace prof
