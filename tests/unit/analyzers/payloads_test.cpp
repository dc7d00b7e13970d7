// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ranges/payloads.hpp"

#include <gtest/gtest.h>

#include "tests/unit/analyzers/fake_trace.hpp"

namespace prof {
namespace {

using fakes::FakeTrace;

TEST(PayloadsTest, SchemasAndBytesOfAnyForm) {
  FakeTrace trace;
  const DomainId domain = trace.domain("D");
  trace.payload_schema_text(domain, 1, "not JSON");
  trace.payload_schema_text(domain, 2, R"({"name":"a"})");
  trace.payload_schema_text(
      domain, 3,
      R"([7,{"name":"far","type":"int","offset":18446744073709551615,"array":0},
          {"name":"unplaced","type":"int","offset":null,"array":0},
          {"name":"many","type":"int","offset":0,"array":4},
          {"name":"text","type":"cstring","offset":0,"array":0},
          {"name":"there","type":"cstring","offset":0,"array":0,"stored":"offset"},
          {"name":"signed","type":"int","offset":0,"array":0},
          {"name":"unsigned","type":"uint16","offset":2,"array":0},
          {"name":"cut","type":"uint64","offset":2,"array":0}])");
  const RangeId range = trace.push("r", 1, domain);
  trace.payload_bytes(range, 1, "12345678");
  trace.payload_bytes(range, 3, std::string("\xfe\xff\xff\xff", 4));
  trace.payload_bytes(range, 99, "of no schema");
  const RangeId bare = trace.push("r", 1, domain);
  Payloads payloads(trace);
  EXPECT_TRUE(payloads.in(domain));
  EXPECT_FALSE(payloads.in(kDefaultDomain));
  EXPECT_EQ(payloads.of(trace.range_row(bare)), nullptr);
  const dialects::RangePayload* payload = payloads.of(trace.range_row(range));
  ASSERT_NE(payload, nullptr);
  EXPECT_EQ(payload->number("signed"), -2);
  EXPECT_EQ(payload->number("unsigned"), 65535);
  for (const char* absent : {"far", "unplaced", "many", "text", "there", "cut", "a", ""}) {
    EXPECT_EQ(payload->number(absent), std::nullopt) << absent;
  }
  EXPECT_EQ(payload->fact({"signed", "unsigned", {}}, -2), 65535);
  EXPECT_EQ(payload->fact({"signed", "unsigned", {}}, 3), std::nullopt);
  EXPECT_EQ(payload->fact({"signed", "unsigned", "cut"}, -2), std::nullopt);
}

}  // namespace
}  // namespace prof
