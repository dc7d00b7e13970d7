// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/compiled/graph_sites.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "analyzers/compiled/kernel_cost.hpp"

namespace prof::compiled {
namespace {

/// A node of a kernel and where it comes from at one of its calls.
struct Part {
  const ComputedNode* computed = nullptr;
  Origin origin;
};

class Describer {
 public:
  Describer(const InductorCode& code, const GraphTables& tables, const ops::OpCatalog& ops)
      : code_(code),
        nodes_(tables.sources, tables.nodes, code.direction == Direction::kBprop),
        ops_(ops) {}

  CompiledSite describe(const Call& call) {
    return call.kernel == nullptr ? describe_op(call) : describe_kernel(call);
  }

 private:
  /// The op that the program calls; null: no model knows its name.
  [[nodiscard]] std::shared_ptr<const OpDesc> op_of(const SourceNode& source) const {
    OpDesc op;
    op.module = "aten";
    op.op = "aten::" + source.target;
    if (ops_.model_of(op) == nullptr) return nullptr;
    return std::make_shared<const OpDesc>(std::move(op));
  }

  /// Such an op of the program does nothing that a kernel could be for.
  [[nodiscard]] bool is_view(const OpDesc& op) const { return ops_.model_of(op)->name == "layout"; }

  CompiledSite describe_op(const Call& call) {
    CompiledSite site;
    if (call.sources.empty()) return site;
    // Its own node is the last one: before it stand those that it is given as views.
    take_origin(nodes_.find({{call.sources.back()}}).back(), site);
    site.ops = std::string(call.op) + "(" + std::string(call.sources.back()) + ")";
    site.is_known = site.op != nullptr;
    return site;
  }

  void take_origin(const Origin& origin, CompiledSite& to) const {
    to.is_recomputed = origin.is_recomputed;
    if (origin.source == nullptr) return;
    to.op = op_of(*origin.source);
    to.layer = origin.source->path;
    to.source_line = origin.source->where;
  }

  CompiledSite describe_kernel(const Call& call) {
    const Definition& kernel = *call.kernel;
    const auto [known, is_new] = costs_.try_emplace(&kernel);
    if (is_new) known->second = kernel_cost(code_, kernel, counted_, ops_);
    const KernelCost& cost = known->second;
    CompiledSite site;
    const std::vector<Part> parts = parts_of(call, cost);
    if (parts.empty()) {
      describe_without_nodes(call, site);
    } else {
      describe_parts(parts, site);
    }
    site.cost = cost.cost;
    if (!site.cost->bytes) {
      if (auto arguments = cost_of_arguments(code_, call)) {
        arguments->flops = site.cost->flops;
        site.cost = *std::move(arguments);
      }
    }
    return site;
  }

  /// "mul" of "mul_12".
  static std::string_view stem_of(std::string_view name) {
    const std::size_t end = name.find_last_not_of("0123456789");
    const bool is_numbered = end != name.npos && end + 1 < name.size() && name[end] == '_';
    return is_numbered ? name.substr(0, end) : name;
  }

  /// Where in the call's list the node is that is at `at` in the definition's. The lists may differ
  /// in views, so that only nodes of the same stem are counted. Absent: nowhere.
  static std::optional<std::size_t> counterpart(std::size_t at,
                                                const std::vector<std::string_view>& defined,
                                                const std::vector<std::string_view>& called) {
    if (defined.size() == called.size()) return at;
    const std::string_view stem = stem_of(defined[at]);
    const auto has_stem = [stem](std::string_view name) { return stem_of(name) == stem; };
    const auto end = defined.begin() + static_cast<std::ptrdiff_t>(at);
    auto before = std::count_if(defined.begin(), end, has_stem);
    for (std::size_t i = 0; i < called.size(); ++i) {
      if (has_stem(called[i]) && before-- == 0) return i;
    }
    return std::nullopt;
  }

