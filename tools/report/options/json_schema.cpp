// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The output of --json-schema, see listing.hpp.
#include <nlohmann/json.hpp>

#include "tools/report/options/listing.hpp"

namespace prof::reports {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kDraft = "https://json-schema.org/draft/2020-12/schema";

Json array_of(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

/// Without the null.
Json type_of(const Column& column) {
  switch (column.json) {
    case Column::Json::kFlag:
      return {{"type", "boolean"}};
    case Column::Json::kSizes:
      return array_of({{"type", "integer"}});
    case Column::Json::kShapes:
      return array_of(array_of({{"type", "integer"}}));
    case Column::Json::kWords:
      return {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}};
    case Column::Json::kOfType:
      break;
  }
  switch (column.type) {
    case Column::Type::kInteger:
      return {{"type", "integer"}};
    case Column::Type::kReal:
      return {{"type", "number"}};
    case Column::Type::kText:
      break;
  }
  return {{"type", "string"}};
}

/// Tables need none where the header is the unit.
std::string_view unit_of(const Column& column) {
  if (column.word == "flops") return "FLOP";
  if (column.word == "bytes") return "B";
  const bool is_rate = column.header.find('/') < column.header.size();
  return column.unit.empty() && is_rate ? column.header : column.unit;
}

Json property_of(const Column& column, const ColumnWords& words) {
  Json property = type_of(column);
  property["type"] = {property["type"], "null"};
  property["description"] = column.help;
  if (const std::string_view unit = unit_of(column); !unit.empty()) property["unit"] = unit;
  if (column.word != words.column) return property;
  for (const auto& [word, help] : words.words) property["words"][std::string(word)] = help;
  return property;
}

Json words_property(std::string_view description) {
  Json property = array_of({{"type", "string"}});
  property["description"] = description;
  return property;
}

Json absent_property() {
  return {{"type", "object"},
          {"additionalProperties", {{"type", "string"}}},
          {"description",
           "why values are null, by column; `rows`, in an object of its own: why there are none"}};
}

Json schema_of(const ReportInfo& info) {
  Json properties = Json::object();
  for (const Column& column : info.columns) {
    properties[std::string(column.word)] = property_of(column, info.words);
  }
  properties["absent"] = absent_property();
  properties["estimated"] = words_property("columns whose values are estimates");
  properties["at_least"] = words_property("columns whose values are lower bounds");
  Json row = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  Json schema = array_of(std::move(row));
  schema["title"] = info.name;
  schema["description"] = info.help;
  return schema;
}

}  // namespace

std::string json_schema(const Listed& listed) {
  Json schema = {{"$schema", kDraft}};
  if (listed.reports.size() == 1) {
    schema.update(schema_of(listed.reports.front()->info()));
  } else {
    for (const Report* report : listed.reports) {
      schema["$defs"][std::string(report->info().name)] = schema_of(report->info());
    }
  }
  return schema.dump(1) + "\n";
}

}  // namespace prof::reports
