// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Damaged documents of compiled graphs: what they no longer say is counted, the kernels concerned
// have what is around the call of the graph, and the others what they had.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/compiled/graph_sites.hpp"
#include "tests/unit/analyzers/compiled_program.hpp"

namespace prof {
namespace {

using fakes::deflated;
using fakes::kCompiledSources;
using fakes::kForwardCode;
using fakes::Row;

/// What is said of the kernels of one program, with documents of choice.
struct Said {
  std::vector<Row> rows;
  CompiledCounts counts;
};

class CompiledDamage : public ::testing::Test {
 protected:
  struct Program : fakes::CompiledProgram {
    void TestBody() override {}
    Said run_with(const std::string& code, const std::string& sources) {
      trace_.document("inductor.wrapper", "c1", code);
      trace_.document("dynamo.nodes", "0", sources);
      trace_.push("layer:model");
      run();
      trace_.pop();
      Said said{attribute(), {}};
      said.counts = counts_.compiled;
      return said;
    }
  };

  static Said run(std::string_view code, std::string_view sources = kCompiledSources) {
    return run_raw(deflated(code), deflated(sources));
  }
  static Said run_raw(const std::string& code, const std::string& sources) {
    return Program().run_with(code, sources);
  }

  static bool is_same(const Row& a, const Row& b) {
    return a.op.layer == b.op.layer && a.op.op == b.op.op && a.op.direction == b.op.direction &&
           a.own.cost.flops == b.own.cost.flops && a.own.cost.bytes == b.own.cost.bytes;
  }

  /// Each row is as with the whole code or as without any, and those without are counted.
  void expect_whole_or_none(const Said& said, std::string_view what) const {
    ASSERT_EQ(said.rows.size(), 5U) << what;
    std::size_t none = 0;
    for (std::size_t i = 0; i < 5; ++i) {
      const bool is_none = is_same(said.rows[i], none_.rows[i]);
      EXPECT_TRUE(is_none || is_same(said.rows[i], whole_.rows[i])) << what << " row " << i;
      // Ops are not counted: they know themselves.
      none += is_none && (i == 1 || i == 3 || i == 4) ? 1 : 0;
    }
    EXPECT_EQ(said.counts.unmatched + said.counts.without_code, none) << what;
  }

  const Said whole_ = run(kForwardCode);
  const Said none_ = run_raw("", deflated(kCompiledSources));
};

TEST_F(CompiledDamage, NothingIsCountedOfWholeDocuments) {
  EXPECT_EQ(whole_.counts.unmatched + whole_.counts.without_code, 0U);
  EXPECT_EQ(whole_.counts.unplaced + whole_.counts.damaged, 0U);
  EXPECT_EQ(whole_.rows[1].op.layer, "model.a");
}

TEST_F(CompiledDamage, ACutText) {
  // From the last definition on: before, the kernels' costs are cut, too.
  const std::size_t calls = kForwardCode.find("class Runner");
  for (std::size_t size = calls; size < kForwardCode.size(); size += 11) {
    // A name that is cut is another name; and calls are whole lines.
    const std::size_t end = kForwardCode.rfind('\n', size) + 1;
    expect_whole_or_none(run(kForwardCode.substr(0, end)), "cut at " + std::to_string(end));
  }
  for (std::size_t size = 0; size < calls; size += 101) {
    const Said said = run(kForwardCode.substr(0, size));
    EXPECT_EQ(said.counts.unmatched + said.counts.without_code, 3U) << size;
    for (std::size_t i = 0; i < 5; ++i) EXPECT_TRUE(is_same(said.rows[i], none_.rows[i])) << size;
  }
}

TEST_F(CompiledDamage, ACallSiteThatIsMissing) {
  const std::string_view call =
      "        triton_poi_fused_mul_0.run(buf2, buf3, 128, stream=stream0)\n";
  std::string code(kForwardCode);
  code.erase(code.find(call), call.size());
  const Said said = run(code);
  expect_whole_or_none(said, "the second product's kernel");
  EXPECT_TRUE(is_same(said.rows[1], whole_.rows[1]));
  EXPECT_EQ(said.rows[4].op.op, "sum");
}

TEST_F(CompiledDamage, BytesThatAreNoText) {
  const std::string bytes = deflated(kForwardCode);
  for (std::size_t at = 0; at < bytes.size(); at += 7) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    const Said said = run_raw(damaged, deflated(kCompiledSources));
    expect_whole_or_none(said, "byte " + std::to_string(at));
    EXPECT_EQ(said.counts.damaged, said.counts.without_code > 0 ? 1U : 0U);
  }
  const Said said = run_raw(bytes.substr(0, bytes.size() / 2), deflated(kCompiledSources));
  EXPECT_EQ(said.counts.without_code, 3U);
  EXPECT_EQ(said.counts.damaged, 1U);
}

TEST_F(CompiledDamage, TablesThatAreNone) {
  for (const std::string_view table : {"", "{", "[]", R"({"nodes":{}})", "\x80\xff"}) {
    const Said said = run(kForwardCode, table);
    ASSERT_EQ(said.rows.size(), 5U);
    EXPECT_EQ(said.counts.damaged, 1U) << table;
    EXPECT_EQ(said.counts.unplaced, 5U) << table;
    EXPECT_EQ(said.rows[1].op.layer, "model") << "that of the compiled module";
    EXPECT_EQ(said.rows[1].own.cost.flops, whole_.rows[1].own.cost.flops);
  }
}

TEST_F(CompiledDamage, ATableOfOtherNodes) {
  const Said said =
      run(kForwardCode, R"({"nodes":[{"name":"conv","path":"x","target":"conv2d"}]})");
  ASSERT_EQ(said.rows.size(), 5U);
  EXPECT_EQ(said.counts.unplaced, 5U);
  EXPECT_EQ(said.counts.damaged, 0U);
  for (const Row& row : said.rows) EXPECT_EQ(row.op.layer, "model");
}

TEST_F(CompiledDamage, ARenamedNode) {
  std::string sources(kCompiledSources);
  sources.replace(sources.find("\"mul_1\""), 7, "\"mul_7\"");
  const Said said = run(kForwardCode, sources);
  ASSERT_EQ(said.rows.size(), 5U);
  EXPECT_TRUE(is_same(said.rows[1], whole_.rows[1]));
  EXPECT_EQ(said.rows[3].op.layer, "model");
  EXPECT_EQ(said.rows[3].op.op, "mul") << "as the code says";
  EXPECT_TRUE(is_same(said.rows[4], whole_.rows[4]));
}

// Without its table, nodes of a backward graph are in the modules of their lines.
TEST_F(CompiledDamage, ABackwardGraphWithoutItsTable) {
  struct Backward : fakes::CompiledProgram {
    void TestBody() override {}
    void run_all() {
      std::string code(kForwardCode);
      for (const auto& [from, to] :
           {std::pair<std::string, std::string>{"[linear]", "[mm_2]"}, {"[linear_1]", "[mm_3]"}}) {
        code.replace(code.rfind(from), from.size(), to);
      }
      keep(code, R"({"nodes":[
          {"name":"linear","path":"b.0","target":"linear","where":"m.py:3"},
          {"name":"gelu","path":"act","target":"gelu","where":"m.py:4"},
          {"name":"linear_1","path":"b.1","target":"linear","where":"m.py:3"},
          {"name":"gelu_1","path":"act","target":"gelu","where":"m.py:4"}]})");
      trace_.document("inductor.post_grad", "c1", deflated(R"(
        # File: /u/m.py:3 in forward, code: return linear(x)
        mm_2: "f32[4, 8]" = torch.ops.aten.mm.default(a, b)
        # File: /u/m.py:4 in forward, code: return gelu(x)
        gelu_backward: "f32[4, 8]" = torch.ops.aten.gelu_backward.default(mm_2, b)
        # File: /u/m.py:3 in forward, code: return linear(x)
        mm_3: "f32[4, 8]" = torch.ops.aten.mm.default(gelu_backward, b)
)"));
      begin("bprop");
      run_op();
      trace_.kernel(fakes::kMul);
      run_op();
      trace_.pop();
      rows = attribute();
      unplaced = counts_.compiled.unplaced;
    }
    std::vector<Row> rows;
    std::uint64_t unplaced = 0;
  };
  Backward program;
  program.run_all();
  ASSERT_EQ(program.rows.size(), 3U);
  EXPECT_EQ(program.rows[0].op.layer, "b.1");
  EXPECT_EQ(program.rows[0].op.layer_from, Provenance::kEstimated);
  EXPECT_EQ(program.rows[0].op.op, "linear");
  EXPECT_EQ(program.rows[2].op.layer, "b.0");
}

