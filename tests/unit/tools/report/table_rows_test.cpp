// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the reports over tables: what they say, and that none of them attributes.
#include <gtest/gtest.h>

#include <bit>

#include "tests/unit/tools/report/fakes.hpp"

namespace prof::reports {
namespace {

class TableRows : public testing::Test {
 protected:
  TableRows() {
    trace_.strings_ = {{4, "cudaMalloc"}, {2, "cuLaunchKernel"}, {3, "mine"}};
    trace_.threads_ = {{.id = ThreadId{3}, .process = 1, .os_tid = 4711, .name = "main"}};
  }
  std::string csv(std::string_view report, std::string_view columns) {
    return reported({report, "csv", columns, {}, {}, {}}, traces_of({&trace_}), never_attributed);
  }
  void call(std::uint32_t function, ApiRecord::Domain domain,
            std::optional<std::int64_t> duration_ns) {
    ApiCallRow& row = trace_.api_calls_.emplace_back();
    row.function = StringId{function};
    row.domain = domain;
    row.thread = ThreadId{3};
    row.start_ns = 10;
    row.duration_ns = duration_ns;
    row.correlation = trace_.api_calls_.size();
  }

  FakeTrace trace_;
};

TEST_F(TableRows, CallsAreSummedByFunction) {
  call(4, ApiRecord::Domain::kRuntime, 100);
  call(4, ApiRecord::Domain::kRuntime, 300);
  call(2, ApiRecord::Domain::kDriver, 600);
  EXPECT_EQ(csv("api", "api,function,count,time_ns,time_pct,mean_ns,min_ns,max_ns"),
            "api,function,count,time_ns,time_pct,mean_ns,min_ns,max_ns\n"
            "driver,cuLaunchKernel,1,600,60,600,600,600\n"
            "runtime,cudaMalloc,2,400,40,200,100,300\n");
}

TEST_F(TableRows, UnknownTimesAreNeverZero) {
  call(4, ApiRecord::Domain::kRuntime, std::nullopt);
  EXPECT_EQ(csv("api", "function,count,time_ns,mean_ns,min_ns,time_unknown"),
            "function,count,time_ns,mean_ns,min_ns,time_unknown\ncudaMalloc,1,,,,1\n");
  call(4, ApiRecord::Domain::kRuntime, 2000);
  EXPECT_NE(reported({"api", "table", "time_us,mean_ns", {}, {}, {}}, traces_of({&trace_}),
                     never_attributed)
                .find("≥2.000"),
            std::string::npos);
}

TEST_F(TableRows, ADamagedTimeBelowZeroIsNoZero) {
  call(4, ApiRecord::Domain::kRuntime, -300);
  call(4, ApiRecord::Domain::kRuntime, -100);
  EXPECT_EQ(csv("api", "min_ns,max_ns"), "min_ns,max_ns\n-300,-100\n");
}

TEST_F(TableRows, ACallHasItsThreadAndRange) {
  call(4, ApiRecord::Domain::kRuntime, 5);
  trace_.api_calls_[0].range = 8;
  trace_.api_calls_[0].status = 2;
  trace_.api_calls_[0].depth = 1;
  trace_.ranges_[8].text = "load";
  EXPECT_EQ(csv("calls", "idx,function,thread,tid,range,range_id,status,depth,start_ns"),
            "idx,function,thread,tid,range,range_id,status,depth,start_ns\n"
            "1,cudaMalloc,3,4711,load,8,2,1,10\n");
}

TEST_F(TableRows, RangesAreSummedByTextAndDomain) {
  for (const std::int64_t duration_ns : {100, 200}) {
    RangeSpanRow& row = trace_.range_spans_.emplace_back();
    row.id = trace_.range_spans_.size();
    row.text = "forward";
    row.domain = DomainId{3};
    row.duration_ns = duration_ns;
  }
  RangeSpanRow alias = trace_.range_spans_[0];
  alias.kind = RangeRecord::Kind::kAlias;
  trace_.range_spans_.push_back(alias);
  RangeSpanRow& epoch = trace_.range_spans_.emplace_back();
  epoch.kind = RangeRecord::Kind::kStartEnd;
  epoch.text = "epoch";
  EXPECT_EQ(csv("ranges", "text,domain,kind,count,time_ns"),
            "text,domain,kind,count,time_ns\nforward,mine,push_pop,2,300\nepoch,,start_end,1,\n")
      << "an alias is no opening";
}

TEST_F(TableRows, MarksHaveTheirPayloads) {
  const auto mark = [this](std::string text, Payload payload) {
    MarkRow& row = trace_.marks_.emplace_back();
    row.text = std::move(text);
    row.payload = payload;
    row.time_ns = 7;
  };
  using Type = Payload::Type;
  mark("a", {});
  mark("b", {Type::kInt64, static_cast<std::uint64_t>(-5)});
  mark("c", {Type::kDouble, std::bit_cast<std::uint64_t>(1.5)});
  mark("d", {Type::kFloat, std::bit_cast<std::uint32_t>(2.5F)});
  mark("e", {Type::kInt32, 0xFFFFFFFFU});
  mark("f", {Type::kUint32, 0xFFFFFFFFU});
  mark("g", {Type::kUint64, UINT64_MAX});
  EXPECT_EQ(csv("marks", "text,payload,start_ns"),
            "text,payload,start_ns\na,,7\nb,-5,7\nc,1.5,7\nd,2.5,7\ne,-1,7\nf,4294967295,7\n"
            "g,18446744073709551615,7\n");
}

TEST_F(TableRows, WaitsAreSummedByType) {
  using Type = SyncRecord::Type;
  for (const Type type : {Type::kStream, Type::kStream, Type::kContext, Type::kEvent,
                          Type::kStreamWaitEvent, Type::kUnknown}) {
    SyncRow& row = trace_.synchronizations_.emplace_back();
    row.type = type;
    row.duration_ns = 10;
    row.called = type == Type::kContext;
    row.function = StringId{4};
  }
  EXPECT_EQ(csv("sync", "type,function,count,time_ns"),
            "type,function,count,time_ns\nstream,,2,20\n,,1,10\ncontext,cudaMalloc,1,10\n"
            "event,,1,10\nstream_wait_event,,1,10\n");
}

TEST_F(TableRows, OverheadIsSummedByKind) {
  trace_.overheads_ = {
      {.kind = "DRIVER_COMPILER", .os_tid = 0, .start_ns = 1, .duration_ns = 5},
      {.kind = "CUPTI_BUFFER_FLUSH", .os_tid = 7, .start_ns = 1, .duration_ns = 9}};
  EXPECT_EQ(csv("overhead", "kind,tid,count,time_ns"),
            "kind,tid,count,time_ns\nCUPTI_BUFFER_FLUSH,7,1,9\nDRIVER_COMPILER,,1,5\n");
}

}  // namespace
}  // namespace prof::reports
