// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of collectives as rows: what the GPU computes while they run, compared with a count of each
// nanosecond.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/unit/tools/report/fakes.hpp"

namespace prof::reports {
namespace {

class CollectivesTest : public testing::Test {
 protected:
  FakeWork::Item& kernel(std::int64_t start_ns, std::int64_t end_ns, std::uint32_t device = 0) {
    FakeWork::Item& item = work_.kernel("gemm", end_ns - start_ns);
    item.gpu.start_ns = start_ns;
    item.gpu.device = device;
    return item;
  }
  FakeWork::Item& collective(std::int64_t start_ns, std::int64_t end_ns, std::uint32_t device = 0) {
    FakeWork::Item& item = kernel(start_ns, end_ns, device);
    item.facts.family = "nccl";
    item.op.op = "all_reduce";
    item.attribution.cost.algorithm_bytes = 1000;
    return item;
  }
  std::string comm(std::string_view columns, RowFilter filter = {}) {
    return reported({"comm", "csv", columns, std::move(filter), {}, {}}, trace_, work_);
  }

  FakeTrace trace_;
  FakeWork work_;
};

TEST_F(CollectivesTest, AreExposedWhereNothingComputes) {
  kernel(0, 10);
  collective(5, 30);
  kernel(12, 20);
  kernel(15, 18);
  kernel(25, 99);
  kernel(0, 99, 1);  // on another GPU
  EXPECT_EQ(comm("op,count,message_bytes,time_ns,exposed_ns,hidden_pct,alg_gb_per_s"),
            "op,count,message_bytes,time_ns,exposed_ns,hidden_pct,alg_gb_per_s\n"
            "all_reduce,1,1000,25,7,72,40\n");
}

TEST_F(CollectivesTest, DoNotHideEachOther) {
  collective(0, 20);
  collective(10, 40);
  kernel(15, 25);
  EXPECT_EQ(comm("count,time_ns,exposed_ns"), "count,time_ns,exposed_ns\n2,50,35\n");
}

TEST_F(CollectivesTest, WithoutTimesAreCounted) {
  collective(0, 0);
  kernel(0, 10);
  EXPECT_EQ(comm("op,count,time_ns,exposed_ns,alg_gb_per_s"),
            "op,count,time_ns,exposed_ns,alg_gb_per_s\nall_reduce,1,,,\n");
}

TEST_F(CollectivesTest, AreChosenAndWhatHidesThemIsNot) {
  collective(0, 10).attribution.step = 1;
  kernel(2, 12);
  collective(20, 30).attribution.step = 2;
  EXPECT_EQ(comm("count,time_ns,exposed_ns", in_step(1)), "count,time_ns,exposed_ns\n1,10,2\n");
}

TEST_F(CollectivesTest, OfAnOpHaveTheSameExposure) {
  collective(0, 10);
  kernel(2, 12);
  collective(20, 30).op.op = "broadcast";
  EXPECT_EQ(comm("op,time_ns,exposed_ns", where_option("--op", "all*")),
            "op,time_ns,exposed_ns\nall_reduce,10,2\n");
}

TEST_F(CollectivesTest, AgreeWithACountOfEachNanosecond) {
  constexpr std::int64_t kEnd = 400;
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    const auto time = [&](std::int64_t below) {
      return static_cast<std::int64_t>(random() % static_cast<unsigned>(below));
    };
    work_ = {};
    std::array<bool, kEnd> computes{};
    std::array<int, kEnd> runs{};
    for (int i = 0; i < 30; ++i) {
      const std::int64_t begin = time(kEnd - 40), end = begin + 1 + time(39);
      const bool is_collective = time(3) == 0;
      is_collective ? collective(begin, end) : kernel(begin, end);
      for (auto at = static_cast<std::size_t>(begin); at < static_cast<std::size_t>(end); ++at) {
        computes[at] = computes[at] || !is_collective;
        runs[at] += is_collective ? 1 : 0;
      }
    }
    std::int64_t exposed = 0;
    for (std::size_t at = 0; at < computes.size(); ++at) exposed += computes[at] ? 0 : runs[at];
    const std::string text = comm("exposed_ns");
    ASSERT_TRUE(text.starts_with("exposed_ns\n"));
    EXPECT_NEAR(std::stod(text.substr(11)), static_cast<double>(exposed), 1e-9) << seed;
  }
}

}  // namespace
}  // namespace prof::reports
