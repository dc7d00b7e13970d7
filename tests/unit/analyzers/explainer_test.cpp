// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What an Explainer hears, and that it changes nothing.
#include "analyzers/explainer.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "analyzers/ops/formula_text.hpp"
#include "tests/unit/analyzers/compiled_program.hpp"

namespace prof {
namespace {

using fakes::kSgemm;
using fakes::kTorchLinear;

constexpr std::uint32_t kForwardThread = 1, kBackwardThread = 2;  // threads

std::string content_of(const std::string& file) {
  std::ifstream in(std::filesystem::path(PROF_SOURCE_DIR) / file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(RuleNames, EachRuleIsInItsFile) {
  for (const auto& [what, rule, file] : rule_names()) {
    EXPECT_NE(content_of(std::string(file)).find(rule.substr(rule.rfind(':') + 1)),
              std::string::npos)
        << what << ": " << rule << " in " << file;
  }
}

TEST(RuleNames, EachMeaningAndEachEffectHasItsOwn) {
  EXPECT_EQ(rule_of(Meaning{LayerName{}}).what, "layer");
  EXPECT_EQ(rule_of(Meaning{BatchLaunch{}}).what, "launch of a group of calls");
  EXPECT_EQ(rule_of(Effect::kForwardOp).rule, "forward_of");
  EXPECT_EQ(rule_of(Effect::kRepeat).rule, "RepeatedSteps::repeat");
  EXPECT_EQ(rule_of(Effect::kRepeat).what, rule_names().back().what);
}

TEST(OpFormulas, EachModelIsInItsFile) {
  ops::Registry registry;
  register_builtin(registry);
  for (const ops::OpModel& model : registry.models()) {
    EXPECT_NE(content_of(std::string(model.file)).find('"' + std::string(model.name) + '"'),
              std::string::npos)
        << model.name << " in " << model.file;
  }
}

TEST(OpFormulas, HaveNumbersOnlyWhereThoseMakeWhatIsCounted) {
  const ops::OpModel model;
  OpDesc op;
  op.tensors.push_back({.name = "x", .role = Tensor::Role::kIn, .shape = {8, 4}});
  op.tensors.push_back({.name = "y", .role = Tensor::Role::kOut, .shape = {8, 2}});
  const auto text = [&](std::string_view formula, double flops,
                        std::optional<GemmShape> gemm = {}) {
    return ops::formula_with_numbers(formula, model, op, gemm, flops);
  };
  const GemmShape gemm{2, 8, 4, 3};
  EXPECT_EQ(text("2·M·N·K; complex 8·M·N·K", 128, gemm), "2·M·N·K = 2·2·8·4 = 128");
  EXPECT_EQ(text("2·M·N·K·batch", 400, gemm),
            "2·M·N·K·batch = 2·2·8·4·3 = 384, and 16 by its other terms");
  EXPECT_EQ(text("2·M·N·K", 100, gemm), "") << "it counts less";
  EXPECT_EQ(text("3E; mean or sum: + E", 48), "3E = 3·16 = 48");
  EXPECT_EQ(text("E", 32), "E = 32") << "of the main input";
  EXPECT_EQ(text("3E", 50), "");
  EXPECT_EQ(text("E·ceil(log2 n)", 16), "");
  EXPECT_EQ(text("E(x) + E", 48), "");
  EXPECT_EQ(text("0", 0), "");
}

class Explained : public fakes::CompiledProgram {
 protected:
  /// All rows are as without an explainer.
  const Explanation& explain(std::uint64_t row) {
    const auto plain = attribute();
    explainer_.emplace(row);
    const auto rows = attribute({.explainer = &*explainer_});
    EXPECT_EQ(rows.size(), plain.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(rows[i].op.layer, plain[i].op.layer);
      EXPECT_EQ(rows[i].op.op, plain[i].op.op);
      EXPECT_EQ(rows[i].own.cost.flops, plain[i].own.cost.flops);
      EXPECT_EQ(rows[i].own.op_id, plain[i].own.op_id);
    }
    EXPECT_TRUE(explainer_->explanation()->differences.empty());
    return *explainer_->explanation();
  }

  /// "0 layer:fc (add_layer) layer: -> fc; 0 ...".
  static std::string told(const Explanation& explained) {
    std::string text;
    for (const ExplainedRange& range : explained.ranges) {
      text +=
          std::to_string(range.depth) + ' ' + range.text + " (" + std::string(range.by.rule) + ')';
      for (const auto& lead : range.leads) text += " => " + std::to_string(lead.range) + lead.how;
      for (const FactChange& change : range.changes) {
        text += ' ' + std::string(change.what) + ": " + change.before + "->" + change.after;
      }
      text += '\n';
    }
    return text;
  }

  std::optional<Explainer> explainer_;
};

TEST_F(Explained, EachRangeSaysWhatItChanges) {
  trace_.push("step:3");
  trace_.push("layer:fc");
  trace_.kernel("first");
  trace_.push(R"({"v":1,"mod":"prof","op":"relu","args":[]})");
  trace_.kernel("second");
  EXPECT_EQ(told(explain(2)),
            "0 step:3 (StepRanges) step: ->3\n"
            "0 layer:fc (add_layer) layer: ->fc\n"
            R"(0 {"v":1,"mod":"prof","op":"relu","args":[]} (const StatedOp&) op: ->relu)"
            " innermost op: ->relu op that owns the cost: ->relu\n");
  EXPECT_EQ(explainer_->explanation()->ranges[1].dialect, "native");
  EXPECT_EQ(explainer_->explanation()->cost.model, "elementwise");
  EXPECT_EQ(explainer_->explanation()->cost.file, "analyzers/ops/elementwise.cpp");
}

TEST_F(Explained, NoRangesAndNoRow) {
  trace_.kernel("alone");
  const Explanation& explained = explain(1);
  EXPECT_TRUE(explained.ranges.empty());
  EXPECT_EQ(explained.cost.why, "no op instance is known, so there is no cost to share");
  EXPECT_EQ(explained.counts.unattributed, 1U);
  Explainer of_none(2);
  attribute({.explainer = &of_none});
  EXPECT_EQ(of_none.explanation(), nullptr);
}

TEST_F(Explained, KernelsThatShareAnOpAreListed) {
  trace_.push("layer:fc");
  trace_.push(kTorchLinear);
  trace_.kernel(kSgemm);
  trace_.kernel("void splitKreduce_kernel<32, 16, int, float>()");
  trace_.pop();
  trace_.push(kTorchLinear);
  trace_.kernel(kSgemm);
  const Explanation& explained = explain(1);
  ASSERT_EQ(explained.in_instance, 2U);
  EXPECT_EQ(explained.sharing[0].idx, 1U);
  EXPECT_EQ(explained.sharing[1].idx, 2U);
  EXPECT_FALSE(explained.sharing[1].is_main);
  EXPECT_EQ(explained.cost.why, "carries all of it");
  EXPECT_EQ(explained.cost.numbers, "2·M·N·K = 2·32·8·4 = 2,048, and 256 by its other terms");
}

TEST_F(Explained, ANodeLeadsToItsForwardOp) {
  trace_.push("layer:fc", kForwardThread);
  const RangeId forward = trace_.push(kTorchLinear, kForwardThread);
  trace_.pop(kForwardThread);
  trace_.push("AddmmBackward0, seq = 1, op_id = 901", kBackwardThread);
  trace_.push("aten::mm, op_id = 902, sizes = [[8, 32], [32, 4]]", kBackwardThread);
  trace_.kernel(kSgemm, 100, kBackwardThread);
  const Explanation& explained = explain(1);
  ASSERT_EQ(explained.ranges.size(), 4U);
  const ExplainedRange& node = explained.ranges[0];
  ASSERT_EQ(node.leads.size(), 1U);
  EXPECT_EQ(node.leads[0].range, forward);
  EXPECT_EQ(node.leads[0].how, "by sequence number 1 on thread 1, without a matching name");
  EXPECT_EQ(node.changes[0].after, "fc (inherited)");
  EXPECT_EQ(explained.ranges[1].depth, 1U);
  EXPECT_EQ(explained.ranges[1].text, "layer:fc");
  EXPECT_EQ(explained.ranges[2].text, kTorchLinear);
  EXPECT_EQ(explained.ranges[3].depth, 0U);
  EXPECT_EQ(explained.counts.links.other_name, 1U);
}

TEST_F(Explained, AMissingForwardOpIsALoss) {
  trace_.push("aten::mm, seq = 7, sizes = [[8, 32], [32, 4]]", kForwardThread);
  trace_.pop(kForwardThread);
  trace_.push("AddmmBackward0, seq = 1, op_id = 901", kBackwardThread);
  trace_.kernel(kSgemm, 100, kBackwardThread);
  const Explanation& explained = explain(1);
  EXPECT_EQ(explained.ranges[0].leads[0].range, 0U);
  EXPECT_EQ(explained.counts.links.missed, 1U);
}

TEST_F(Explained, ANodeOfAGraphLeadsToItsMaking) {
  trace_.push("layer:encoder");
  const RangeId op = trace_.push(kTorchLinear);
  trace_.make_node(fakes::FakeTrace::node_id(1, 0));
  trace_.pop();
  trace_.pop();
  trace_.push("layer:serve");
  trace_.launch_graph();
  trace_.replay(fakes::FakeTrace::node_id(1, 0), kSgemm);
  const Explanation& explained = explain(1);
  ASSERT_EQ(explained.ranges.size(), 4U);
  EXPECT_EQ(explained.ranges[0].text, "layer:serve");
  EXPECT_EQ(explained.ranges[1].text, "node 0 of graph 1");
  EXPECT_EQ(explained.ranges[1].leads[0].range, op);
  EXPECT_EQ(explained.ranges[1].changes[0].before, "serve");
  EXPECT_EQ(explained.ranges[1].changes[0].after, "encoder");
  EXPECT_EQ(explained.ranges[2].depth, 1U);
  EXPECT_EQ(explained.ranges[2].text, "layer:encoder");
}

TEST_F(Explained, ACallInGeneratedCodeIsTheLastToSayWhatTheWorkIs) {
  keep();
  run();
  const Explanation& explained = explain(2);
  EXPECT_EQ(explained.ranges.back().by.rule, "enter_site");
  EXPECT_EQ(explained.cost.file, "analyzers/compiled/kernel_cost.cpp");
  EXPECT_EQ(explained.counts.compiled.unmatched, 0U);
}

TEST_F(Explained, CodeThatIsNotInTheTraceIsALoss) {
  run();
  EXPECT_EQ(explain(2).counts.compiled.without_code, 1U);
}

}  // namespace
}  // namespace prof
