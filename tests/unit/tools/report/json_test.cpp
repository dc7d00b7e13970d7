// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of JSON, with a parser that nobody here wrote.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/unit/tools/report/fakes.hpp"

namespace prof::reports {
namespace {

using Json = nlohmann::json;

const std::vector<Column> kOne = {{.word = "v", .header = "V", .unit = "", .help = ""}};

Json value_of(const Cell& cell) { return Json::parse(rendered("json", kOne, {{cell}}))[0]["v"]; }

TEST(JsonForm, IsAnArrayAlsoWithoutRows) {
  EXPECT_EQ(rendered("json", kOne, {}), "[]\n");
  EXPECT_EQ(rendered("json", kOne, {{text("a")}, {absent()}}),
            "[\n{\"v\":\"a\"},\n{\"v\":null}\n]\n");
}

TEST(JsonForm, KeepsTypes) {
  EXPECT_EQ(value_of(Cell{std::int64_t{-5}}), Json(-5));
  EXPECT_EQ(value_of(Cell{std::uint64_t{18446744073709551615U}}), Json(18446744073709551615U));
  EXPECT_EQ(value_of(Cell{true}), Json(true));
  EXPECT_EQ(value_of(Cell{Decimal{1500, 3}}), Json(1.5));
  EXPECT_EQ(value_of(Cell{AtLeast{2.0}}), Json(2));
  EXPECT_EQ(value_of(Cell{Dim3{1, 2, 3}}), Json::parse("[1,2,3]"));
  EXPECT_EQ(value_of(Cell{std::nan("")}), Json());
  const std::vector<Tensor> tensors = {{.name = "x", .shape = {32768, 13}},
                                       {.name = "s", .shape = {}}};
  EXPECT_EQ(value_of(Cell{Shapes{tensors}}), Json::parse("[[32768,13],[]]"));
  EXPECT_EQ(value_of(Cell{Shapes{}}), Json::array());
  const WordPair words[] = {{"layer", "exact"}};
  EXPECT_EQ(value_of(Cell{Words{words}}), Json::parse(R"({"layer":"exact"})"));
}

TEST(JsonForm, EscapesTexts) {
  using std::string_literals::operator""s;
  const std::string odd = "q\"b\\n\nt\tr\r\x01\x7f é日🚀 \0end"s;
  EXPECT_EQ(value_of(text(odd)).get<std::string>(), odd);
}

TEST(JsonForm, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(value_of(text("a\xff\xe2\x80z")).get<std::string>(), "a\uFFFD\uFFFDz");
}

TEST(JsonForm, LeavesOutTotals) {
  EXPECT_EQ(rendered("json", kOne, {{text("a")}}, {{text("total")}}), "[\n{\"v\":\"a\"}\n]\n");
}

TEST(JsonForm, StaysOpenWhereTheReportBrokeOff) {
  const std::string text_out = output_of([](tools::Output& output) {
    const auto renderer = form("json").make(output, {});
    renderer->begin(kOne);
    renderer->row(std::vector<Cell>{text("a")});
    renderer->end(false);
  });
  EXPECT_FALSE(Json::accept(text_out));
}

}  // namespace
}  // namespace prof::reports
