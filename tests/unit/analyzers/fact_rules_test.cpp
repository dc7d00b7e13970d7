// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Each rule in isolation: facts and one meaning in, facts out. No trace, no stack.
#include "analyzers/facts/rules.hpp"

#include <gtest/gtest.h>

#include "analyzers/facts/attribute.hpp"

namespace prof {
namespace {

OpRef op(std::string word, Direction direction = Direction::kNone) {
  OpDesc made;
  made.module = "m";
  made.op = std::move(word);
  made.direction = direction;
  return std::make_shared<const OpDesc>(std::move(made));
}

OpRef product() {
  OpDesc made = *op("aten::mm");
  made.tensors.push_back({.name = "x", .role = Tensor::Role::kIn, .shape = {8, 4}});
  made.tensors.push_back({.name = "weight", .role = Tensor::Role::kIn, .shape = {4, 2}});
  return std::make_shared<const OpDesc>(std::move(made));
}

FrameworkOp framework(OpRef of, bool is_builtin = true) { return {std::move(of), is_builtin}; }

class FactRules : public ::testing::Test {
 protected:
  [[nodiscard]] Facts after(const Facts& around, const Meaning& meaning) const {
    return enter(around, meaning, ops_);
  }
  /// In a node whose forward op is `forward`, in layer "L".
  [[nodiscard]] Facts in_linked_node(OpRef forward, bool has_own_ops = false) const {
    Facts stack = after(Facts{}, LayerName{"L"});
    stack = after(stack, framework(std::move(forward)));
    return enter_linked(stack, {op("mm"), false, has_own_ops}, ops_);
  }

