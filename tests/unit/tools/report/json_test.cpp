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

const std::vector<Column> kBoth = {{.word = "v", .header = "V", .unit = "", .help = ""},
                                   {.word = "w", .header = "W", .unit = "", .help = ""}};

TEST(JsonForm, SaysWhyValuesAreNull) {
  EXPECT_EQ(rendered("json", kBoth, {{absent(Why::kNoOp), absent()}}),
            "[\n{\"v\":null,\"w\":null,\"absent\":{\"v\":\"no op is known\"}}\n]\n");
  EXPECT_EQ(
      rendered("json", kBoth, {{absent(Why::kNoOp), absent(Why::kNoTime)}, {text("a"), text("b")}}),
      "[\n{\"v\":null,\"w\":null,\"absent\":{\"v\":\"no op is known\",\"w\":\"the time is "
      "unknown\"}},\n{\"v\":\"a\",\"w\":\"b\"}\n]\n");
}

TEST(JsonForm, NamesEstimatesAndLowerBounds) {
  EXPECT_EQ(
      rendered("json", kBoth, {{estimate(1.5), Cell{AtLeast{2}}}, {real(1), real(2)}}),
      "[\n{\"v\":1.5,\"w\":2,\"estimated\":[\"v\"],\"at_least\":[\"w\"]},\n{\"v\":1,\"w\":2}\n]\n");
}

TEST(JsonForm, AColumnNamedAbsentIsTheUsers) {
  const std::vector<Column> columns = {{.word = "absent", .header = "", .unit = "", .help = ""}};
  EXPECT_EQ(rendered("json", columns, {{absent(Why::kNoOp)}}), "[\n{\"absent\":null}\n]\n");
}

TEST(JsonForm, SaysWhyThereAreNoRows) {
  const auto without_rows = [](std::string_view word) {
    return output_of([word](tools::Output& output) {
      const auto renderer = form(word).make(output, {});
      renderer->begin(kOne);
      renderer->no_rows("no \"collectives\"");
      renderer->end(true);
    });
  };
  EXPECT_EQ(without_rows("json"), "[\n{\"absent\":{\"rows\":\"no \\\"collectives\\\"\"}}\n]\n");
  EXPECT_EQ(without_rows("jsonl"), "{\"absent\":{\"rows\":\"no \\\"collectives\\\"\"}}\n");
  EXPECT_EQ(without_rows("csv"), "v\n");
}

TEST(JsonForm, LinesHaveNothingAround) {
  EXPECT_EQ(rendered("jsonl", kOne, {{text("a")}, {absent()}}), "{\"v\":\"a\"}\n{\"v\":null}\n");
  EXPECT_EQ(rendered("jsonl", kOne, {}), "");
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
