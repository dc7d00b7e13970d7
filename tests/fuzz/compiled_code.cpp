// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/compiled_code.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string_view>

#include "analyzers/attributor.hpp"
#include "analyzers/compiled/graph_sites.hpp"
#include "analyzers/compiled/node_places.hpp"
#include "analyzers/compiled/printed_graph.hpp"
#include "tests/support/deflated.hpp"
#include "tests/unit/analyzers/fake_trace.hpp"

namespace prof::fuzz {
namespace {

using namespace compiled;

constexpr std::string_view kSources = R"({"nodes":[
{"name":"linear","path":"a","target":"linear","where":"m.py:1"},
{"name":"relu","path":"a","target":"relu"},
{"name":"linear","path":"b","target":"linear","where":"m.py:1"},
{"name":"sum_1","path":"b","target":"sum"}]})";
constexpr std::string_view kNodes = R"({"nodes":[
{"name":"mm","source":"linear"},{"name":"relu","source":"relu"},
{"name":"mm_1","source":"linear","nth":1,"dir":"bprop"}]})";
constexpr std::string_view kCode = R"(# AOT ID: ['0_backward']
# Source Nodes: [linear, relu, sum_1], Original ATen: []
# Source node to ATen node mapping:
#   linear => mm
#   relu => relu
# Graph fragment:
#   %mm : Tensor "f32[8, 16][16, 1]cuda:0" = PlaceHolder[target=mm]
#   %relu : Tensor "f32[8, 16][16, 1]cuda:0" = call_function[target=torch.ops.aten.relu.default](args = (%mm,), kwargs = {})
#   return %relu
k = async_compile.triton('k', '''
def k(in_ptr0, out_ptr0, xnumel):
''')
def call(args):
    # Source Nodes: [mm_1], Original ATen: [aten.mm]
    extern_kernels.mm(a, b, out=buf0)
    # Source Nodes: [linear, relu, sum_1], Original ATen: []
    k.run(buf0, buf1, 128)
    # Source Nodes: [linear_2], Original ATen: []
    k.run(buf1, buf2, 128)
)";

std::shared_ptr<const std::string> lines_of(std::string text) {
  std::ranges::replace(text, '|', '\n');
  return std::make_shared<const std::string>(std::move(text));
}

bool is_number(const std::optional<double>& value) {
  return !value || (std::isfinite(*value) && *value >= 0);
}

bool is_sound(const CompiledSite& site) {
  return !site.cost || (is_number(site.cost->flops) && is_number(site.cost->bytes) &&
                        is_number(site.cost->read) && is_number(site.cost->written));
}

/// Whether all that was read is part of the text.
class Within {
 public:
  explicit Within(std::string_view text) : text_(text) {}

  bool operator()(std::string_view part) const {
    const std::less_equal<> not_after;
    return part.empty() || (not_after(text_.data(), part.data()) &&
                            not_after(part.data() + part.size(), text_.data() + text_.size()));
  }
  bool operator()(const std::vector<std::string_view>& parts) const {
    return std::ranges::all_of(parts, *this);
  }
  bool operator()(const GraphFragment& fragment) const {
    return (*this)(fragment.written) &&
           std::ranges::all_of(fragment.nodes(), [this](const FragmentNode& node) {
             return (*this)(node.name) && (*this)(node.target) && (*this)(node.args);
           });
  }

 private:
  std::string_view text_;
};

bool describe(const InductorCode& code, const GraphTables& tables) {
  static const ops::OpCatalog ops;
  const auto sites = describe_sites(code, tables, ops);
  return sites.size() == code.calls.size() && std::ranges::all_of(sites, [](const auto& site) {
           return site != nullptr && is_sound(*site);
         });
}

const GraphTables& fixed_tables() {
  static const GraphTables tables = {*read_source_nodes(kSources), *read_graph_nodes(kNodes)};
  return tables;
}

}  // namespace

