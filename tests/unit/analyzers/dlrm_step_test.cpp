// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A training step of a recommendation model as emitted by an annotated program, with the sizes of
// PyTorch's published DLRM profile, end to end through the cursor.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "analyzers/attributor.hpp"
#include "tests/unit/analyzers/fake_trace.hpp"

namespace prof {
namespace {

using fakes::FakeTrace;
using fakes::op_text;

constexpr int kBatch = 32768;

std::string matrix(std::string_view name, std::string_view role, std::int64_t rows,
                   std::int64_t columns, std::string_view dtype = "float16") {
  return std::string(name) + ":" + std::string(role) + ":" + std::to_string(rows) + "x" +
         std::to_string(columns) + ":" + std::string(dtype) + " ";
}

std::string vector(std::string_view name, std::string_view role, std::int64_t size,
                   std::string_view dtype = "float16") {
  return std::string(name) + ":" + std::string(role) + ":" + std::to_string(size) + ":" +
         std::string(dtype) + " ";
}

/// The program: what it opens and launches, in its order.
class Dlrm {
 public:
  explicit Dlrm(FakeTrace& trace) : trace_(trace) {}

  void step(int number) {
    trace_.push("step:" + std::to_string(number));
    forward();
    backward();
    update();
    trace_.pop();
  }

 private:
  void layer(std::string_view name, const std::function<void()>& body) {
    trace_.push("layer:" + std::string(name));
    body();
    trace_.pop();
  }

  void op(const std::string& text, std::initializer_list<std::string_view> kernels) {
    trace_.push(text);
    for (const std::string_view kernel : kernels) trace_.kernel(kernel, 100);
    trace_.pop();
  }

  void linear_forward(int in, int out, bool relu) {
    op(op_text("linear", "fprop",
               matrix("x", "in", kBatch, in) + matrix("weight", "in", out, in) +
                   matrix("y", "out", kBatch, out)),
       {out == 1 ? "void gemv2T_kernel_val<int>(int)"
                 : "nvjet_sm90_hsh_128x256_64x4_2x1_v_bz_coopA_TNN"});
    op(op_text("bias", "fprop",
               matrix("y", "in", kBatch, out) + vector("bias", "in", out) +
                   matrix("y", "out", kBatch, out)),
       {"bias_kernel"});
    if (relu)
      op(op_text("relu", "fprop", matrix("x", "in", kBatch, out) + matrix("y", "out", kBatch, out)),
         {"relu_kernel"});
  }

  void linear_backward(int in, int out, bool relu, bool data) {
    if (relu) {
      op(op_text("relu", "bprop",
                 matrix("dy", "in", kBatch, out) + matrix("y", "in", kBatch, out) +
                     matrix("dx", "out", kBatch, out)),
         {"relu_backward"});
    }
    op(op_text("bias", "bprop", matrix("dy", "in", kBatch, out) + vector("dbias", "out", out),
               "bias"),
       {"bias_backward"});
    op(op_text("linear", "bprop",
               matrix("dy", "in", kBatch, out) + matrix("x", "in", kBatch, in) +
                   matrix("dweight", "out", out, in),
               "weight"),
       {"nvjet_sm90_hsh_64x32_64x16_1x2_h_bz_splitK_NTT",
        "void cublasLt::splitKreduce_kernel<32>(int)"});
    if (data) {
      op(op_text("linear", "bprop",
                 matrix("dy", "in", kBatch, out) + matrix("weight", "in", out, in) +
                     matrix("dx", "out", kBatch, in),
                 "data"),
         {"nvjet_sm90_hsh_128x256_64x4_2x1_v_bz_coopA_NNN"});
    }
  }