  /// Several calls of one kernel differ in their source nodes, which are in the same order.
  std::vector<Part> parts_of(const Call& call, const KernelCost& cost) {
    const Definition& kernel = *call.kernel;
    std::vector<NamedNode> list(call.sources.size());
    for (std::size_t i = 0; i < list.size(); ++i) list[i].name = call.sources[i];
    std::map<std::string_view, std::size_t> places;  // in the list, of nodes of the definition
    for (const NodeOrigin& origin : kernel.origins) {
      const auto defined = std::ranges::find(kernel.sources, origin.source);
      if (defined == kernel.sources.end()) continue;
      const auto at = counterpart(static_cast<std::size_t>(defined - kernel.sources.begin()),
                                  kernel.sources, call.sources);
      if (!at) continue;
      const bool is_same = origin.made.size() == 1 && origin.made.front() == origin.source;
      list[*at].is_of_graph = is_same;
      for (const std::string_view made : origin.made) places.emplace(made, *at);
    }
    const std::vector<Origin> origins = nodes_.find(list);
    std::vector<Part> parts;
    for (const ComputedNode& computed : cost.nodes) {
      Part& part = parts.emplace_back(Part{&computed, {computed.node->name}});
      const auto place = places.find(computed.node->name);
      if (place != places.end()) part.origin = origins[place->second];
    }
    return parts;
  }

  void describe_parts(const std::vector<Part>& all, CompiledSite& to) const {
    // What a kernel computes again is only what its own work needs, unless it is all.
    std::vector<Part> own;
    std::ranges::copy_if(all, std::back_inserter(own), [](const Part& part) {
      return part.origin.source != nullptr && !part.origin.is_recomputed;
    });
    const std::vector<Part>& parts = own.empty() ? all : own;
    const std::string_view layer = main_layer(parts, to);
    const Part& main = main_part(parts, layer);
    take_origin(main.origin, to);
    if (to.op != nullptr && is_view(*to.op)) to.op = nullptr;
    to.layer = layer;
    to.computed = main.computed->op;
    to.is_known = std::ranges::any_of(parts, [](const Part& one) { return one.computed->is_known; });
    for (const Part& part : all) {
      if (part.computed->flops == 0 && !part.computed->is_product && parts.size() > 1) continue;
      if (!to.ops.empty()) to.ops += ' ';
      const std::string& op = part.computed->op->op;
      to.ops += op.substr(op.rfind(':') + 1) + "(" + std::string(part.origin.name) + ")";
    }
  }

  static std::string_view path_of(const Part& part) {
    return part.origin.source == nullptr ? std::string_view() : part.origin.source->path;
  }

  /// Work that the sum of a layer's nodes is: elements count where no model does.
  static double work_of(const Part& part) {
    const auto& type = part.computed->node->type;
    const double elements = type ? static_cast<double>(element_count(type->shape)) : 1;
    return part.computed->flops > 0 ? part.computed->flops : elements / 1024;
  }

  /// The layer that most of the work is of; of equal ones the last. Lists all.
  static std::string_view main_layer(const std::vector<Part>& parts, CompiledSite& to) {
    std::vector<std::pair<std::string_view, double>> layers;
    double all = 0;
    for (const Part& part : parts) {
      if (part.origin.source == nullptr) continue;
      const auto same = [&](const auto& one) { return one.first == path_of(part); };
      auto found = std::ranges::find_if(layers, same);
      if (found == layers.end()) found = layers.insert(layers.end(), {path_of(part), 0});
      found->second += work_of(part);
      all += work_of(part);
    }
    if (layers.empty()) return {};
    std::ranges::stable_sort(layers, std::greater<>(), &std::pair<std::string_view, double>::second);
    const auto percent = [all](double work) { return static_cast<int>(work / all * 100 + 0.5); };
    if (percent(layers.front().second) == 100) return layers.front().first;
    for (const auto& [path, work] : layers) {
      if (percent(work) == 0) break;  // views
      if (!to.layers.empty()) to.layers += ", ";
      to.layers += std::string(path) + " " + std::to_string(percent(work)) + "%";
    }
    return layers.front().first;
  }

  /// The node that says most: a product, otherwise the most work; of equal ones a reduction,
  /// otherwise the last.
  static const Part& main_part(const std::vector<Part>& parts, std::string_view layer) {
    const auto worth = [layer](const Part& part) {
      return std::tuple(part.computed->is_product, path_of(part) == layer, part.computed->flops,
                        part.computed->is_reduction);
    };
    const Part* best = &parts.front();
    for (const Part& part : parts) {
      if (worth(part) >= worth(*best)) best = &part;
    }
    return *best;
  }

