// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of -f columns: what cells become that no bundled trace has. tests/python/test_columns.py
// reads every report back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "libprof/source/base64.hpp"
#include "tests/unit/tools/report/fakes.hpp"
#include "tools/report/columns/columns_document.hpp"
#include "tools/report/table/value_text.hpp"

namespace prof::reports {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::Not;

std::string stream(const Json& text) {
  const std::string deflated = decode_base64(text.get<std::string>()).value();
  std::string bytes(std::size_t{1} << 22, '\0');
  z_stream state{};
  EXPECT_EQ(inflateInit2(&state, -MAX_WBITS), Z_OK);
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(deflated.data()));
  state.avail_in = static_cast<uInt>(deflated.size());
  state.next_out = reinterpret_cast<Bytef*>(bytes.data());
  state.avail_out = static_cast<uInt>(bytes.size());
  EXPECT_EQ(inflate(&state, Z_FINISH), Z_STREAM_END);
  bytes.resize(state.total_out);
  EXPECT_EQ(inflateEnd(&state), Z_OK);
  return bytes;
}

std::vector<std::uint64_t> varints(const std::string& bytes) {
  std::vector<std::uint64_t> values;
  std::uint64_t value = 0;
  int shift = 0;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    value |= std::uint64_t{byte & 0x7FU} << shift;
    shift += 7;
    if (byte < 0x80) {
      values.push_back(value);
      value = 0;
      shift = 0;
    }
  }
  return values;
}

std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

/// The values of a chunk as docs/formats/columns.md defines them.
std::vector<Json> decoded(const Json& chunk, const Json& texts) {
  const auto rows = chunk["rows"].get<std::size_t>();
  const std::string encoding = chunk["encoding"];
  const std::string bytes = chunk.contains("data") ? stream(chunk["data"]) : "";
  const std::string flags =
      chunk.contains("flags") ? stream(chunk["flags"]) : std::string(rows, '\0');
  const auto numbers = varints(bytes);
  std::vector<Json> values;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    Json value;
    if (encoding == "integer" || encoding == "delta") {
      const std::int64_t one = unzigzag(numbers[i]);
      sum += one;
      const std::int64_t integer = encoding == "delta" ? sum : one;
      value = integer;
      if (chunk.contains("divisor")) {
        value = static_cast<double>(integer) / chunk["divisor"].get<double>();
      }
    } else if (encoding == "real") {
      std::uint64_t bits = 0;
      for (std::size_t byte = 0; byte < 8; ++byte) {
        const auto part = static_cast<unsigned char>(bytes[byte * rows + i]);
        bits |= std::uint64_t{part} << (8 * byte);
      }
      value = std::bit_cast<double>(bits);
    } else if (encoding == "bool") {
      value = bytes[i] != 0;
    } else if (encoding != "null" && numbers[i] != 0) {
      value = texts[numbers[i] - 1];
      if (encoding == "json") value = Json::parse(value.get<std::string>());
    }
    values.push_back(flags[i] == 1 ? Json() : value);
  }
  return values;
}

class ColumnsTest : public testing::Test {
 protected:
  /// The document of a table of one column.
  Json document_of(const std::vector<Cell>& cells, Column::Type type = Column::Type::kText) {
    Column column = Column::text("v", "V", "a <b> & c");
    column.type = type;
    const ReportInfo info{.name = "made", .help = "what is made", .rows = "", .columns = {column}};
    const std::vector<std::size_t> chosen = {0};
    const TraceSet traces = traces_of({&trace_});
    text_ = output_of([&](tools::Output& output) {
      ColumnsDocument document(traces, output);
      const auto renderer =
          document.table({.name = "made", .report = info, .columns = chosen, .side = "new"});
      renderer->begin(info.columns);
      for (const Cell& cell : cells) renderer->row(std::array{cell});
      renderer->total(std::array{text("total")});
      renderer->end(true);
      document.end({.facts = {"<script>"}, .warnings = {"</script>"}});
    });
    return Json::parse(text_);
  }

  /// The only column.
  Json column_of(const std::vector<Cell>& cells, Column::Type type = Column::Type::kText) {
    return document_of(cells, type)["tables"][0]["columns"][0];
  }

  static std::vector<Json> values_of(const Json& column) {
    const Json texts = column.contains("texts") ? Json::parse(stream(column["texts"])) : Json();
    std::vector<Json> values;
    for (const Json& chunk : column["chunks"]) {
      for (Json& value : decoded(chunk, texts)) values.push_back(std::move(value));
    }
    return values;
  }

  /// The values are those of -f json, and of this type.
  void expect_same(const std::vector<Cell>& cells, const std::string& type) {
    std::vector<Json> expected;
    for (const Cell& cell : cells) {
      std::string json;
      append_json(cell, json);
      expected.push_back(Json::parse(json));
    }
    const Json column = column_of(cells);
    EXPECT_EQ(values_of(column), expected);
    EXPECT_EQ(column["type"], type);
  }

  FakeTrace trace_;
  std::string text_;
};

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

