// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Many steps of which few are marked; cases/repeated_steps.txt has the others.
#include "analyzers/steps/repeated_steps.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/analyzers/torch_program.hpp"

namespace prof {
namespace {

using fakes::kSgemm;
using fakes::kTorchLinear;

constexpr const char* kSplitKReduce = "void cublasLt::splitKreduce_kernel<32, 16, float>()";
constexpr const char* kUnmarked = R"({"v":1,"mod":"prof","marked":false})";

class RepeatedStepsTest : public fakes::AttributedProgram {
 protected:
  /// Runs `work` in a step of the process.
  template <typename Work>
  void step(int number, bool is_marked, Work&& work) {
    const std::int64_t begin = trace_.now_ns();
    is_marked_ = is_marked;
    work();
    trace_.advance_ns(10);
    const std::int64_t end = trace_.now_ns();
    if (!is_marked) trace_.process_range(kUnmarked, begin, end);
    trace_.process_range("step:" + std::to_string(number), begin, end);
  }

  void push(std::string_view text) {
    if (is_marked_) trace_.push(text);
  }
  void pop() {
    if (is_marked_) trace_.pop();
  }

  /// A layer with a product of two kernels.
  void linear(const std::string& layer) {
    push("layer:" + layer);
    push(kTorchLinear);
    trace_.kernel(kSgemm);
    trace_.kernel(kSplitKReduce);
    pop();
    pop();
  }

  bool is_marked_ = true;
};

TEST_F(RepeatedStepsTest, ManyStepsAreKnownByTheirOwnMarkedOne) {
  for (int number = 0; number < 40; ++number) {
    step(number, number % 10 == 0, [&] { linear("fc" + std::to_string(number)); });
  }
  const auto rows = attribute();
  ASSERT_EQ(rows.size(), 80U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].op.layer, "fc" + std::to_string(i / 20 * 10));
  }
  EXPECT_EQ(counts_.repeated, 72U);
}

}  // namespace
}  // namespace prof