  /// A kernel that the program wrote, one that only rearranges, or one of an older torch.
  void describe_without_nodes(const Call& call, CompiledSite& to) {
    const Definition& kernel = *call.kernel;
    if (!call.sources.empty()) take_origin(nodes_.find({{call.sources.back()}}).back(), to);
    OpDesc op;
    op.module = "triton";
    if (!kernel.symbols.empty()) op.op = kernel.symbols.front();
    const bool is_of_program = !kernel.written_at.empty();
    if (!is_of_program && call.sources.empty()) {
      op.module = "aten";
      op.op = "aten::clone";
      to.is_known = true;
    }
    if (is_of_program) {
      to.op = nullptr;
      to.source_line = kernel.written_at;
    }
    to.is_known = to.is_known || is_of_program || to.op != nullptr;
    for (const std::string_view arg : call.args) {
      const auto type = type_of_argument(code_, arg);
      if (!type) continue;
      Tensor& tensor = op.tensors.emplace_back();
      tensor.dtype = type->dtype;
      tensor.shape = type->shape;
    }
    to.ops = op.op;
    to.computed = std::make_shared<const OpDesc>(std::move(op));
  }

  const InductorCode& code_;
  SourceNodes nodes_;
  const ops::OpCatalog& ops_;
  std::map<const Definition*, KernelCost> costs_;
  std::set<std::string_view> counted_;
};

/// "buf2" of "reinterpret_tensor(buf2, ..)" and of "buf2".
std::string_view buffer_of(std::string_view arg) {
  constexpr std::string_view kView = "reinterpret_tensor(";
  if (arg.starts_with(kView)) arg.remove_prefix(kView.size());
  return arg.substr(0, arg.find_first_of(",)"));
}

/// Of a graph that is the step of an optimizer; null: it is not, or not only.
std::shared_ptr<const OpDesc> optimizer_of(const std::vector<SourceNode>& nodes) {
  const auto is_other = [&](const SourceNode& node) {
    return node.optimizer.empty() || node.optimizer != nodes.front().optimizer;
  };
  if (nodes.empty() || std::ranges::any_of(nodes, is_other)) return nullptr;
  OpDesc op;
  op.module = "Optimizer";
  op.op = nodes.front().optimizer;
  op.direction = Direction::kUpdate;
  return std::make_shared<const OpDesc>(std::move(op));
}

/// A copy that the compiler has added is work of the call that it is made for.
void take_consumer(const std::vector<Call>& calls, std::size_t copy,
                   std::vector<CompiledSite>& sites) {
  const Call& made = calls[copy];
  const auto& parameters = made.kernel->parameters;
  std::string_view result;
  for (std::size_t i = 0; i < std::min(parameters.size(), made.args.size()); ++i) {
    if (parameters[i].starts_with("out_ptr")) result = buffer_of(made.args[i]);
  }
  if (result.empty()) return;
  for (std::size_t i = copy + 1; i < calls.size(); ++i) {
    const auto is_it = [result](std::string_view arg) { return buffer_of(arg) == result; };
    if (calls[i].sources.empty() || std::ranges::none_of(calls[i].args, is_it)) continue;
    sites[copy].layer = sites[i].layer;
    sites[copy].source_line = sites[i].source_line;
    sites[copy].is_recomputed = sites[i].is_recomputed;
    return;
  }
}

}  // namespace

std::vector<std::shared_ptr<const CompiledSite>> describe_sites(const InductorCode& code,
                                                                const GraphTables& tables,
                                                                const ops::OpCatalog& ops) {
  Describer describer(code, tables, ops);
  std::vector<std::shared_ptr<const CompiledSite>> sites;
  sites.reserve(code.calls.size());
  std::vector<CompiledSite> described;
  const auto optimizer = optimizer_of(tables.sources);
  for (const Call& call : code.calls) {
    described.push_back(describer.describe(call));
    described.back().optimizer = optimizer;
  }
  for (std::size_t i = 0; i < described.size(); ++i) {
    if (code.calls[i].kernel != nullptr && code.calls[i].sources.empty()) {
      take_consumer(code.calls, i, described);
    }
  }
  for (CompiledSite& site : described) {
    sites.push_back(std::make_shared<const CompiledSite>(std::move(site)));
  }
  return sites;
}

}  // namespace prof::compiled