TEST_F(ColumnsTest, ValuesAreThoseOfJson) {
  expect_same({signed_number(5), absent(), signed_number(-7), signed_number(0)}, "integer");
  expect_same({signed_number(kLeast), signed_number(kMost), signed_number(1)}, "integer");
  expect_same({number(18446744073709551615U), number(1), absent()}, "json");
  expect_same({real(0.1), absent(), real(-1e300), real(5e-324)}, "real");
  expect_same({Cell{Decimal{1234, 3}}, absent(), Cell{Decimal{-1, 3}}}, "real");
  expect_same({Cell{Decimal{(std::int64_t{1} << 53) + 1, 3}}, Cell{Decimal{1, 3}}}, "real");
  expect_same({Cell{true}, absent(), Cell{false}}, "bool");
  expect_same({text("a"), text(""), Cell{std::in_place_type<std::string_view>, ""}, text("a")},
              "text");
  expect_same({text("</script>\xff"), text("é\u202e\"")}, "text");
  expect_same({Cell{Dim3{1, 2, 3}}, absent(), Cell{Shapes{}}, Cell{Dim3{1, 2, 3}}}, "json");
}

TEST_F(ColumnsTest, MixturesKeepTheirValues) {
  expect_same({signed_number(1), real(0.5), Cell{Decimal{12, 1}}, absent()}, "real");
  expect_same({signed_number(kMost), real(0.5)}, "json");
  expect_same({signed_number(1), text("1"), Cell{true}, Cell{Dim3{1, 2, 3}}, real(0.5), absent(),
               Cell{Decimal{15, 1}}},
              "json");
}

TEST_F(ColumnsTest, WhatIsNoNumberIsNull) {
  EXPECT_EQ(values_of(column_of({real(std::nan("")), real(HUGE_VAL), real(1)})),
            (std::vector<Json>{Json(), Json(), Json(1.0)}));
}

TEST_F(ColumnsTest, BoundsAndEstimatesHaveFlags) {
  const Json column = column_of({Cell{AtLeast{2.5}}, estimate(3.5), real(4.5), absent()});
  EXPECT_EQ(stream(column["chunks"][0]["flags"]), std::string("\2\3\0\1", 4));
  EXPECT_EQ(values_of(column)[1], Json(3.5));
  EXPECT_FALSE(column_of({real(1)})["chunks"][0].contains("flags"));
}

TEST_F(ColumnsTest, TheTypeIsThatOfTheValues) {
  using Type = Column::Type;
  EXPECT_EQ(column_of({}, Type::kReal)["type"], "real");
  EXPECT_EQ(column_of({absent()}, Type::kInteger)["type"], "integer");
  EXPECT_EQ(column_of({signed_number(1)}, Type::kReal)["type"], "real") << "whole by chance";
  EXPECT_EQ(column_of({signed_number(1)}, Type::kText)["type"], "integer");
}

TEST_F(ColumnsTest, LongColumnsHaveSeveralChunks) {
  std::vector<Cell> cells;
  for (std::int64_t i = 0; i < 150'000; ++i) {
    cells.push_back(i < 131'072 ? signed_number(1'000'000'000 + 3 * i) : text("x"));
  }
  const Json column = column_of(cells);
  ASSERT_EQ(column["chunks"].size(), 3U);
  EXPECT_EQ(column["chunks"][0]["encoding"], "delta");
  EXPECT_EQ(column["type"], "json");
  const std::vector<Json> values = values_of(column);
  ASSERT_EQ(values.size(), cells.size());
  EXPECT_EQ(values[131'071], Json(1'000'393'213));
  EXPECT_EQ(values[131'072], Json("x"));
  EXPECT_LT(text_.size(), 10'000U) << "equal differences take no room";
}

TEST_F(ColumnsTest, CanStandInAScript) {
  trace_.path_ = "<b>.db";
  const Json document = document_of({text("<!--")});
  EXPECT_THAT(text_, Not(HasSubstr("<")));
  EXPECT_EQ(document["traces"][0]["name"], "<b>.db");
  EXPECT_EQ(document["notes"], Json::array({"<script>"}));
  EXPECT_EQ(document["warnings"], Json::array({"</script>"}));
  const Json& table = document["tables"][0];
  EXPECT_EQ(table["columns"][0]["help"], "a <b> & c");
  EXPECT_EQ(table["rows"], 1) << "totals are none of them";
  EXPECT_EQ(table["side"], "new");
}

TEST_F(ColumnsTest, StaysOpenWhereTheReportBrokeOff) {
  const TraceSet traces = traces_of({&trace_});
  const ReportInfo info{
      .name = "made", .help = "", .rows = "", .columns = {Column::text("v", "", "")}};
  const std::string made = output_of([&](tools::Output& output) {
    ColumnsDocument document(traces, output);
    const auto renderer = document.table({.name = "made", .report = info, .columns = {}});
    renderer->begin(info.columns);
    renderer->row(std::array{text("a")});
    renderer->end(false);
  });
  EXPECT_FALSE(Json::accept(made));
}

}  // namespace
}  // namespace prof::reports