// Where reading is not linear in the text, the test does not end in its time.
TEST(CompiledLimits, HostileTexts) {
  static const ops::OpCatalog ops;
  const auto repeated = [](std::string_view text, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) all += text;
    return all;
  };
  const std::string kernel = "k = async_compile.triton('k', '''\ndef k(in_ptr0, out_ptr0):\n''')\n";
  std::string doubling = "k0 = async_compile.triton('k', '''\n''')\n";
  std::string calls = "def call(args):\n    f0(args)\n";
  for (int i = 0; i < 64; ++i) {
    const std::string one = std::to_string(i);
    const std::string next = std::to_string(i + 1);
    doubling += "k" + next + " = async_compile.multi_kernel('k', [k" + one + ", k" + one + "])\n";
    calls += "def f" + one + "(args):\n    f" + next + "(args)\n    f" + next + "(args)\n";
  }
  const std::vector<std::string> texts = {
      repeated("# Topologically Sorted Source Nodes: [a, b]\n", 120'000),
      kernel + "def call(args):\n" + repeated("    k.run(buf0, buf1, 7)\n", 100'000),
      "def call(args):\n    extern_kernels.mm(" + repeated("(", 1U << 20U),
      "def call(args):\n    extern_kernels.mm(" + repeated("a,", 1U << 20U),
      "# Graph fragment:\n# %a : [] = call_function[target=" + repeated("%[", 1U << 20U) + "\n" +
          kernel,
      "# Graph fragment:\n" +
          repeated("#   %a : Tensor \"f32[8]\" = PlaceHolder[target=a]\n"
                   "#   %b : Tensor \"f32[8]\" = call_function[target=torch.ops.aten.mul.Tensor]"
                   "(args = (%a, %b), kwargs = {})\n",
                   20'000) +
          kernel + "def call(args):\n" + repeated("    k.run(buf0, buf1, 7)\n", 20'000),
      doubling,
      calls,
  };
  for (const std::string& text : texts) {
    const auto code = compiled::read_inductor_code(std::make_shared<const std::string>(text));
    EXPECT_LE(code.calls.size(), compiled::kMaxSites);
    EXPECT_EQ(compiled::describe_sites(code, {}, ops).size(), code.calls.size());
  }
}

}  // namespace
}  // namespace prof
