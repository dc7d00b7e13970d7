// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What PyProf's markers mean; cases/pyprof.txt has programs with them.
#include <gtest/gtest.h>

#include "analyzers/dialects/python_literal.hpp"
#include "analyzers/dialects/registry.hpp"

namespace prof {
namespace {

using dialects::PythonValue;
using dialects::read_python;

constexpr const char* kTrace =
    "{'traceMarker': ['/w/main.py:9', '/w/net.py:50', '/opt/torch/nn/modules/linear.py:87']}";
constexpr const char* kPyprofLinear =
    "{'mod': 'torch.nn.functional', 'op': 'linear', 'args': [{'name': '', 'type': 'tensor', "
    "'shape': (32, 128), 'dtype': 'float16'}, {'name': '', 'type': 'tensor', 'shape': (256, 128), "
    "'dtype': 'float16'}, {'name': 'bias', 'type': 'NoneType', 'value': None}]}";

dialects::RangeMeaning read_marker(std::string_view text) {
  dialects::Registry registry;
  dialects::register_builtin(registry);
  return registry.parse({text, {}, true});
}

TEST(PythonLiteral, ReadsWhatReprPrints) {
  const auto value = read_python(
      R"({'a': (1,), "b": [-2, 3.5, 1e3], 'c': {'d': None}, 'e': True, 'f': 'it\'s', 'g': ()})");
  ASSERT_TRUE(value);
  EXPECT_EQ(value->at("a")->items.at(0).integer, 1);
  EXPECT_EQ(value->at("b")->items.at(0).integer, -2);
  EXPECT_EQ(value->at("b")->items.at(1).real, 3.5);
  EXPECT_EQ(value->at("b")->items.at(2).real, 1000);
  EXPECT_EQ(value->at("c")->at("d")->kind, PythonValue::Kind::kNone);
  EXPECT_TRUE(value->at("e")->boolean);
  EXPECT_EQ(value->at("f")->text, "it's");
  EXPECT_TRUE(value->at("g")->items.empty());
  EXPECT_EQ(value->at("h"), nullptr);
  // Scalars of these values come as texts; inside a list repr() prints them bare.
  const auto list = read_python("[inf, -inf, nan]");
  ASSERT_TRUE(list);
  EXPECT_EQ(list->items.at(1).kind, PythonValue::Kind::kReal);
}

TEST(PythonLiteral, NothingElseIsAValue) {
  for (const char* text : {"", "{", "{'a'}", "{'a': }", "{'a': 1} x", "[1, 2", "(1 2)", "'open",
                           "__import__('os')", "1 + 1", "{1: 2}", "nano", "[1,,2]"}) {
    EXPECT_FALSE(read_python(text)) << text;
  }
  EXPECT_FALSE(read_python(std::string(1000, '['))) << "too deep";
}

TEST(PyProfDialect, ReadsItsMarkers) {
  const auto trace = read_marker(kTrace);
  EXPECT_TRUE(trace.is<SourceLine>());
  EXPECT_EQ(trace.as<SourceLine>()->place, "/w/net.py:50");
  const auto linear = read_marker(kPyprofLinear);
  ASSERT_TRUE(linear.is<FrameworkOp>());
  EXPECT_EQ(linear.op()->op, "linear");
  EXPECT_EQ(linear.op()->module, "torch.nn.functional");
  ASSERT_EQ(linear.op()->tensors.size(), 2U);
  EXPECT_EQ(linear.op()->tensors[1].shape, (Shape{256, 128}));
  EXPECT_EQ(linear.op()->tensors[1].dtype, DType::kFloat16);
  EXPECT_TRUE(read_marker("{'mod': 'LSTMCell', 'strRepr': '64, 128'}").is<NoMeaning>());
  const auto adam = read_marker(R"({"mod": "FusedAdam", "op": "step", "args": []})");
  ASSERT_TRUE(adam.is<FrameworkOp>());
  EXPECT_EQ(adam.op()->op, "adam");
  EXPECT_EQ(adam.op()->direction, Direction::kUpdate);
}

TEST(PyProfDialect, BrokenMarkersArePlainAndCounted) {
  for (const char* text :
       {"{'mod': 'torch', 'op': 'add'", "{'mod': 'torch', 'op': 3, 'args': []}",
        "{'mod': 'torch', 'op': 'add', 'args': [{'name': '', 'type': 'tensor'}]}",
        "{'traceMarker': 'x'}"}) {
    const auto meaning = read_marker(text);
    EXPECT_TRUE(meaning.is<PlainName>()) << text;
    EXPECT_FALSE(meaning.problem.empty()) << text;
  }
  EXPECT_TRUE(read_marker("{'other': 1}").problem.empty()) << "not PyProf's";
}

}  // namespace
}  // namespace prof
