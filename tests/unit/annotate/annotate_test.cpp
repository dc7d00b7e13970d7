// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What prof/annotate.hpp tells an NVTX tool: the exact messages, their nesting and their reuse.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <prof/annotate.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "nvtx_capture.hpp"

namespace prof {
namespace {

using Events = std::vector<std::string>;

class Annotate : public ::testing::Test {
 protected:
  Annotate() {
    test::set_nvtx_registers_strings(true);
    test::nvtx_capture().clear();
  }
  test::NvtxCapture& capture_ = test::nvtx_capture();
};

TEST_F(Annotate, OpMessageIsTheDocumentedJson) {
  const OpText text = op("linear")
                          .bprop(Part::weight)
                          .in("dy", {32768, 512}, DType::float16)
                          .in("x", {32768, 13}, DType::float16)
                          .out("dweight", {512, 13}, DType::float16)
                          .attr("compute", "float32");
  EXPECT_EQ(
      text.message(),
      R"({"v":1,"mod":"prof","op":"linear","dir":"bprop","part":"weight","args":[)"
      R"({"name":"dy","role":"in","type":"tensor","shape":[32768,512],"dtype":"float16"},)"
      R"({"name":"x","role":"in","type":"tensor","shape":[32768,13],"dtype":"float16"},)"
      R"({"name":"dweight","role":"out","type":"tensor","shape":[512,13],"dtype":"float16"}],)"
      R"("attrs":{"compute":"float32"}})");
}

TEST_F(Annotate, ManyTensorsOfOneShapeAreOneArgument) {
  EXPECT_EQ(op("lamb").in("param", {4, 2}, DType::float32, 3).message(),
            R"({"v":1,"mod":"prof","op":"lamb","args":[)"
            R"({"name":"param","role":"in","type":"tensor","shape":[4,2],"dtype":"float32",)"
            R"("count":3}],"attrs":{}})");
}

TEST_F(Annotate, ATensorMayBeBothOperands) {
  EXPECT_EQ(
      op("bmm").in("a", {2}, DType::float32).in("b", {2}, DType::float32).same_as("a").message(),
      R"({"v":1,"mod":"prof","op":"bmm","args":[)"
      R"({"name":"a","role":"in","type":"tensor","shape":[2],"dtype":"float32"},)"
      R"({"name":"b","role":"in","type":"tensor","shape":[2],"dtype":"float32",)"
      R"("same_as":"a"}],"attrs":{}})");
}

TEST_F(Annotate, OpMessageWithoutDirectionOrTensors) {
  EXPECT_EQ(op("fft").message(), R"({"v":1,"mod":"prof","op":"fft","args":[],"attrs":{}})");
  EXPECT_EQ(op("sgd").update().message(),
            R"({"v":1,"mod":"prof","op":"sgd","dir":"update","args":[],"attrs":{}})");
}

TEST_F(Annotate, ShapesTakeAnyIntegersAndScalars) {
  const std::size_t n = 4096;
  const int k = -1;
  const auto json = nlohmann::json::parse(
      op("x").in("a", {n, k, 7LL}, DType::int64).in("scalar", {}, DType::boolean).message());
  EXPECT_EQ(json["args"][0]["shape"], nlohmann::json({4096, -1, 7}));
  EXPECT_EQ(json["args"][1]["shape"], nlohmann::json::array());
  EXPECT_EQ(json["args"][1]["dtype"], "bool");
}

TEST_F(Annotate, DimsFromARuntimeRankAreCutAtTheLimit) {
  const std::vector<int> sizes(20, 3);
  EXPECT_EQ(Dims::from(sizes.data(), 2), (Dims{3, 3}));
  EXPECT_EQ(Dims::from(sizes.data(), sizes.size()).rank(), Dims::kMaxRank);
  EXPECT_FALSE((Dims{3, 3}) == (Dims{3, 3, 3}));
  EXPECT_FALSE((Dims{3, 3}) == (Dims{3, 4}));
}

TEST_F(Annotate, AttributesKeepTheirTypes) {
  const auto attrs = nlohmann::json::parse(op("x")
                                               .attr("yes", true)
                                               .attr("count", 7u)
                                               .attr("low", std::numeric_limits<long long>::min())
                                               .attr("rate", 0.1)
                                               .attr("whole", 2.0f)
                                               .attr("big", 1e300)
                                               .attr("word", std::string("w"))
                                               .attr("nan", std::nan(""))
                                               .attr("inf", -INFINITY)
                                               .message())["attrs"];
  EXPECT_EQ(attrs["yes"], true);
  EXPECT_TRUE(attrs["count"].is_number_integer());
  EXPECT_EQ(attrs["low"], std::numeric_limits<long long>::min());
  EXPECT_EQ(attrs["rate"], 0.1);
  EXPECT_TRUE(attrs["whole"].is_number_float());
  EXPECT_EQ(attrs["big"], 1e300);
  EXPECT_EQ(attrs["word"], "w");
  EXPECT_EQ(attrs["nan"], "nan");
  EXPECT_EQ(attrs["inf"], "-inf");
}

TEST_F(Annotate, NamesAreEscapedAndReadBackTheSame) {
  using namespace std::string_literals;
  const std::string nasty = "q\" b\\ n\n t\t nul\0 del\x7f \xc3\xa9 \xf0\x9f\x98\x80"s;
  const auto json =
      nlohmann::json::parse(op(nasty).in(nasty, {1}, DType::int8).attr(nasty, nasty).message());
  EXPECT_EQ(json["op"], nasty);
  EXPECT_EQ(json["args"][0]["name"], nasty);
  EXPECT_EQ(json["attrs"][nasty], nasty);
}

TEST_F(Annotate, AnyBytesGiveValidJson) {
  for (int first = 0; first < 256; ++first) {
    for (const char* rest : {"", "\x80", "\xbf\xbf", "\x9f\x80\x80", "a", "\xa0\x80", "\xff"}) {
      const std::string name = std::string(1, static_cast<char>(first)) + rest;
      EXPECT_TRUE(nlohmann::json::accept(op(name).message())) << first << rest;
    }
  }
  EXPECT_EQ(nlohmann::json::parse(op("a\xff").message())["op"], "a\xef\xbf\xbd");
}

TEST_F(Annotate, EveryTypeHasATorchName) {
  const std::vector<std::string> names = {"float16", "bfloat16",      "float32",    "float64",
                                          "int8",    "uint8",         "int32",      "int64",
                                          "bool",    "float8_e4m3fn", "float8_e5m2"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(dtype_name(static_cast<DType>(i)), names[i]);
  }
}

TEST_F(Annotate, ScopesNest) {
  const OpText text = op("relu").fprop();
  {
    Step step(-12);
    Layer outer("encoder");
    {
      Layer inner("mlp");
      Op scope(text);
    }
    Layer sibling("norm");
  }
  EXPECT_EQ(capture_.events,
            (Events{"+step:-12", "+layer:encoder", "+layer:mlp", "+" + text.message(), "-", "-",
                    "+layer:norm", "-", "-", "-"}));
}

TEST_F(Annotate, ReuseRegistersOnce) {
  const OpText text = op("relu").fprop().in("x", {2, 3}, DType::float32);
  const LayerText layer("mlp");
  for (int i = 0; i < 5; ++i) {
    Layer layer_scope(layer);
    Op scope(text);
  }
  EXPECT_EQ(capture_.registrations, 2u);
  EXPECT_EQ(capture_.registered_pushes, 10u);
  EXPECT_EQ(capture_.events.size(), 20u);
  EXPECT_EQ(capture_.events[0], "+layer:mlp");
  EXPECT_EQ(capture_.events[1], "+" + text.message());
}

TEST_F(Annotate, WithoutRegistrationTheTextItselfIsPushed) {
  test::set_nvtx_registers_strings(false);
  const OpText text = op("relu").fprop();
  for (int i = 0; i < 3; ++i) Op scope(text);
  EXPECT_EQ(capture_.registrations, 1u);
  EXPECT_EQ(capture_.registered_pushes, 0u);
  EXPECT_EQ(capture_.events[0], "+" + text.message());
}

TEST_F(Annotate, ATextMayMoveBeforeUse) {
  std::vector<OpText> texts;
  for (int i = 0; i < 9; ++i) texts.emplace_back(op("o" + std::to_string(i)));
  { Op scope(texts[7]); }
  EXPECT_EQ(capture_.events[0], "+" + op("o7").message());
}

TEST_F(Annotate, CacheFormatsOncePerKey) {
  OpCache cache;
  int made = 0;
  for (int round = 0; round < 3; ++round) {
    for (int n = 1; n <= 200; ++n) {
      Op scope(cache, {n, 3}, [&] {
        ++made;
        return op("relu").fprop().in("x", {n, 3}, DType::float32);
      });
      EXPECT_EQ(nlohmann::json::parse(capture_.events.back().substr(1))["args"][0]["shape"],
                nlohmann::json({n, 3}));
    }
  }
  EXPECT_EQ(made, 200);
  EXPECT_EQ(cache.size(), 200u);
  EXPECT_EQ(capture_.registrations, 200u);
}

TEST_F(Annotate, FullCacheStillAnnotates) {
  OpCache cache;
  const auto annotate = [&](std::size_t n) {
    Op scope(cache, {n}, [&] { return op("x").in("a", {n}, DType::int32); });
  };
  for (std::size_t n = 0; n < OpCache::kMaxEntries + 10; ++n) annotate(n);
  EXPECT_EQ(cache.size(), OpCache::kMaxEntries);
  capture_.clear();
  annotate(OpCache::kMaxEntries + 5);
  EXPECT_EQ(capture_.events[0], "+" + op("x").in("a", {4101}, DType::int32).message());
  EXPECT_EQ(capture_.registrations, 0u);
}

TEST_F(Annotate, CacheIsSharedByThreads) {
  OpCache cache;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        Op scope(cache, {i % 97}, [&] { return op("x").in("a", {i % 97}, DType::int32); });
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(cache.size(), 97u);
  EXPECT_EQ(capture_.events.size(), 2u * 4 * 2000);
}

TEST_F(Annotate, AThrowingMakerPushesAndPopsNothing) {
  OpCache cache;
  const auto fail = [&] {
    Op scope(cache, {1}, []() -> OpBuilder { throw std::runtime_error("no shapes"); });
  };
  EXPECT_THROW(fail(), std::runtime_error);
  EXPECT_TRUE(capture_.events.empty());
}

TEST_F(Annotate, LongLayerNamesAreCut) {
  { Layer scope(std::string(1000, 'n')); }
  EXPECT_EQ(capture_.events[0], "+layer:" + std::string(250, 'n'));
}

}  // namespace
}  // namespace prof
