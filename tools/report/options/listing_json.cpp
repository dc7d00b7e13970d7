// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The output of --list -f json, see listing.hpp.
#include <nlohmann/json.hpp>
#include <vector>

#include "tools/report/options/listing.hpp"
#include "tools/report/rows/row_kind.hpp"

namespace prof::reports {
namespace {

using Json = nlohmann::ordered_json;  // Members in the order in which they are added.

const char* listed_word(Column::Type type) {
  switch (type) {
    case Column::Type::kInteger:
      return "integer";
    case Column::Type::kReal:
      return "real";
    case Column::Type::kText:
      break;
  }
  return "text";
}

Json listed_words(const ReportInfo& info, std::span<const std::size_t> indices) {
  Json words = Json::array();
  for (const std::size_t index : indices) words.push_back(info.columns[index].word);
  return words;
}

Json listed_column(const Column& column) {
  return {{"word", column.word},
          {"header", column.header},
          {"unit", column.unit},
          {"type", listed_word(column.type)},
          {"help", column.help}};
}

Json report_object(const ReportInfo& info) {
  Json columns = Json::array();
  for (const Column& column : info.columns) {
    columns.push_back(listed_column(column));
    if (column.word != info.words.column) continue;
    Json& values = columns.back()["values"] = Json::object();
    for (const auto& [word, help] : info.words.words) values[std::string(word)] = help;
  }
  return {{"report", info.name},
          {"help", info.help},
          {"rows", info.rows},
          {"table", listed_words(info, info.table)},
          {"machine", listed_words(info, info.machine)},
          {"keys", listed_words(info, info.keys)},
          {"columns", columns}};
}

/// `machine`: what SELECT * gives.
Json table_object(const RowKind& kind) {
  Json columns = Json::array();
  Json machine = Json::array();
  for (const Field& field : kind.fields) {
    columns.push_back(listed_column(field.column));
    if (field.role != Role::kOnRequest) machine.push_back(field.column.word);
  }
  return {{"sql_table", kind.names.table},
          {"help", kind.names.help},
          {"machine", machine},
          {"columns", columns}};
}

}  // namespace

std::string list_as_json(const Listed& listed, bool lines_alone) {
  std::string text;
  const auto add = [&](const Json& object) {
    if (!text.empty()) text += lines_alone ? "\n" : ",\n";
    text += object.dump();
  };
  for (const Report* report : listed.reports) add(report_object(report->info()));
  for (const RowKind* kind : listed.tables) add(table_object(*kind));
  return lines_alone ? text + "\n" : "[\n" + text + "\n]\n";
}

}  // namespace prof::reports
