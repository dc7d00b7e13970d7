// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Two recorded steps of PyTorch programs under emit_nvtx(record_shapes=True), attributed, against
// what torch.profiler said of the same kernels in another run (tests/data/README.md).
#include <gtest/gtest.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "analyzers/attributor.hpp"
#include "analyzers/ops/aten_signatures.hpp"
#include "libprof/source/gz_lines.hpp"
#include "libprof/source/stream_reader.hpp"
#include "libprof/store/trace_writer.hpp"
#include "tests/unit/source/temp_folder.hpp"

namespace prof {
namespace {

using Json = nlohmann::json;

const std::string kData = std::string(PROF_SOURCE_DIR) + "/tests/data/";

/// One kernel as it was attributed.
struct Row {
  OpAttribution op;
  Attribution own;
};

std::vector<Json> truth_of(const std::string& name) {
  std::vector<Json> rows;
  GzLines lines(kData + "torch_" + name + ".truth.jsonl.gz");
  for (std::string_view line; lines.next(line);) rows.push_back(Json::parse(line));
  return rows;
}

class TorchTruth : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string path = folder_.path("trace.db");
    {
      auto writer = TraceWriter::create(path);
      ASSERT_TRUE(writer);
      ASSERT_TRUE(replay(kData + "torch_" + GetParam() + ".jsonl.gz", **writer));
    }
    auto reader = TraceReader::open(path);
    ASSERT_TRUE(reader);
    AttributedCursor cursor(**reader);
    while (const AttributedRow* item = cursor.next()) {
      rows_.push_back({*item->attribution->op, *item->attribution});
    }
    ASSERT_TRUE(cursor.status().ok());
    counts_ = cursor.counts();
    truth_ = truth_of(GetParam());
    ASSERT_EQ(rows_.size(), truth_.size());
  }

  TempFolder folder_;
  std::vector<Row> rows_;
  std::vector<Json> truth_;
  AttributionCounts counts_;
};

/// What the truth says that a person called.
std::string called(const Json& truth) {
  return std::string(
      ops::display_word(truth.value("forward_outer", truth["outer"].get<std::string>())));
}

TEST_P(TorchTruth, EveryKernelHasItsOpAndDirection) {
  std::size_t ops = 0, inner = 0, directions = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const OpAttribution& got = rows_[i].op;
    const Json& want = truth_[i];
    const bool in_optimizer = got.module == "Optimizer";
    const bool op = in_optimizer ? want["dir"] == "update" : got.op == called(want);
    ops += op ? 1 : 0;
    EXPECT_TRUE(op) << i << ": " << got.op << ", not " << called(want) << ' ' << want;
    const bool same_inner = got.op_inner == want["inner"];
    inner += same_inner ? 1 : 0;
    EXPECT_TRUE(same_inner) << i << ": " << got.op_inner << ' ' << want;
    const bool direction = name(got.direction) == want["dir"];
    directions += direction ? 1 : 0;
    EXPECT_TRUE(direction) << i << ": " << name(got.direction) << ' ' << want;
  }
  std::cout << GetParam() << ": of " << rows_.size() << " kernels the op agrees for " << ops
            << ", the innermost op for " << inner << ", the direction for " << directions << '\n';
}

TEST_P(TorchTruth, ProductsHaveTheirShapes) {
  std::size_t products = 0, with_part = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Json& want = truth_[i];
    const std::string inner = want["inner"];
    if (inner != "aten::mm" && inner != "aten::addmm" && inner != "aten::bmm") continue;
    const bool batched = inner == "aten::bmm";
    const auto a = want["dims"][inner == "aten::addmm" ? 1 : 0].get<Shape>();
    const auto b = want["dims"][inner == "aten::addmm" ? 2 : 1].get<Shape>();
    ASSERT_TRUE(rows_[i].op.gemm) << i << want;
    const GemmShape& got = *rows_[i].op.gemm;
    EXPECT_EQ(got.m, b.back()) << i << want;
    EXPECT_EQ(got.n, a[a.size() - 2]) << i << want;
    EXPECT_EQ(got.k, a.back()) << i << want;
    EXPECT_EQ(got.batch, batched ? a[0] : 1) << i << want;
    EXPECT_EQ(rows_[i].op.shapes_from, Provenance::kExact);
    ++products;
    if (want["dir"] == "bprop" && rows_[i].op.op == "linear") {
      EXPECT_NE(rows_[i].op.part, Part::kNone) << i << want;
      ++with_part;
    }
  }
  EXPECT_GT(products, 20U);
  EXPECT_GT(with_part, 10U);
  std::cout << GetParam() << ": " << products << " kernels of products\n";
}

TEST_P(TorchTruth, FlopsAreThoseOfTorch) {
  std::size_t compared = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Json& want = truth_[i];
    const OpAttribution& got = rows_[i].op;
    if (!want.contains("flops") || !got.gemm) continue;
    double flops = want["flops"];
    // torch leaves out the bias of an addmm.
    if (want["inner"] == "aten::addmm") {
      flops += static_cast<double>(got.gemm->m) * static_cast<double>(got.gemm->n);
    }
    EXPECT_EQ(got.cost.flops, flops) << i << want;
    ++compared;
  }
  EXPECT_GT(compared, 20U);
}

TEST_P(TorchTruth, EveryBackwardNodeFoundItsForwardOp) {
  EXPECT_EQ(counts_.links.missed, 0U);
  EXPECT_EQ(counts_.links.other_name, 0U);
  EXPECT_EQ(counts_.links.ambiguous, 0U);
  EXPECT_GT(counts_.links.linked, 40U);
  EXPECT_EQ(counts_.broken_stacks, 0U);
  EXPECT_EQ(counts_.without_layer, 0U) << "the range STEP is a layer";
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (truth_[i]["dir"] != "bprop") continue;
    EXPECT_EQ(rows_[i].op.layer, "STEP");
    EXPECT_EQ(rows_[i].op.layer_from, Provenance::kInherited);
    EXPECT_EQ(rows_[i].op.op_from, Provenance::kInherited);
    EXPECT_TRUE(rows_[i].own.seq) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Recordings, TorchTruth, ::testing::Values("bert", "dlrm"));

}  // namespace
}  // namespace prof