bool read_code(const std::string& text) {
  const auto lines = lines_of(text);
  const InductorCode code = read_inductor_code(lines, {{"s77", 8}});
  const Within is_within(*lines);
  bool good = code.calls.size() <= kMaxSites;
  for (const auto& definition : code.definitions) {
    good = good && is_within(definition->symbols) && is_within(definition->sources.names) &&
           is_within(definition->parameters) && is_within(definition->fragment);
  }
  for (const Call& call : code.calls) {
    good = good && (call.kernel != nullptr || !call.op.empty()) && is_within(call.op) &&
           is_within(call.args) && is_within(call.sources.names);
  }
  return good && describe(code, fixed_tables());
}

bool read_fragments(const std::string& text) {
  const auto lines = lines_of(text);
  std::vector<std::string_view> split;
  for (std::string_view rest = *lines; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1);
    split.push_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  const GraphFragment fragment = read_fragment(split);
  for (const FragmentNode& node : fragment.nodes()) {
    const FragmentNode* const found = fragment.find(node.name);
    if (found == nullptr || found->name != node.name) return false;
    if (!node.target.empty() && describe_node(node, fragment).op.empty()) return false;
  }
  return Within(*lines)(fragment);
}

bool read_symbolic_sizes(const std::string& text) {
  const Shape shape = {8, 24, 1, 512};
  Symbols symbols;
  if (!solve_sizes(text, shape, symbols)) return true;
  const auto sizes = read_sizes(text, symbols);
  return !sizes || *sizes == shape;
}

bool read_node_tables(const std::string& text) {
  const std::size_t middle = std::min(text.find('|'), text.size());
  const std::string rest = text.substr(std::min(middle + 1, text.size()));
  GraphTables tables;
  tables.sources = read_source_nodes(text.substr(0, middle)).value_or(std::vector<SourceNode>());
  tables.nodes = read_graph_nodes(rest).value_or(std::vector<GraphNode>());
  const auto has_name = [](const auto& node) { return !node.name.empty(); };
  return std::ranges::all_of(tables.sources, has_name) &&
         std::ranges::all_of(tables.nodes, has_name) &&
         describe(read_inductor_code(std::make_shared<const std::string>(kCode)), tables);
}

bool read_graph_lines(const std::string& text) {
  const auto lines = lines_of(text);
  const std::vector<SourceNode> sources = *read_source_nodes(kSources);
  const auto has_source = [&](const GraphNode& node) {
    return node.source.empty() ||
           std::ranges::find(sources, node.source, &SourceNode::name) != sources.end();
  };
  const std::size_t middle = lines->find('|');
  const std::string forward = middle == lines->npos ? "" : lines->substr(middle + 1);
  static const ops::OpCatalog ops;
  return std::ranges::all_of(
      place_nodes(read_printed_graph(std::string_view(*lines).substr(0, middle)),
                  read_printed_graph(forward), sources, ops),
      has_source);
}

bool run_code(const std::string& text) {
  const auto lines = lines_of(text);
  std::mt19937_64 random(std::hash<std::string>{}(text));
  fakes::FakeTrace trace;
  std::string bytes = test::deflated(*lines);
  if (random() % 16 == 0) bytes[random() % bytes.size()] ^= 1;
  trace.document("inductor.wrapper", "c1", bytes);
  trace.document("dynamo.nodes", "0", test::deflated(kSources));
  if (random() % 2 == 0) trace.document("aot.nodes", "c1", test::deflated(kNodes));
  trace.document("inductor.post_grad", "c1", bytes);
  trace.push(R"({"v":1,"mod":"prof","graph":"c1","source":"0","dir":"fprop"})");
  std::size_t launches = 0;
  for (const Call& call : read_inductor_code(lines).calls) {
    if (random() % 8 == 0) continue;
    if (call.kernel == nullptr) trace.push("aten::" + std::string(call.op) + ", sizes = [[8, 4]]");
    const bool is_named = call.kernel != nullptr && !call.kernel->symbols.empty();
    trace.kernel(is_named ? call.kernel->symbols.front() : fakes::kSgemm);
    if (call.kernel == nullptr) trace.pop();
    ++launches;
  }
  const auto cursor = attribute_work(trace);
  std::size_t rows = 0;
  while (const AttributedRow* const row = cursor->next()) {
    ++rows;
    if (row->attribution.op == nullptr) return false;
  }
  return rows == launches && cursor->status().ok();
}

}  // namespace prof::fuzz