  void forward() {
    layer("Bottom_MLP", [&] {
      op(op_text("to", "fprop",
                 matrix("x", "in", kBatch, 13, "float32") + matrix("y", "out", kBatch, 13)),
         {"to_half"});
      for (std::size_t i = 0; i + 1 < bottom_.size(); ++i)
        linear_forward(bottom_[i], bottom_[i + 1], true);
    });
    for (int table = 0; table < 26; ++table) {
      layer("Embedding_" + std::to_string(table), [&] {
        op(op_text("embedding", "fprop",
                   vector("indices", "in", kBatch, "int64") +
                       matrix("weight", "in", 100000 + 100 * table, 128, "float32") +
                       matrix("out", "out", kBatch, 128, "float32")),
           {"embedding_forward"});
      });
    }
    layer("Interaction", [&] {
      op(op_text("bmm", "fprop",
                 "a:in:32768x27x128:float32 b:in:32768x27x128:float32 out:out:32768x27x27:float32",
                 "", R"("trans_a":false,"trans_b":true)"),
         {"ampere_sgemm_32x32_tn"});
    });
    layer("Top_MLP", [&] {
      for (std::size_t i = 0; i + 1 < top_.size(); ++i)
        linear_forward(top_[i], top_[i + 1], i + 2 < top_.size());
    });
    layer("Loss", [&] {
      op(op_text("binary_cross_entropy_with_logits", "fprop",
                 vector("x", "in", kBatch, "float32") + vector("target", "in", kBatch, "float32") +
                     "loss:out:-:float32"),
         {"bce_terms", "void cub::DeviceReduceKernel<1>(int)",
          "void cub::DeviceReduceSingleTileKernel<1>(int)"});
    });
  }

  void backward() {
    layer("Top_MLP", [&] {
      for (std::size_t i = top_.size() - 1; i > 0; --i)
        linear_backward(top_[i - 1], top_[i], i + 1 < top_.size(), true);
    });
    for (int table = 25; table >= 0; --table) {
      layer("Embedding_" + std::to_string(table), [&] {
        op(op_text("embedding", "bprop",
                   vector("indices", "in", kBatch, "int64") +
                       matrix("dout", "in", kBatch, 128, "float32") +
                       matrix("dweight", "out", 100000 + 100 * table, 128, "float32")),
           {"void cub::DeviceRadixSortHistogramKernel<1>(int)",
            "void cub::DeviceRadixSortOnesweepKernel<1>(int)", "embedding_backward"});
      });
    }
    layer("Bottom_MLP", [&] {
      for (std::size_t i = bottom_.size() - 1; i > 0; --i)
        linear_backward(bottom_[i - 1], bottom_[i], true, i > 1);
    });
  }

  void update() {
    layer("Optimizer", [&] {
      op(op_text("sgd", "update",
                 matrix("param", "in", 512, 13, "float32") +
                     matrix("grad", "in", 512, 13, "float32") +
                     matrix("param", "out", 512, 13, "float32")),
         {"sgd_kernel"});
    });
  }

