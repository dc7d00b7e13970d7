// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of `--export prometheus`: sums by labels, and labels as the text format asks for.
#include <gmock/gmock.h>

#include "tests/unit/tools/report/exports.hpp"

namespace prof::reports {
namespace {

using testing::HasSubstr;
using testing::Not;

class PrometheusExport : public ExportTest {
 protected:
  FakeWork::Item& linear(std::size_t rank, std::int64_t duration_ns, std::optional<double> flops) {
    FakeWork::Item& item = launch(rank, "gemm", duration_ns);
    item.op.layer = "net:fc";
    item.op.direction = Direction::kBprop;
    item.attribution.cost.flops = flops;
    return item;
  }
};

TEST_F(PrometheusExport, SumsByLayerAndDirection) {
  linear(0, 30, 1000.5);
  linear(0, 12, std::nullopt);
  launch(0, "other", 7);
  const std::string text = exported("prometheus", 1);
  const std::string labels = R"({host="node1",rank="0",gpu="0",layer="net:fc",dir="bprop"} )";
  EXPECT_THAT(text, HasSubstr("# TYPE prof_gpu_time_seconds gauge\n"));
  EXPECT_THAT(text, HasSubstr("prof_gpu_time_seconds" + labels + "4.2e-08\n"));
  EXPECT_THAT(text, HasSubstr("prof_gpu_kernels" + labels + "2\n"));
  EXPECT_THAT(text, HasSubstr("prof_gpu_flops" + labels + "1000.5\n"));
  EXPECT_THAT(text, HasSubstr("prof_gpu_flops_unknown_kernels" + labels + "1\n"));
  EXPECT_THAT(text, HasSubstr("prof_gpu_kernels{host=\"node1\",rank=\"0\",gpu=\"0\"} 1\n"));
  EXPECT_THAT(text, Not(HasSubstr("prof_gpu_bytes{"))) << "none is known";
}

TEST_F(PrometheusExport, RanksAreApart) {
  linear(0, 30, 1.0);
  linear(1, 40, 1.0);
  const std::string text = exported("prometheus");
  EXPECT_THAT(text, HasSubstr(R"(rank="0",gpu="0",layer="net:fc",dir="bprop"} 3e-08)"));
  EXPECT_THAT(text, HasSubstr(R"(rank="1",gpu="0",layer="net:fc",dir="bprop"} 4e-08)"));
}

TEST_F(PrometheusExport, NamesAreEscapedAndValid) {
  launch(0, "k", 1).op.layer = "a\"b\\c\nd" + std::string(kBadName);
  EXPECT_THAT(exported("prometheus", 1),
              HasSubstr("layer=\"a\\\"b\\\\c\\nd" + std::string(kGoodName) + "\"} 1\n"));
}

TEST_F(PrometheusExport, NothingIsNothing) { EXPECT_EQ(exported("prometheus"), ""); }

}  // namespace
}  // namespace prof::reports
