// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/compiled/graph_sites.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "analyzers/compiled/kernel_cost.hpp"

namespace prof::compiled {
namespace {

/// Where a node of the graph comes from.
struct Origin {
  std::string_view name;               ///< As the comment has it.
  const SourceNode* source = nullptr;  ///< Null: not known.
  bool is_recomputed = false;
};

/// A node of a kernel and where it comes from at one of its calls.
struct Part {
  const ComputedNode* computed = nullptr;
  Origin origin;
};

class Describer {
 public:
  Describer(const InductorCode& code, const GraphTables& tables, const ops::OpCatalog& ops)
      : code_(code), tables_(tables), ops_(ops) {}

  CompiledSite describe(const Call& call) {
    return call.kernel == nullptr ? describe_op(call) : describe_kernel(call);
  }

 private:
  [[nodiscard]] bool is_backward() const { return code_.direction == Direction::kBprop; }

  /// Of a name in a list of source nodes: a node of the program, or, in code of a backward pass, one
  /// of the compiled graph, which has a name of its own. `is_of_graph`: what the definition says.
  [[nodiscard]] Origin origin_of(std::string_view name, std::optional<bool> is_of_graph) const {
    const auto node = tables_.nodes.find(name);
    const auto source = tables_.sources.find(name);
    const bool has_both = node != tables_.nodes.end() && source != tables_.sources.end();
    const bool prefers_graph = is_of_graph.value_or(
        is_backward() && node != tables_.nodes.end() && node->second.is_backward);
    if (node != tables_.nodes.end() && (!has_both || prefers_graph)) {
      const auto of_node = tables_.sources.find(node->second.source);
      return {name, of_node == tables_.sources.end() ? nullptr : &of_node->second,
              node->second.is_recomputed};
    }
    if (source == tables_.sources.end()) return {name};
    return {name, &source->second, is_backward()};
  }

  /// The op that the program calls; null: no model knows its name.
  [[nodiscard]] std::shared_ptr<const OpDesc> op_of(const SourceNode& source) const {
    OpDesc op;
    op.module = "aten";
    op.op = "aten::" + source.target;
    if (ops_.model_of(op) == nullptr) return nullptr;
    return std::make_shared<const OpDesc>(std::move(op));
  }

  CompiledSite describe_op(const Call& call) const {
    CompiledSite site;
    if (call.sources.empty()) return site;
    // Its own node is the last one: before it stand those that it is given as views.
    take_origin(origin_of(call.sources.back(), std::nullopt), site);
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

  /// The node of the call's list that stands where `name` stands in the definition's. The lists
  /// may differ in views, so that only nodes of the same stem are counted. Empty: there is none.
  static std::string_view counterpart(std::string_view name,
                                      const std::vector<std::string_view>& defined,
                                      const std::vector<std::string_view>& called) {
    if (defined.size() == called.size()) {
      const auto at = std::ranges::find(defined, name);
      return at == defined.end() ? std::string_view()
                                 : called[static_cast<std::size_t>(at - defined.begin())];
    }
    std::size_t before = 0;
    for (const std::string_view one : defined) {
      if (one == name) break;
      if (stem_of(one) == stem_of(name)) ++before;
    }
    for (const std::string_view one : called) {
      if (stem_of(one) == stem_of(name) && before-- == 0) return one;
    }
    return {};
  }

  /// Several calls of one kernel differ in their source nodes, which are in the same order.
  [[nodiscard]] std::vector<Part> parts_of(const Call& call, const KernelCost& cost) const {
    const Definition& kernel = *call.kernel;
    std::vector<Part> parts;
    for (const ComputedNode& computed : cost.nodes) {
      Part part{&computed, {computed.node->name}};
      const std::string_view name = computed.node->name;
      const auto made_it = [name](const NodeOrigin& origin) {
        return std::ranges::find(origin.made, name) != origin.made.end();
      };
      const auto origin = std::ranges::find_if(kernel.origins, made_it);
      if (origin != kernel.origins.end()) {
        const std::string_view source = counterpart(origin->source, kernel.sources, call.sources);
        if (!source.empty()) part.origin = origin_of(source, origin->source == name);
      }
      parts.push_back(part);
    }
    return parts;
  }

  void describe_parts(const std::vector<Part>& parts, CompiledSite& to) const {
    const std::string_view layer = main_layer(parts, to);
    const Part& main = main_part(parts, layer);
    take_origin(main.origin, to);
    to.layer = layer;
    to.computed = main.computed->op;
    to.is_known = std::ranges::any_of(parts, [](const Part& one) { return one.computed->is_known; });
    for (const Part& part : parts) {
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

  /// A kernel that the program wrote, or one of an older torch.
  void describe_without_nodes(const Call& call, CompiledSite& to) const {
    const Definition& kernel = *call.kernel;
    if (!call.sources.empty()) take_origin(origin_of(call.sources.back(), std::nullopt), to);
    OpDesc op;
    op.module = "triton";
    if (!kernel.symbols.empty()) op.op = kernel.symbols.front();
    const bool is_of_program = !kernel.written_at.empty();
    if (is_of_program) {
      to.op = nullptr;
      to.source_line = kernel.written_at;
    }
    to.is_known = is_of_program || to.op != nullptr;
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
  const GraphTables& tables_;
  const ops::OpCatalog& ops_;
  std::map<const Definition*, KernelCost> costs_;
  std::set<std::string_view> counted_;
};

}  // namespace

std::vector<std::shared_ptr<const CompiledSite>> describe_sites(const InductorCode& code,
                                                                const GraphTables& tables,
                                                                const ops::OpCatalog& ops) {
  Describer describer(code, tables, ops);
  std::vector<std::shared_ptr<const CompiledSite>> sites;
  sites.reserve(code.calls.size());
  for (const Call& call : code.calls) {
    sites.push_back(std::make_shared<const CompiledSite>(describer.describe(call)));
  }
  return sites;
}

}  // namespace prof::compiled
