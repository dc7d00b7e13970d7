// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of how people see layers.
#include "tools/report/filter/layer_view.hpp"

#include <gtest/gtest.h>

#include "tests/unit/tools/report/fakes.hpp"

namespace prof::reports {
namespace {

TEST(LayerView, LevelsWithoutTheirNumbers) {
  EXPECT_EQ(without_number("h.0"), "h");
  EXPECT_EQ(without_number("gpt:h.0.1"), "gpt:h");
  for (const char* level : {"layer1", "7", "h", "", "h.x1", ".1"})
    EXPECT_EQ(without_number(level), level);
}

TEST(LayerView, ANumberBelongsToTheNameBeforeIt) {
  EXPECT_EQ(level_ends("gpt:h.0.attn"), (std::vector<std::size_t>{3, 7, 12}));
  EXPECT_EQ(level_ends("h.*:mlp"), (std::vector<std::size_t>{3, 7}));
  EXPECT_EQ(level_ends("0:a"), (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(level_ends(""), (std::vector<std::size_t>{0}));
}

class LayerTables : public testing::Test {
 protected:
  void kernel(std::string_view layer, Direction direction, std::int64_t ns) {
    auto& item = work_.kernel("k", ns);
    item.op.layer = layer;
    item.op.direction = direction;
  }
  std::string lines(LayerView view, std::string_view columns = "layer,dir,kernels,time_ns") {
    return reported({"layers", "csv", columns, {}, {}, view}, trace_, work_);
  }

  FakeTrace trace_;
  FakeWork work_;
};

TEST_F(LayerTables, FoldedLayersAreAddedUp) {
  kernel("h.0:attn", Direction::kFprop, 10);
  kernel("h.1:attn", Direction::kFprop, 20);
  kernel("h.1:attn", Direction::kBprop, 5);
  kernel("head", Direction::kFprop, 7);
  EXPECT_EQ(lines({.fold_numbers = true, .depth = {}}),
            "layer,dir,kernels,time_ns\nh.*:attn,fprop,2,30\nhead,fprop,1,7\n"
            "h.*:attn,bprop,1,5\n");
}

TEST_F(LayerTables, FoldedDistributionsAreThoseOfAllRows) {
  for (const int ns : {1000, 3000}) kernel("h.0", Direction::kFprop, ns);
  for (const int ns : {2000, 10000, 4000}) kernel("h.1", Direction::kFprop, ns);
  EXPECT_EQ(lines({.fold_numbers = true, .depth = {}}, "layer,median_ns,p95_ns,min_ns,max_ns"),
            "layer,median_ns,p95_ns,min_ns,max_ns\nh.*,3000,8800,1000,10000\n");
}

TEST_F(LayerTables, ATreeHasEachLayerBelowTheOneAroundIt) {
  kernel("gpt:h.0:attn", Direction::kFprop, 10);
  kernel("gpt:h.0:mlp", Direction::kFprop, 30);
  kernel("gpt:h.0", Direction::kFprop, 1);
  kernel("loss", Direction::kFprop, 100);
  kernel("", Direction::kFprop, 2);
  EXPECT_EQ(lines({.fold_numbers = false, .depth = 2}, "layer,kernels,time_ns"),
            "layer,kernels,time_ns\nloss,1,100\ngpt,3,41\n  h.0,3,41\n,1,2\n");
  work_ = {};
  kernel("gpt:h.0:attn", Direction::kFprop, 10);
  kernel("gpt:h.1:mlp", Direction::kFprop, 30);
  EXPECT_EQ(lines({.fold_numbers = false, .depth = 9}, "layer,time_ns"),
            "layer,time_ns\ngpt,40\n  h.1,30\n    mlp,30\n  h.0,10\n    attn,10\n");
}

}  // namespace
}  // namespace prof::reports