  FakeTrace& trace_;
  const std::vector<int> bottom_{13, 512, 256, 128};
  const std::vector<int> top_{480, 1024, 1024, 512, 256, 1};
};

class DlrmStep : public ::testing::Test {
 protected:
  DlrmStep() {
    trace_.kernel("initialization");
    Dlrm program(trace_);
    for (int step = 1; step <= 3; ++step) program.step(step);
  }
  FakeTrace trace_;
};

TEST_F(DlrmStep, EveryKernelOfAStepIsAttributed) {
  const auto cursor = attribute_work(trace_);
  std::map<std::int64_t, int> kernels;
  int outside = 0;
  while (const AttributedRow* item = cursor->next()) {
    if (item->attribution.step) {
      ++kernels[*item->attribution.step];
    } else {
      ++outside;
    }
  }
  EXPECT_EQ(outside, 1);
  ASSERT_EQ(kernels.size(), 3U);
  EXPECT_EQ(kernels[1], kernels[2]);
  EXPECT_EQ(cursor->counts().unattributed, 1U) << "the initialization";
  EXPECT_EQ(cursor->counts().unattributed_in_steps, 0U);
  EXPECT_EQ(cursor->counts().late, 0U);
}

TEST_F(DlrmStep, GemmsAreTheTables) {
  // (layer, direction, part, M, N, K) as in the published table.
  using Key = std::tuple<std::string, Direction, Part, std::int64_t, std::int64_t, std::int64_t>;
  std::map<Key, int> gemms;
  const auto cursor = attribute_work(trace_);
  while (const AttributedRow* item = cursor->next()) {
    const OpAttribution& op = *item->attribution.op;
    if (item->attribution.step != 2 || !op.gemm || !op.gemm->k || !item->attribution.main) continue;
    ++gemms[{op.layer, op.direction, op.part, op.gemm->m, op.gemm->n, *op.gemm->k}];
  }
  const Direction f = Direction::kFprop, b = Direction::kBprop;
  const std::map<Key, int> want{{{"Bottom_MLP", f, Part::kNone, 512, kBatch, 13}, 1},
                                {{"Bottom_MLP", f, Part::kNone, 256, kBatch, 512}, 1},
                                {{"Bottom_MLP", f, Part::kNone, 128, kBatch, 256}, 1},
                                {{"Interaction", f, Part::kNone, 27, 27, 128}, 1},
                                {{"Top_MLP", f, Part::kNone, 1024, kBatch, 480}, 1},
                                {{"Top_MLP", f, Part::kNone, 1024, kBatch, 1024}, 1},
                                {{"Top_MLP", f, Part::kNone, 512, kBatch, 1024}, 1},
                                {{"Top_MLP", f, Part::kNone, 256, kBatch, 512}, 1},
                                {{"Top_MLP", f, Part::kNone, 1, kBatch, 256}, 1},
                                {{"Top_MLP", b, Part::kData, 256, kBatch, 1}, 1},
                                {{"Top_MLP", b, Part::kWeight, 256, 1, kBatch}, 1},
                                {{"Top_MLP", b, Part::kData, 512, kBatch, 256}, 1},
                                {{"Top_MLP", b, Part::kWeight, 512, 256, kBatch}, 1},
                                {{"Top_MLP", b, Part::kData, 1024, kBatch, 512}, 1},
                                {{"Top_MLP", b, Part::kWeight, 1024, 512, kBatch}, 1},
                                {{"Top_MLP", b, Part::kData, 1024, kBatch, 1024}, 1},
                                {{"Top_MLP", b, Part::kWeight, 1024, 1024, kBatch}, 1},
                                {{"Top_MLP", b, Part::kData, 480, kBatch, 1024}, 1},
                                {{"Top_MLP", b, Part::kWeight, 480, 1024, kBatch}, 1},
                                {{"Bottom_MLP", b, Part::kData, 256, kBatch, 128}, 1},
                                {{"Bottom_MLP", b, Part::kWeight, 256, 128, kBatch}, 1},
                                {{"Bottom_MLP", b, Part::kData, 512, kBatch, 256}, 1},
                                {{"Bottom_MLP", b, Part::kWeight, 512, 256, kBatch}, 1},
                                {{"Bottom_MLP", b, Part::kWeight, 13, 512, kBatch}, 1}};
  EXPECT_EQ(gemms, want);
}

TEST_F(DlrmStep, ParamsAreTheTables) {
  std::map<std::string, std::string> params;  // of the last op with that layer, direction and name
  const auto cursor = attribute_work(trace_);
  while (const AttributedRow* item = cursor->next()) {
    const OpAttribution& op = *item->attribution.op;
    params[op.layer + " " + std::string(name(op.direction)) + " " + op.op] = op.params;
  }
  EXPECT_EQ(params["Bottom_MLP fprop to"], "T=(32768,13)");
  EXPECT_EQ(params["Top_MLP fprop bias"], "M=1,N=32768");
  EXPECT_EQ(params["Embedding_25 fprop embedding"], "I=(32768),E=(102500,128)");
  EXPECT_EQ(params["Embedding_0 bprop embedding"], "I=(32768),E=(100000,128)");
  EXPECT_EQ(params["Interaction fprop bmm"], "B=32768,M=27,N=27,K=128");
  EXPECT_EQ(params["Bottom_MLP bprop relu"], "T=(32768,512)");
  EXPECT_EQ(params["Loss fprop binary_cross_entropy_with_logits"], "T=[(32768),(32768)]");
}

TEST_F(DlrmStep, CostsOfKernelsSumToTheOps) {
  std::map<std::uint64_t, std::pair<double, double>>
      ops;  // op instance: sum over its kernels, its cost
  std::set<std::uint64_t> calls;
  const auto cursor = attribute_work(trace_);
  while (const AttributedRow* item = cursor->next()) {
    if (item->attribution.op_id == 0) continue;
    calls.insert(item->attribution.call_id);
    auto& [sum, cost] = ops[item->attribution.op_id];
    sum += item->attribution.cost.flops.value();
    cost = item->attribution.op->cost.flops.value();
  }
  for (const auto& [id, op] : ops) EXPECT_EQ(op.first, op.second) << id;
  EXPECT_EQ(calls.size(), ops.size());
}

}  // namespace
}  // namespace prof
