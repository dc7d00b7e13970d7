// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of `--export pprof`: sums, stacks, labels, and what the format asks of a profile.
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "tests/unit/tools/report/exports.hpp"
#include "tests/unit/tools/report/proto_fields.hpp"
#include "tools/report/export/formats/pprof_fields.hpp"

namespace prof::reports {
namespace {

namespace pprof = exports::pprof;
using exports::ProtoFields;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

struct ReadSample {
  std::vector<std::string> stack;  // the kernel first
  std::vector<std::uint64_t> values;
  std::map<std::string, std::string> labels;
};

/// A profile with its texts in place of their numbers.
struct ReadProfile {
  explicit ReadProfile(std::string_view bytes)
      : fields(bytes), texts(fields.texts(pprof::Profile::kStringTable)) {
    std::map<std::uint64_t, std::string> functions, locations;
    for (const ProtoFields& one : fields.messages(pprof::Profile::kFunction)) {
      functions[*one.number(pprof::Function::kId)] = text(one, pprof::Function::kName);
    }
    for (const ProtoFields& one : fields.messages(pprof::Profile::kLocation)) {
      const ProtoFields line = one.message(pprof::Location::kLine);
      locations[*one.number(pprof::Location::kId)] =
          functions.at(*line.number(pprof::Line::kFunctionId));
    }
    EXPECT_FALSE(functions.contains(0) || locations.contains(0));
    for (const ProtoFields& one : fields.messages(pprof::Profile::kSample)) {
      ReadSample& sample = samples.emplace_back();
      for (const std::uint64_t id : one.packed(pprof::Sample::kLocationId)) {
        sample.stack.push_back(locations.at(id));
      }
      sample.values = one.packed(pprof::Sample::kValue);
      for (const ProtoFields& label : one.messages(pprof::Sample::kLabel)) {
        sample.labels[text(label, pprof::Label::kKey)] = text(label, pprof::Label::kStr);
      }
    }
  }
  template <typename Field>
  [[nodiscard]] std::string text(const ProtoFields& message, Field field) const {
    return texts.at(message.number(field).value_or(0));
  }
  [[nodiscard]] std::vector<std::string> comments() const {
    std::vector<std::string> lines;
    for (const std::uint64_t line : fields.packed(pprof::Profile::kComment)) {
      lines.push_back(texts.at(line));
    }
    return lines;
  }

  ProtoFields fields;
  std::vector<std::string> texts;
  std::vector<ReadSample> samples;
};

class PprofExport : public ExportTest {
 protected:
  PprofExport() {
    for (const double flops : {1000.5, 2000.0}) {
      FakeWork::Item& product = launch(0, "gemm", 30);
      product.op.layer = "net:fc";
      product.op.op = "linear";
      product.op.direction = Direction::kFprop;
      product.op.params = "M=8,N=4,K=2";
      product.attribution.cost.flops = flops;
      product.attribution.cost.bytes = 64;
    }
  }
};

TEST_F(PprofExport, SumsByStackAndLabels) {
  launch(0, "gemm", 5);  // outside of layers
  const ReadProfile profile(exported("pprof", 1));
  ASSERT_EQ(profile.samples.size(), 2U);
  const ReadSample& product = profile.samples[0];
  EXPECT_THAT(product.stack, ElementsAre("gemm", "linear", "fc", "net"));
  EXPECT_THAT(product.values, ElementsAre(60, 3001, 128, 2));
  EXPECT_THAT(
      product.labels,
      UnorderedElementsAre(Pair("layer", "net:fc"), Pair("op", "linear"), Pair("dir", "fprop"),
                           Pair("params", "M=8,N=4,K=2"), Pair("rank", "0"), Pair("gpu", "0")));
  EXPECT_THAT(profile.samples[1].stack, ElementsAre("gemm", "(no op)", "(no layer)"));
  EXPECT_THAT(profile.samples[1].values, ElementsAre(5, 0, 0, 1));
}

TEST_F(PprofExport, HasWhatReadersOfProfilesAskFor) {
  const ReadProfile profile(exported("pprof", 1));
  std::vector<std::string> types;
  for (const ProtoFields& type : profile.fields.messages(pprof::Profile::kSampleType)) {
    types.push_back(profile.text(type, pprof::ValueType::kType) + "/" +
                    profile.text(type, pprof::ValueType::kUnit));
  }
  EXPECT_THAT(types,
              ElementsAre("gpu_time/nanoseconds", "flops/count", "bytes/bytes", "kernels/count"));
  EXPECT_EQ(profile.text(profile.fields, pprof::Profile::kDefaultSampleType), "gpu_time");
  EXPECT_EQ(profile.texts.front(), "");
  EXPECT_EQ(std::set(profile.texts.begin(), profile.texts.end()).size(), profile.texts.size());
  EXPECT_EQ(profile.fields.number(pprof::Profile::kTimeNanos), 1'000'150U);
  EXPECT_EQ(profile.fields.number(pprof::Profile::kDurationNanos), 130U);
  const ProtoFields mapping = profile.fields.message(pprof::Profile::kMapping);
  EXPECT_EQ(profile.text(mapping, pprof::Mapping::kFilename), "a.db (rank 0)");
}

TEST_F(PprofExport, SaysHowManyKernelsASumLacks) {
  launch(0, "unknown", 5);
  EXPECT_THAT(ReadProfile(exported("pprof", 1)).comments(),
              Contains("flops: unknown for 1 of 3 kernels, which add nothing; estimated for 0"));
}

TEST_F(PprofExport, CopiesHaveTimeAndBytesAndAreNoKernels) {
  work_[0].copy(GpuRow::Kind::kMemset, 4096, 10);
  const ReadProfile profile(exported("pprof", 1));
  EXPECT_THAT(profile.samples.back().stack.front(), "[memset]");
  EXPECT_THAT(profile.samples.back().values, ElementsAre(10, 0, 4096, 0));
}

TEST_F(PprofExport, RanksStayApart) {
  launch(1, "other", 7);
  const ReadProfile profile(exported("pprof"));
  ASSERT_EQ(profile.samples.size(), 2U);
  EXPECT_THAT(profile.samples[1].labels, Contains(Pair("rank", "1")));
  EXPECT_THAT(profile.samples[1].labels, Contains(Pair("trace", "b.db")));
}

TEST_F(PprofExport, NamesAreUtf8) {
  launch(0, std::string(kBadName), 5);
  EXPECT_EQ(ReadProfile(exported("pprof", 1)).samples.back().stack.front(), kGoodName);
}

TEST_F(PprofExport, WhatHasNoTimeIsCounted) {
  FakeWork::Item& item = launch(0, "lost", 0);
  item.gpu.start_ns = 0;
  const ReadProfile profile(exported("pprof", 1));
  EXPECT_EQ(profile.samples.size(), 1U);
  EXPECT_THAT(profile.comments(), Contains(HasSubstr("1 piece of GPU work without a time")));
  EXPECT_THAT(tally_.remarks, Contains(HasSubstr("1 piece of GPU work without a time")));
}

}  // namespace
}  // namespace prof::reports
