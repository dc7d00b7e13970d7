// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/compiled/kernel_cost.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "analyzers/ops/aten_signatures.hpp"

namespace prof::compiled {
namespace {

std::optional<double> bytes_of(const TensorType& type) {
  const auto size = size_bytes(type.dtype);
  if (!size) return std::nullopt;
  return static_cast<double>(element_count(type.shape)) * static_cast<double>(*size);
}

/// "buf12": what the scheduler allocates, as opposed to the value of a node.
bool is_buffer(std::string_view name) {
  constexpr std::string_view kBuffer = "buf";
  return name.starts_with(kBuffer) && name.size() > kBuffer.size() &&
         name.find_first_not_of("0123456789", kBuffer.size()) == std::string_view::npos;
}

/// Ops that read a few rows of their first operand.
bool gathers(std::string_view op) {
  constexpr std::array<std::string_view, 5> kGathers = {"aten::embedding", "aten::index",
                                                        "aten::gather", "aten::index_select",
                                                        "aten::_unsafe_index"};
  return std::ranges::find(kGathers, op) != kGathers.end();
}

/// Each node of "%a, [%b, %c], 2", from the left.
template <typename Visit>
void visit_operands(std::string_view args, Visit visit) {
  for (std::size_t at = args.find('%'); at != args.npos; at = args.find('%', at)) {
    const std::size_t end = std::min(args.find_first_of(",])", at), args.size());
    visit(args.substr(at + 1, end - at - 1), at == 0);
    at = end;
  }
}

/// Counts a kernel's traffic by its fragment.
class Traffic {
 public:
  Traffic(const InductorCode& code, const Definition& kernel)
      : code_(code), kernel_(kernel), results_(written().begin(), written().end()) {
    for (const FragmentNode& node : kernel.fragment.nodes()) {
      if (!node.target.empty()) note_operands(node);
    }
  }

  /// Absent: the size of something is not known.
  std::optional<OpCost> count() {
    const GraphFragment& fragment = kernel_.fragment;
    for (const FragmentNode& node : fragment.nodes()) {
      if (!node.target.empty() || is_seen(node.name) || is_internal(node.name)) continue;
      if (!add_read(node)) return std::nullopt;
    }
    seen_.clear();
    for (const std::string_view name : written()) {
      if (is_seen(name) || (is_buffer(name) && fragment.is_read(name))) continue;
      const auto bytes = size_of(name);
      if (!bytes) return std::nullopt;
      written_ += *bytes;
      ++writes_;
    }
    if (reads_ + writes_ == 0) return std::nullopt;
    OpCost cost;
    cost.read = read_;
    cost.written = written_;
    cost.bytes = read_ + written_;
    cost.basis = fits_parameters() ? Basis::kExact : Basis::kEstimated;
    return cost;
  }

 private:
  /// The rows gathered from a node: their bytes, unless something else is done with the node.
  struct Use {
    double bytes = 0;
    bool is_gathered = true;
  };

  [[nodiscard]] const std::vector<std::string_view>& written() const {
    return kernel_.fragment.written;
  }

  void note_operands(const FragmentNode& node) {
    const bool is_gather = node.type && gathers(op_of_target(node.target));
    std::set<std::string_view> noted;
    visit_operands(node.args, [&](std::string_view name, bool is_first) {
      if (!noted.insert(name).second) return;
      Use& use = uses_[name];
      use.is_gathered = use.is_gathered && is_gather && is_first;
      if (use.is_gathered) use.bytes += bytes_of(*node.type).value_or(0);
    });
  }

  bool is_seen(std::string_view name) { return !seen_.insert(name).second; }

  /// The kernel reads what it has just written itself.
  [[nodiscard]] bool is_internal(std::string_view name) const { return results_.contains(name); }

  [[nodiscard]] std::optional<double> size_of(std::string_view name) const {
    const FragmentNode* const node = kernel_.fragment.find(name);
    if (node != nullptr && node->type) return bytes_of(*node->type);
    const auto type = type_of_argument(code_, name);
    return type ? bytes_of(*type) : std::nullopt;
  }

  bool add_read(const FragmentNode& read) {
    std::optional<double> bytes = size_of(read.name);
    if (const auto rows = gathered(read.name)) bytes = bytes ? std::min(*bytes, *rows) : rows;
    if (!bytes) return false;
    read_ += *bytes;
    ++reads_;
    return true;
  }

  /// Bytes of the rows that are gathered from it, if nothing else is done with it.
  [[nodiscard]] std::optional<double> gathered(std::string_view name) const {
    const auto use = uses_.find(name);
    if (use == uses_.end() || !use->second.is_gathered) return std::nullopt;
    return use->second.bytes;
  }

  /// The kernel has as many pointers to read and to write as the fragment says.
  [[nodiscard]] bool fits_parameters() const {
    std::size_t in = 0;
    std::size_t out = 0;
    std::size_t both = 0;
    for (const std::string_view parameter : kernel_.parameters) {
      if (parameter.starts_with("in_out_ptr")) {
        ++both;
      } else if (parameter.starts_with("in_ptr")) {
        ++in;
      } else if (parameter.starts_with("out_ptr")) {
        ++out;
      }
    }
    return writes_ == out + both && reads_ >= in && reads_ <= in + both;
  }

