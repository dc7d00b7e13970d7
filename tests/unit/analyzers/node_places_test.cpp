// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Nodes of a backward graph whose table is not in the trace: the modules that they are of.
#include "analyzers/compiled/node_places.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace prof::compiled {
namespace {

TEST(PrintedGraph, HasNodesTheirLinesAndOperands) {
  const PrintedGraph graph = read_printed_graph(R"(class GraphModule(torch.nn.Module):
    def forward(self, primals_1: "f32[8][1]cuda:0", tangents_1: "f32[8][1]cuda:0"):
        # File: /home/u/a:b/model.py:42 in forward, code: y = x in z
        mul: "f32[8][1]cuda:0" = torch.ops.aten.mul.Tensor(primals_1, 2);  primals_1 = None

        # File: model.py:7, code: y = f(x)
        relu = torch.ops.aten.relu.default(mul, memory_format = torch.preserve_format)

        # No stacktrace found for following nodes
        _part: "f32[8][1]cuda:0" = relu[0];  relu = None
        # File: nonsense, code: y = f(x)
        last: "f32[8]" = torch.ops.aten.add.Tensor(mul, [_part, tangents_1])
        return (view, last)
)");
  EXPECT_EQ(graph.inputs, (std::set<std::string_view>{"primals_1", "tangents_1"}));
  ASSERT_EQ(graph.nodes.size(), 4U);
  EXPECT_EQ(graph.nodes[0].name, "mul");
  EXPECT_EQ(graph.nodes[0].where, "model.py:42");
  EXPECT_EQ(graph.nodes[0].target, "aten.mul.Tensor");
  EXPECT_EQ(graph.nodes[0].operands, std::vector<std::string_view>{"primals_1"});
  EXPECT_EQ(graph.nodes[1].where, "model.py:7");
  EXPECT_EQ(graph.nodes[1].operands, std::vector<std::string_view>{"mul"});
  EXPECT_EQ(graph.nodes[2].where, "");
  EXPECT_EQ(graph.nodes[2].target, "");
  EXPECT_EQ(graph.nodes[2].operands, std::vector<std::string_view>{"relu"});
  EXPECT_EQ(graph.nodes[3].where, "");
  EXPECT_EQ(graph.nodes[3].operands, (std::vector<std::string_view>{"mul", "_part", "tangents_1"}));
}

TEST(PrintedGraph, PassesNameNodesByWholeTargets) {
  EXPECT_TRUE(is_of_pass(
      {.name = "mm_default_1", .where = "", .target = "aten.mm.default", .operands = {}}));
  EXPECT_FALSE(
      is_of_pass({.name = "mm_1", .where = "", .target = "aten.mm.default", .operands = {}}));
  EXPECT_FALSE(is_of_pass({.name = "getitem", .where = "", .target = "", .operands = {}}));
}

class NodePlaces : public testing::Test {
 protected:
  /// "mm b.1.up, ...": the nodes and their modules; with '?' where it is a guess.
  std::string places(std::string_view backward, std::string_view forward = "") {
    std::string told;
    for (const GraphNode& node :
         place_nodes(read_printed_graph(backward), read_printed_graph(forward), sources_, ops_)) {
      std::size_t nth = node.nth;
      const auto found = std::ranges::find_if(sources_, [&](const SourceNode& source) {
        return source.name == node.source && nth-- == 0;
      });
      if (!told.empty()) told += ", ";
      told += node.name + " " + (found == sources_.end() ? "-" : found->path);
      if (node.is_guess) told += '?';
      if (node.is_recomputed) told += " again";
    }
    return told;
  }

