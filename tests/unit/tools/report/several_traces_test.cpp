// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of reports over several traces: whose row it is, one axis of time, groups by text.
#include <gtest/gtest.h>

#include "tests/unit/tools/report/fakes.hpp"

namespace prof::reports {
namespace {

class SeveralTraces : public testing::Test {
 protected:
  SeveralTraces() {
    first_.path_ = "/tmp/a.db";
    second_.path_ = "/tmp/b.db";
    for (FakeTrace* trace : {&first_, &second_}) trace->meta_ = {{"host", "node1"}};
    first_.meta_["env.RANK"] = "0";
    second_.meta_["env.RANK"] = "1";
    second_.start_realtime_ns_ = 1'000'000;
    // The same text has different ids.
    first_.strings_[1] = "cudaMalloc";
    second_.strings_[2] = "cudaMalloc";
    call(first_, StringId{1}, 10);
    call(second_, StringId{2}, 20);
    work_[0].kernel("k", 10).gpu.start_ns = 5;
    work_[1].kernel("k", 20).gpu.start_ns = 5;
    work_[1].kernel("other", 1).attribution.step = 3;
  }
  static void call(FakeTrace& trace, StringId function, std::int64_t duration_ns) {
    ApiCallRow& row = trace.api_calls_.emplace_back();
    row.function = function;
    row.start_ns = 5;
    row.duration_ns = duration_ns;
  }
  std::string csv(std::string_view report, std::string_view columns, RowFilter filter = {}) {
    const auto attribute = [this](TraceReader& trace, TraceReader::Work) {
      return std::make_unique<LentWork>(work_[&trace == &first_ ? 0 : 1]);
    };
    return reported({report, "csv", columns, std::move(filter), {}, {}},
                    traces_of({&first_, &second_}), attribute);
  }

  FakeTrace first_, second_;
  std::array<FakeWork, 2> work_;
};

TEST_F(SeveralTraces, RowsSayWhoseTheyAreAndCountThrough) {
  EXPECT_EQ(csv("kernels", "idx,trace,rank,host,run,kernel,start_ns"),
            "idx,trace,rank,host,run,kernel,start_ns\n1,a.db,0,node1,,k,5\n"
            "2,b.db,1,node1,,k,1000005\n3,b.db,1,node1,,other,1000000\n");
  EXPECT_EQ(csv("calls", "idx,trace,start_ns"), "idx,trace,start_ns\n1,a.db,5\n2,b.db,1000005\n");
}

TEST_F(SeveralTraces, GroupsAreOverAllByText) {
  EXPECT_EQ(csv("ops", "kernel,kernels,time_ns"), "kernel,kernels,time_ns\nk,2,30\nother,1,1\n");
  EXPECT_EQ(csv("api", "function,count,time_ns"), "function,count,time_ns\ncudaMalloc,2,30\n");
}

TEST_F(SeveralTraces, GroupsCanBeATraces) {
  EXPECT_EQ(csv("ops", "rank,kernels,time_ns"), "rank,kernels,time_ns\n1,2,21\n0,1,10\n");
  EXPECT_EQ(csv("api", "trace,count"), "trace,count\nb.db,1\na.db,1\n");
}

TEST_F(SeveralTraces, AStepIsThatOfEach) {
  EXPECT_EQ(csv("kernels", "idx,trace,kernel", in_step(3)), "idx,trace,kernel\n3,b.db,other\n");
}

TEST_F(SeveralTraces, AnErrorOfOneEndsTheReport) {
  work_[0].status_ = Error{.what = "damaged", .where = "a.db", .hint = ""};
  EXPECT_EQ(csv("kernels", "idx"), "idx\n1\nerror: a.db: damaged\n");
}

}  // namespace
}  // namespace prof::reports
