// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/compiled/graph_sites.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "analyzers/compiled/kernel_cost.hpp"

namespace prof::compiled {
namespace {

/// Nodes of all calls. Graphs that have more are damaged: the nodes beyond are not described.
constexpr std::size_t kMaxParts = 1U << 20;

/// A node of a kernel and where it comes from at one of its calls.
struct Part {
  const ComputedNode* computed = nullptr;
  Origin origin;
};

/// It reads one tensor and writes another.
bool is_copy(const Definition& kernel) {
  const auto& names = kernel.parameters;
  const auto is_pointer = [](std::string_view name) { return name.find("_ptr") != name.npos; };
  return std::ranges::count_if(names, is_pointer) == 2 &&
         std::ranges::count(names, "in_ptr0") + std::ranges::count(names, "out_ptr0") == 2;
}

class Describer {
 public:
  Describer(const InductorCode& code, const GraphTables& tables, const ops::OpCatalog& ops)
      : code_(code),
        nodes_(tables.sources, tables.nodes, code.direction == Direction::kBprop),
        ops_(ops) {}

  CompiledSite describe(const Call& call) {
    const std::size_t placed = placed_;
    CompiledSite site = call.kernel == nullptr ? describe_op(call) : describe_kernel(call);
    site.is_unplaced = !call.sources.names.empty() && placed_ == placed;
    return site;
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

  using Names = std::vector<std::string_view>;

  [[nodiscard]] Names ordered(const SourceList& list) const {
    Names names = list.names;
    if (!list.is_ordered) nodes_.order(names);
    return names;
  }

  CompiledSite describe_op(const Call& call) {
    CompiledSite site;
    const Names sources = ordered(call.sources);
    if (sources.empty()) return site;
    const std::string_view own = own_node(call, sources);
    take_origin(find({{own}}).back(), site);
    site.ops = std::string(call.op) + "(" + std::string(own) + ")";
    if (site.op != nullptr && is_view(*site.op))
      site.op = nullptr;  // a pattern has replaced others
    site.is_known = site.op != nullptr;
    return site;
  }

  static std::vector<NamedNode> named(const Names& names) {
    std::vector<NamedNode> list(names.size());
    for (std::size_t i = 0; i < list.size(); ++i) list[i].name = names[i];
    return list;
  }

  /// Null: it is no product.
  [[nodiscard]] const ops::OpModel* product_of(std::string_view aten) const {
    OpDesc op;
    op.op = "aten::" + std::string(aten);
    const ops::OpModel* const model = ops_.model_of(op);
    return model != nullptr && model->is_product ? model : nullptr;
  }

  /// The last node of the list: before it stand those that it is given as views. The node of a
  /// product may also stand where another one of its name is that it is given: a mask, say.
  [[nodiscard]] std::string_view own_node(const Call& call, const Names& list) const {
    const auto product_at = [this](std::string_view name) {
      const SourceNode* const source = nodes_.first_of(name);
      return source == nullptr ? nullptr : product_of(source->target);
    };
    const ops::OpModel* const called = product_of(call.op);
    if (called == nullptr || product_at(list.back()) != nullptr) return list.back();
    const auto found = std::find_if(list.rbegin(), list.rend(), [&](std::string_view name) {
      return product_at(name) == called;
    });
    return found == list.rend() ? list.back() : *found;
  }

  std::vector<Origin> find(const std::vector<NamedNode>& list) {
    std::vector<Origin> found = nodes_.find(list);
    placed_ += static_cast<std::size_t>(std::ranges::count_if(found, &Origin::is_known));
    return found;
  }

  void take_origin(const Origin& origin, CompiledSite& to) const {
    to.is_recomputed = origin.is_recomputed;
    if (origin.source == nullptr) return;
    to.op = op_of(*origin.source);
    to.layer = origin.source->path;
    to.is_guessed = origin.is_guess;
    to.source_line = origin.source->where;
  }

  CompiledSite describe_kernel(const Call& call) {
    const Kernel& kernel = kernel_of(*call.kernel);
    const KernelCost& cost = kernel.cost;
    CompiledSite site;
    site.cost = cost.cost;
    const std::vector<Part> parts = parts_of(call, kernel);
    if (parts.empty()) {
      describe_without_nodes(call, site);
    } else {
      describe_parts(parts, site);
    }
    if (!site.cost->bytes) {
      if (auto arguments = cost_of_arguments(code_, call)) {
        arguments->flops = site.cost->flops;
        site.cost = *arguments;
      }
    }
    if (code_.is_guess && site.cost->basis == Basis::kExact) site.cost->basis = Basis::kEstimated;
    return site;
  }

  /// "mul" of "mul_12".
  static std::string_view stem_of(std::string_view name) {
    const std::size_t end = name.find_last_not_of("0123456789");
    const bool is_numbered = end != name.npos && end + 1 < name.size() && name[end] == '_';
    return is_numbered ? name.substr(0, end) : name;
  }

  /// Positions in a list of source nodes, by stem.
  using Stems = std::map<std::string_view, std::vector<std::size_t>>;
  static Stems stems_of(const Names& list) {
    Stems stems;
    for (std::size_t i = 0; i < list.size(); ++i) stems[stem_of(list[i])].push_back(i);
    return stems;
  }

  /// A kernel that the text defines.
  struct Kernel {
    KernelCost cost;
    Names sources;
    std::map<std::string_view, std::size_t> places;  // in them
    Stems stems;
  };

  const Kernel& kernel_of(const Definition& definition) {
    const auto [known, is_new] = kernels_.try_emplace(&definition);
    Kernel& kernel = known->second;
    if (!is_new) return kernel;
    kernel.cost = kernel_cost(code_, definition, counted_, ops_);
    kernel.sources = ordered(definition.sources);
    kernel.stems = stems_of(kernel.sources);
    for (std::size_t i = 0; i < kernel.sources.size(); ++i) {
      kernel.places.emplace(kernel.sources[i], i);
    }
    return kernel;
  }

  /// Where in the call's list the node is that the definition has at `at`. The lists may differ in
  /// views, so that only nodes of the same stem are counted. Absent: nowhere.
  static std::optional<std::size_t> counterpart(std::size_t at, const Kernel& kernel,
                                                const Names& sources, const Stems& called) {
    if (kernel.sources.size() == sources.size()) return at;
    const std::string_view stem = stem_of(kernel.sources[at]);
    const std::vector<std::size_t>& alike = kernel.stems.at(stem);
    const auto before = std::ranges::lower_bound(alike, at) - alike.begin();
    const auto found = called.find(stem);
    if (found == called.end() || std::cmp_greater_equal(before, found->second.size())) {
      return std::nullopt;
    }
    return found->second[static_cast<std::size_t>(before)];
  }

  /// Several calls of one kernel differ in their source nodes, which are in the same order.
  std::vector<Part> parts_of(const Call& call, const Kernel& kernel) {
    const std::vector<NodeOrigin>& made_of = call.kernel->origins;
    parts_ += kernel.cost.nodes.size() + made_of.size();
    if (parts_ > kMaxParts) return {};
    const Names sources = ordered(call.sources);
    std::vector<NamedNode> list = named(sources);
    const Stems called = stems_of(sources);
    std::map<std::string_view, std::size_t> places;  // in the list, of nodes of the definition
    for (const NodeOrigin& origin : made_of) {
      const auto defined = kernel.places.find(origin.source);
      if (defined == kernel.places.end()) continue;
      const auto at = counterpart(defined->second, kernel, sources, called);
      if (!at) continue;
      const bool is_same = origin.made.size() == 1 && origin.made.front() == origin.source;
      list[*at].is_of_graph = is_same;
      for (const std::string_view made : origin.made) places.emplace(made, *at);
    }
    const std::vector<Origin> origins = find(list);
    // A node that no list has is known by its name in the call that the definition stands for.
    const bool is_first = call.sources.names == call.kernel->sources.names;
    std::vector<Part> parts;
    for (const ComputedNode& computed : kernel.cost.nodes) {
      Part& part = parts.emplace_back(Part{&computed, {}});
      if (is_first) part.origin.name = computed.node->name;
      const auto place = places.find(computed.node->name);
      if (place != places.end()) part.origin = origins[place->second];
    }
    return parts;
  }

  void describe_parts(const std::vector<Part>& all, CompiledSite& to) const {
    // Parts that a kernel computes again only serve its own work, unless all parts are such.
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
    to.is_guessed = std::ranges::any_of(parts, [layer](const Part& part) {
      return part.origin.is_guess && path_of(part) == layer;
    });
    to.computed = main.computed->op;
    to.is_known =
        std::ranges::any_of(parts, [](const Part& one) { return one.computed->is_known; });
    for (const Part& part : all) {
      if (part.computed->flops == 0 && !part.computed->is_product && parts.size() > 1) continue;
      if (!to.ops.empty()) to.ops += ' ';
      const std::string& op = part.computed->op->op;
      to.ops += op.substr(op.rfind(':') + 1);
      if (!part.origin.name.empty()) to.ops += "(" + std::string(part.origin.name) + ")";
    }
  }

  static std::string_view path_of(const Part& part) {
    return part.origin.source == nullptr ? std::string_view() : part.origin.source->path;
  }

  /// What a node adds to its layer's work: its FLOPs. A node without any, such as a view or a cast,
  /// adds so little that it decides only between layers that compute nothing.
  static double work_of(const Part& part) {
    constexpr double kFlopsOfAnElement = 1.0 / 1024;
    if (part.computed == nullptr) return 1;
    const auto& type = part.computed->node->type;
    const double elements = type ? static_cast<double>(element_count(type->shape)) : 1;
    return part.computed->flops > 0 ? part.computed->flops : elements * kFlopsOfAnElement;
  }

  /// The layer that most of the work is of; of equal ones the last. Lists all.
  static std::string_view main_layer(const std::vector<Part>& parts, CompiledSite& to) {
    std::vector<std::pair<std::string_view, double>> layers;
    std::map<std::string_view, std::size_t> places;  // in them
    double all = 0;
    for (const Part& part : parts) {
      if (part.origin.source == nullptr) continue;
      const auto [place, is_new] = places.emplace(path_of(part), layers.size());
      if (is_new) layers.emplace_back(path_of(part), 0);
      layers[place->second].second += work_of(part);
      all += work_of(part);
    }
    if (layers.empty()) return {};
    std::ranges::stable_sort(layers, std::greater<>(),
                             &std::pair<std::string_view, double>::second);
    const auto percent = [all](double work) { return std::lround(work / all * 100); };
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

  /// The layer that most of its source nodes are of, and the last op in it.
  void take_sources(const Call& call, CompiledSite& to) {
    std::vector<Part> parts;
    for (const Origin& origin : find(named(ordered(call.sources)))) {
      parts.push_back({nullptr, origin});
    }
    const std::string_view layer = main_layer(parts, to);
    for (const Part& part : parts) {
      if (part.origin.source != nullptr && path_of(part) == layer) take_origin(part.origin, to);
    }
  }

  /// A kernel that the program wrote, one that only rearranges, or one of an older torch.
  void describe_without_nodes(const Call& call, CompiledSite& to) {
    const Definition& kernel = *call.kernel;
    take_sources(call, to);
    OpDesc op;
    op.module = "triton";
    if (!kernel.symbols.empty()) op.op = kernel.symbols.front();
    const bool is_of_program = !kernel.written_at.empty();
    if (!is_of_program && call.sources.names.empty() && is_copy(kernel)) {
      op.module = "aten";
      op.op = "aten::clone";
      to.is_known = true;
      to.cost->flops = 0;
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
  std::map<const Definition*, Kernel> kernels_;
  std::set<std::string_view> counted_;
  std::size_t parts_ = 0;   // of all calls
  std::size_t placed_ = 0;  // source nodes of all calls that are known
};

/// "buf2" of "reinterpret_tensor(buf2, ..)" and of "buf2".
std::string_view buffer_of(std::string_view arg) {
  constexpr std::string_view kView = "reinterpret_tensor(";
  if (arg.starts_with(kView)) arg.remove_prefix(kView.size());
  return arg.substr(0, arg.find_first_of(",)"));
}

/// The optimizer whose step the graph is; null: it is not a step, or not only.
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

/// A copy that the compiler has added.
bool is_copy(const Call& call) { return call.kernel != nullptr && call.sources.names.empty(); }

/// The result that such a call writes; empty: not stated.
std::string_view result_of(const Call& call) {
  const auto& parameters = call.kernel->parameters;
  std::string_view result;
  for (std::size_t i = 0; i < std::min(parameters.size(), call.args.size()); ++i) {
    if (parameters[i].starts_with("out_ptr")) result = buffer_of(call.args[i]);
  }
  return result;
}

/// A copy is work of the call that it is made for: the next one that is given its result.
void take_consumers(const std::vector<Call>& calls, std::vector<CompiledSite>& sites) {
  std::map<std::string_view, std::size_t> next;  // by buffer: the call that takes it
  for (std::size_t i = calls.size(); i-- > 0;) {
    const Call& call = calls[i];
    if (is_copy(call)) {
      const auto consumer = next.find(result_of(call));
      if (consumer == next.end()) continue;
      const CompiledSite& of = sites[consumer->second];
      sites[i].layer = of.layer;
      sites[i].source_line = of.source_line;
      sites[i].is_recomputed = of.is_recomputed;
    } else if (!call.sources.names.empty()) {
      for (const std::string_view arg : call.args) next[buffer_of(arg)] = i;
    }
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
  take_consumers(code.calls, described);
  for (CompiledSite& site : described) {
    sites.push_back(std::make_shared<const CompiledSite>(std::move(site)));
  }
  return sites;
}

}  // namespace prof::compiled