  // Two blocks of two products each, which torch runs in the same line.
  std::vector<SourceNode> sources_ = *read_source_nodes(R"({"nodes":[
      {"name":"e","path":"emb","target":"embedding","where":"m.py:1"},
      {"name":"x","path":"b.0.up","target":"linear","where":"m.py:2"},
      {"name":"r","path":"b.0","target":"relu","where":"m.py:3"},
      {"name":"x","path":"b.0.down","target":"linear","where":"m.py:2"},
      {"name":"a","path":"b.0","target":"add","where":"m.py:4"},
      {"name":"x_1","path":"b.1.up","target":"linear","where":"m.py:2"},
      {"name":"r_1","path":"b.1","target":"relu","where":"m.py:3"},
      {"name":"x_1","path":"b.1.down","target":"linear","where":"m.py:2"},
      {"name":"a_1","path":"b.1","target":"add","where":"m.py:4"},
      {"name":"h","path":"","target":"getitem","where":"m.py:5"},
      {"name":"h_1","path":"head","target":"linear","where":"m.py:5"}]})");
  const ops::OpCatalog ops_;
};

constexpr std::string_view kForward = R"(
    def forward(self, p1: "f32", p2: "f32", p3: "f32", p4: "f32", p5: "f32", i: "i64"):
        # File: m.py:1, code:
        embedding: "f32" = torch.ops.aten.embedding.default(p5, i)
        # File: m.py:2, code:
        mm: "f32" = torch.ops.aten.mm.default(embedding, p1)
        # File: m.py:3, code:
        relu: "f32" = torch.ops.aten.relu.default(mm)
        # File: m.py:2, code:
        mm_1: "f32" = torch.ops.aten.mm.default(relu, p2)
        # File: m.py:4, code:
        add: "f32" = torch.ops.aten.add.Tensor(mm_1, embedding)
        # File: m.py:2, code:
        mm_2: "f32" = torch.ops.aten.mm.default(add, p3)
        # File: m.py:3, code:
        relu_1: "f32" = torch.ops.aten.relu.default(mm_2)
        # File: m.py:2, code:
        mm_3: "f32" = torch.ops.aten.mm.default(relu_1, p4)
        # File: m.py:4, code:
        add_1: "f32" = torch.ops.aten.add.Tensor(mm_3, add)
        # File: m.py:5, code:
        permute: "f32" = torch.ops.aten.permute.default(p5, [1, 0])
        mm_4: "f32" = torch.ops.aten.mm.default(add_1, permute)
        # File: m.py:2, code:
        permute_9: "f32" = torch.ops.aten.permute.default(relu, [1, 0])
        return (mm_4, permute_9)
)";

TEST_F(NodePlaces, AreOfTheCallsWhoseValuesTheyAreGiven) {
  EXPECT_EQ(places(R"(
    def forward(self, p1: "f32", p2: "f32", p4: "f32", p5: "f32", relu_1: "f32", permute_9: "f32", t: "f32"):
        # File: m.py:5, code:
        permute: "f32" = torch.ops.aten.permute.default(p5, [1, 0])
        mm_5: "f32" = torch.ops.aten.mm.default(t, permute)
        # File: m.py:2, code:
        permute_2: "f32" = torch.ops.aten.permute.default(p4, [1, 0])
        mm_6: "f32" = torch.ops.aten.mm.default(mm_5, permute_2)
        mm_7: "f32" = torch.ops.aten.mm.default(mm_5, relu_1)
        sum_1: "f32" = torch.ops.aten.sum.dim_IntList(mm_5, [0])
        # File: m.py:2, code:
        mm_8: "f32" = torch.ops.aten.mm.default(permute_9, mm_6)
        # File: m.py:9, code:
        add_7: "f32" = torch.ops.aten.add.Tensor(mm_8, mm_6)
        # File: m.py:1, code:
        index_put: "f32" = torch.ops.aten.index_put.default(add_7, p5)
)",
                   kForward),
            "permute head again, mm_5 head, permute_2 b.1.down, mm_6 b.1.down, mm_7 b.1.down, "
            "sum_1 b.1.down, mm_8 b.0.down, add_7 -?, index_put emb");
}