  const InductorCode& code_;
  const Definition& kernel_;
  std::set<std::string_view> results_;
  std::map<std::string_view, Use> uses_;
  std::set<std::string_view> seen_;
  double read_ = 0, written_ = 0;
  std::size_t reads_ = 0, writes_ = 0;
};

/// Products whose bias other kernels may add.
bool has_bias(const OpDesc& op) { return op.op == "aten::convolution" || op.op == "aten::addmm"; }

/// Its code has products of its own. The products that other kernels name are a library's: they
/// add a bias, or write an operand in the layout that the library wants.
bool is_template(const Definition& kernel) {
  const std::string_view symbol =
      kernel.symbols.empty() ? std::string_view() : kernel.symbols.front();
  return !symbol.starts_with("triton_") || symbol.starts_with("triton_tem_");
}

ComputedNode compute(const FragmentNode& node, const Definition& kernel, const ops::OpCatalog& ops,
                     bool& is_sure) {
  const GraphFragment& fragment = kernel.fragment;
  ComputedNode made;
  made.node = &node;
  made.op = std::make_shared<const OpDesc>(describe_node(node, fragment));
  const ops::OpModel* const model = ops.model_of(*made.op);
  made.is_known = model != nullptr;
  made.is_product = model != nullptr && model->is_product && is_template(kernel);
  if (model != nullptr && model->is_product && !made.is_product) {
    const bool adds = has_bias(*made.op) && node.type;
    made.flops = adds ? static_cast<double>(element_count(node.type->shape)) : 0;
    return made;
  }
  const OpCost cost = ops.facts_of(*made.op).cost;
  made.flops = cost.flops.value_or(0);
  is_sure = is_sure && cost.flops.has_value() && cost.basis == Basis::kExact;
  std::uint64_t largest = 0;
  for (const Tensor& tensor : made.op->tensors) {
    if (tensor.role == Tensor::Role::kIn) largest = std::max(largest, element_count(tensor.shape));
  }
  made.is_reduction = node.type && element_count(node.type->shape) < largest;
  return made;
}

}  // namespace

KernelCost kernel_cost(const InductorCode& code, const Definition& kernel,
                       std::set<std::string_view>& counted, const ops::OpCatalog& ops) {
  KernelCost made;
  double flops = 0;
  bool is_sure = true;
  for (const FragmentNode& node : kernel.fragment.nodes()) {
    if (node.target.empty()) continue;
    const ComputedNode& computed = made.nodes.emplace_back(compute(node, kernel, ops, is_sure));
    if (computed.flops == 0) continue;
    if (!counted.insert(node.name).second) {
      is_sure = false;  // another kernel computes it, too
    } else {
      flops += computed.flops;
    }
  }
  const std::vector<FragmentNode>& nodes = kernel.fragment.nodes();
  const auto has_type = [](const FragmentNode& node) { return node.type.has_value(); };
  const auto is_unknown = [](const FragmentNode& node) { return node.is_typed && !node.type; };
  const bool has_sizes =
      std::ranges::any_of(nodes, has_type) && std::ranges::none_of(nodes, is_unknown);
  if (auto traffic = has_sizes ? Traffic(code, kernel).count() : std::nullopt) {
    made.cost = *traffic;
  }
  if (has_sizes && !made.nodes.empty()) {
    made.cost.flops = flops;
    if (made.cost.basis == Basis::kUnknown) made.cost.basis = Basis::kExact;
    if (!is_sure) made.cost.basis = Basis::kEstimated;
  }
  if (nodes.empty()) {
    made.cost.flops = kernel.arithmetic.flops();
    if (made.cost.flops) made.cost.basis = Basis::kEstimated;
  }
  return made;
}

std::optional<OpCost> cost_of_arguments(const InductorCode& code, const Call& call) {
  if (call.kernel == nullptr) return std::nullopt;
  OpCost cost;
  double read = 0;
  double written = 0;
  bool is_split = true;  // by parameters' names
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    const auto& parameters = call.kernel->parameters;
    const std::string_view name = i < parameters.size() ? parameters[i] : std::string_view();
    const auto type = type_of_argument(code, call.args[i]);
    if (!type && name.find("_ptr") != name.npos) return std::nullopt;
    if (!type || !seen.insert(call.args[i]).second) continue;
    const auto bytes = bytes_of(*type);
    if (!bytes) return std::nullopt;
    const bool is_out = name.starts_with("out_ptr");
    is_split = is_split && (is_out || name.starts_with("in_ptr") || name.starts_with("arg_"));
    (is_out ? written : read) += *bytes;
  }
  if (seen.empty()) return std::nullopt;
  cost.bytes = read + written;
  if (is_split) {
    cost.read = read;
    cost.written = written;
  }
  cost.basis = Basis::kEstimated;
  return cost;
}

}  // namespace prof::compiled