  const ops::OpCatalog ops_;
};

TEST_F(FactRules, WhatSaysNothingOfTheWorkChangesNoFact) {
  Facts facts;
  for (const Meaning& meaning : {Meaning{NoMeaning{}}, Meaning{StepNumber{3}},
                                 Meaning{BatchBegin{}}, Meaning{BatchLaunch{}}}) {
    EXPECT_FALSE(changes_facts(facts, meaning)) << meaning.index();
  }
  EXPECT_TRUE(changes_facts(facts, PlainName{"a"}));
  facts.layer.add_layer("L");
  EXPECT_FALSE(changes_facts(facts, PlainName{"a"})) << "layers count, names no longer do";
  EXPECT_TRUE(changes_facts(facts, SourceLine{"a.py:1"}));
  facts.op.is_framework = true;
  EXPECT_FALSE(changes_facts(facts, SourceLine{"a.py:1"})) << "not where the op is called";
}

TEST_F(FactRules, NamesMakePaths) {
  Facts facts = after(Facts{}, PlainName{"main"});
  facts = after(facts, LayerName{"net"});
  facts = after(facts, LayerName{"net.fc"});
  EXPECT_EQ(facts.layer.plain_path, "main");
  EXPECT_EQ(facts.layer.path, "net.fc");
  EXPECT_EQ(after(facts, LayerName{"act"}).layer.path, "net.fc:act");
  EXPECT_EQ(after(facts, SourceLine{"a.py:1"}).source_line, "a.py:1");
}

TEST_F(FactRules, AStatedOpOwnsWhateverIsAroundIt) {
  const OpRef stated = op("linear", Direction::kBprop);
  Facts facts = after(Facts{}, framework(product()));
  facts = after(facts, StatedOp{stated});
  EXPECT_EQ(facts.op.reported, stated);
  EXPECT_EQ(facts.op.owner, stated);
  EXPECT_TRUE(facts.op.is_known);
  EXPECT_FALSE(facts.op.is_framework);
  EXPECT_EQ(facts.direction, Direction::kBprop);
  EXPECT_FALSE(after(Facts{}, StatedOp{op("no such op")}).op.is_known);
}

TEST_F(FactRules, OpsInsideAWholeOpArePartsOfIt) {
  const OpRef autotune = op("autotune");
  const OpRef inner = product();
  const Facts facts = after(after(Facts{}, StatedOp{autotune, true}), framework(inner));
  EXPECT_EQ(facts.op.reported, autotune);
  EXPECT_EQ(facts.op.inner, inner);
  EXPECT_EQ(facts.op.owner, inner) << "its product is what runs";
  EXPECT_TRUE(facts.op.is_known);
  EXPECT_EQ(after(after(Facts{}, StatedOp{autotune}), framework(inner)).op.reported, inner);
}

TEST_F(FactRules, TheOutermostFrameworkOpIsReportedAndTheCountableOneOwns) {
  const OpRef outer = op("aten::linear");
  const OpRef inner = product();
  Facts facts = after(Facts{}, framework(outer));
  EXPECT_EQ(facts.direction, Direction::kFprop);
  facts = after(facts, framework(inner));
  EXPECT_EQ(facts.op.reported, outer);
  EXPECT_EQ(facts.op.inner, inner);
  EXPECT_EQ(facts.op.owner, inner) << "the outer one has no shapes";
}

TEST_F(FactRules, AKnownOpInsideAProgramsFunctionIsReported) {
  const OpRef known = product();
  Facts facts = after(Facts{}, framework(op("MyFunction"), false));
  EXPECT_EQ(after(facts, framework(known)).op.reported, known);
  const OpRef unknown_builtin = op("aten::no_such_op");
  facts = after(Facts{}, framework(unknown_builtin));
  EXPECT_EQ(after(facts, framework(known)).op.reported, unknown_builtin);
}

TEST_F(FactRules, PreparationsInsideAnOpCostByThemselves) {
  Facts facts = after(Facts{}, framework(product()));
  const OpRef copy = op("aten::copy_");
  facts = after(facts, framework(copy));
  EXPECT_EQ(facts.op.owner, copy);
  EXPECT_EQ(facts.op.reported->op, "aten::mm");
}

TEST_F(FactRules, DirectionsOfOptimizers) {
  const Facts update = after(Facts{}, framework(op("adam", Direction::kUpdate)));
  EXPECT_EQ(update.direction, Direction::kUpdate);
  EXPECT_EQ(update.direction_from, Provenance::kExact);
  const FrameworkOp looks_like_one{op("aten::_foreach_add_"), true, true};
  EXPECT_EQ(after(Facts{}, looks_like_one).direction_from, Provenance::kEstimated);
  // In a forward pass, the enclosing range takes precedence.
  Facts forward;
  forward.set_direction(Direction::kFprop, Provenance::kExact);
  EXPECT_EQ(after(forward, looks_like_one).direction, Direction::kFprop);
}

TEST_F(FactRules, AForwardPassIsCertainInsideOfModulesAlone) {
  const FrameworkOp called = framework(op("aten::mul"));
  const Facts outside = after(after(Facts{}, PlainName{"train"}), called);
  EXPECT_EQ(outside.direction, Direction::kFprop);
  EXPECT_EQ(outside.direction_from, Provenance::kEstimated);
  EXPECT_EQ(after(after(Facts{}, LayerName{"fc"}), called).direction_from, Provenance::kExact);
}

TEST_F(FactRules, AttributesReachTheOpsMeantAlone) {
  OpDesc about = *op("conv2d mm", Direction::kBprop);
  about.attrs.emplace("groups", std::int64_t{4});
  const OpAttributes attributes{std::make_shared<const OpDesc>(about)};
  const Facts facts = after(Facts{}, attributes);
  EXPECT_EQ(facts.direction, Direction::kBprop);
  EXPECT_EQ(after(facts, framework(product())).op.owner->attrs.size(), 1U);
  EXPECT_TRUE(after(facts, framework(op("aten::add"))).op.owner->attrs.empty());
}

TEST_F(FactRules, TheCallOfAModuleIsThatOfTheInnermostLayer) {
  const ModuleCall call{product()};
  Facts facts = after(after(Facts{}, LayerName{"net"}), call);
  EXPECT_EQ(facts.module_call, call.call);
  EXPECT_EQ(after(facts, PlainName{"a"}).module_call, call.call);
  EXPECT_EQ(after(facts, LayerName{"net.fc"}).module_call, nullptr) << "not what fc is called with";
  EXPECT_TRUE(changes_facts(facts, call));
  facts = after(facts, framework(op("aten::relu")));
  EXPECT_FALSE(changes_facts(facts, call)) << "ops take precedence";
}

TEST_F(FactRules, ACallOfAModuleTellsShapesAndNoMore) {
  const Facts facts = after(after(Facts{}, LayerName{"net"}), ModuleCall{product()});
  const OpAttribution told = attribute(facts, DType::kFloat32, ops_);
  ASSERT_EQ(told.tensors.size(), 2U);
  EXPECT_EQ(told.tensors[0].shape, (Shape{8, 4}));
  EXPECT_EQ(told.shapes_from, Provenance::kInherited);
  EXPECT_EQ(told.op_from, Provenance::kNone);
  EXPECT_TRUE(told.op.empty() && told.op_inner.empty() && told.module.empty());
  EXPECT_TRUE(told.params.empty());
  EXPECT_FALSE(told.gemm || told.cost.flops || told.cost.bytes);
  EXPECT_EQ(told.direction, Direction::kNone);
  OpDesc without;
  without.op = "Net";
  const Facts none = after(Facts{}, ModuleCall{std::make_shared<const OpDesc>(without)});
  EXPECT_EQ(attribute(none, DType::kUnknown, ops_).shapes_from, Provenance::kNone);
}

TEST_F(FactRules, AnOpWithoutShapesDoesNotTakeThoseOfItsModule) {
  Facts facts = after(after(Facts{}, LayerName{"net"}), ModuleCall{product()});
  facts = after(facts, framework(op("aten::relu")));
  EXPECT_TRUE(attribute(facts, DType::kUnknown, ops_).tensors.empty());
}

TEST_F(FactRules, ALibraryWorksForTheOpAroundIt) {
  const LibraryCall call{op("all_reduce"), "ncclAllReduce"};
  const Facts alone = after(Facts{}, call);
  EXPECT_EQ(alone.op.reported, call.op);
  EXPECT_EQ(alone.op.inner->op, "ncclAllReduce");
  const OpRef around = product();
  const Facts inside = after(after(Facts{}, framework(around)), call);
  EXPECT_EQ(inside.op.reported, around);
  EXPECT_EQ(inside.op.library, call.op);
}

TEST_F(FactRules, ABackwardNodeHasTheLayerAndOpOfItsForwardOp) {
  const OpRef forward = product();
  const Facts facts = in_linked_node(forward);
  EXPECT_EQ(facts.op.reported, forward);
  EXPECT_EQ(facts.backward.forward, forward);
  EXPECT_EQ(facts.layer.inherited, "L");
  EXPECT_EQ(facts.direction, Direction::kBprop);
  const OpAttribution told = attribute(facts, DType::kUnknown, ops_);
  EXPECT_EQ(told.layer, "L");
  EXPECT_EQ(told.layer_from, Provenance::kInherited);
  EXPECT_EQ(told.op_from, Provenance::kInherited);
  EXPECT_EQ(told.shapes_from, Provenance::kInherited);
}

TEST_F(FactRules, ANodeWithoutItsForwardOpTellsWhatItsNameDoes) {
  const Facts facts = after(after(Facts{}, LayerName{"loss"}), BackwardNode{op("mm")});
  EXPECT_EQ(facts.op.reported->op, "mm");
  EXPECT_EQ(facts.layer.path, "loss");
  EXPECT_FALSE(facts.backward.is_linked);
  EXPECT_EQ(attribute(facts, DType::kUnknown, ops_).op_from, Provenance::kEstimated);
  const Facts evaluation = after(Facts{}, NodeEvaluation{{op("mm")}});
  EXPECT_TRUE(evaluation.backward.is_inside);
}

TEST_F(FactRules, AGradientThatIsAddedUpBelongsToTheLayerOfWhatMadeIt) {
  Facts forward = after(after(Facts{}, LayerName{"L"}), framework(product()));
  const Facts facts = enter_linked(forward, {op("accumulate"), true}, ops_);
  EXPECT_EQ(facts.layer.inherited, "L");
  EXPECT_EQ(facts.op.reported->op, "accumulate");
  EXPECT_EQ(facts.backward.forward, nullptr);
}

TEST_F(FactRules, OpsThatRunAgainInANodeAreForwardOpsOfTheirOwn) {
  const OpRef again = product();
  const Facts facts = after(in_linked_node(op("aten::checkpointed"), true), framework(again));
  EXPECT_EQ(facts.op.reported, again);
  EXPECT_FALSE(facts.backward.is_inside);
  EXPECT_EQ(facts.backward.forward, nullptr);
  // So do those of a module called in a node.
  const Facts module = after(in_linked_node(product()), LayerName{"act"});
  EXPECT_TRUE(module.backward.has_own_ops);
  FrameworkOp called = framework(again);
  EXPECT_FALSE(after(module, called).is_recomputed) << "a name in a function's own backward";
  called.is_recorded = true;
  EXPECT_TRUE(after(module, called).is_recomputed);
  EXPECT_TRUE(after(enter_rerun(in_linked_node(product())), called).is_recomputed);
  EXPECT_FALSE(after(in_linked_node(product()), called).is_recomputed);
}

TEST_F(FactRules, WhatDevicesDoTogetherInANodeIsAnOpOfItsOwn) {
  const OpRef reduce = op("c10d::allreduce_");
  ASSERT_TRUE(ops_.is_between_devices(*reduce));
  const Facts facts = after(in_linked_node(product()), framework(reduce));
  EXPECT_EQ(facts.op.reported, reduce);
  EXPECT_FALSE(facts.backward.is_inside);
  EXPECT_EQ(facts.layer.inherited, "L");
  EXPECT_EQ(facts.direction, Direction::kBprop);
  // Gradients of many layers are reduced when one of them has been accumulated.
  Facts forward = after(after(Facts{}, LayerName{"L"}), framework(product()));
  const Facts adding = enter_linked(forward, {op("accumulate"), true}, ops_);
  EXPECT_EQ(after(adding, framework(reduce)).layer.inherited, "");
}

}  // namespace
}  // namespace prof