TEST_F(NodePlaces, WhatIsComputedAgainIsOfTheForwardNodeOfThatName) {
  EXPECT_EQ(places(R"(
    def forward(self, p1: "f32", mm: "f32", mm_2: "f32", t: "f32"):
        # File: m.py:3, code:
        relu_1: "f32" = torch.ops.aten.relu.default(mm_2)
        le: "b8" = torch.ops.aten.le.Scalar(relu_1, 0)
        # File: m.py:3, code:
        relu: "f32" = torch.ops.aten.relu.default(mm)
        where: "f32" = torch.ops.aten.where.self(relu, t)
)",
                   kForward),
            "relu_1 b.1 again, le b.1, relu b.0 again, where b.0");
}

TEST_F(NodePlaces, WithoutTheForwardGraphEqualLinesRunInTheOppositeOrder) {
  EXPECT_EQ(places(R"(
        # File: m.py:5, code:
        mm: "f32" = torch.ops.aten.mm.default(a, b)
        # File: m.py:2, code:
        mm_1: "f32" = torch.ops.aten.mm.default(a, b)
        mm_2: "f32" = torch.ops.aten.mm.default(a, b)
        # File: m.py:3, code:
        relu_backward: "f32" = torch.ops.aten.threshold_backward.default(a, b)
        # File: m.py:2, code:
        mm_3: "f32" = torch.ops.aten.mm.default(a, b)
        mm_4: "f32" = torch.ops.aten.mm.default(a, b)
        # File: m.py:4, code:
        add: "f32" = torch.ops.aten.add.Tensor(a, b)
)"),
            "mm head, mm_1 b.1.down?, mm_2 b.1.up?, relu_backward b.1?, mm_3 b.0.down?, "
            "mm_4 b.0.up?, add b.0?");
}

// A mask that all layers are given says nothing about the one that uses it again.
TEST_F(NodePlaces, WhatIsGivenToSeveralCallsTellsNone) {
  constexpr std::string_view kMasked = R"(
    def forward(self, mask: "b8", k: "f32", l: "f32"):
        # File: m.py:4, code:
        add: "f32" = torch.ops.aten.add.Tensor(mask, k)
        # File: m.py:4, code:
        add_1: "f32" = torch.ops.aten.add.Tensor(mask, l)
        # File: m.py:5, code:
        mm: "f32" = torch.ops.aten.mm.default(add, add_1)
)";
  EXPECT_EQ(places(R"(
    def forward(self, mask: "b8", k: "f32", t: "f32"):
        # File: m.py:4, code:
        mul: "f32" = torch.ops.aten.mul.Tensor(t, mask)
        # File: m.py:4, code:
        mul_1: "f32" = torch.ops.aten.mul.Tensor(k, mask)
)",
                   kMasked),
            "mul b.1?, mul_1 b.0");
}

// Where reading or placing is not linear, the test does not end in its time.
TEST_F(NodePlaces, HostileGraphs) {
#if defined(PROF_SANITIZED)
  constexpr int kNodes = 3'000;
#else
  constexpr int kNodes = 30'000;
#endif
  std::string views = "    def forward(self, a: \"f32\"):\n        # File: m.py:2, code:\n";
  std::string uses = views;
  for (int i = 0; i < kNodes; ++i) {
    const std::string to = "v" + std::to_string(i) + ": \"f32\" = torch.ops.aten.";
    const std::string from = i == 0 ? "a" : "v" + std::to_string(i - 1);
    views += "        " + to + "view.default(" + from + ", a)\n";
    uses += "        " + to + (i % 2 == 0 ? "view" : "mm") + ".default(a, a, a)\n";
  }
  for (const std::string& text : {views, uses}) {
    const PrintedGraph graph = read_printed_graph(text);
    EXPECT_EQ(place_nodes(graph, graph, sources_, ops_).size(), std::size_t{kNodes});
  }
}

}  // namespace
}  // namespace prof::compiled
