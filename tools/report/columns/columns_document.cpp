// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/columns/columns_document.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "libprof/store/read/trace_reader.hpp"
#include "tools/report/columns/column_encoder.hpp"
#include "tools/report/table/value_text.hpp"

namespace prof::reports {
namespace {

/// A string that may stand in HTML. Only strings have '<'.
void append_string(std::string_view text, std::string& out) {
  std::string quoted;
  append_json(Cell{std::in_place_type<std::string_view>, text}, quoted);
  for (const char c : quoted) {
    if (c == '<') {
      append("\\u003c", out);
    } else {
      out.push_back(c);
    }
  }
}

void append_key(std::string_view key, std::string& out) {
  if (out.back() != '{') out.push_back(',');
  out.append("\"").append(key).append("\":");
}

void append_member(std::string_view key, std::string_view text, std::string& out) {
  append_key(key, out);
  append_string(text, out);
}

/// Empty: null.
void append_known(std::string_view key, std::string_view text, std::string& out) {
  append_key(key, out);
  if (text.empty()) {
    append("null", out);
  } else {
    append_string(text, out);
  }
}

template <typename Texts>
void append_list(std::string_view key, const Texts& texts, std::string& out) {
  append_key(key, out);
  out.push_back('[');
  for (const auto& text : texts) {
    if (out.back() != '[') out.push_back(',');
    append_string(text, out);
  }
  out.push_back(']');
}

/// Where and when the trace comes from.
void append_capture(TraceReader& trace, std::string& out) {
  const auto number_member = [&out](std::string_view key, std::uint64_t value) {
    append_key(key, out);
    append_json(value != 0 ? number(value) : absent(), out);
  };
  append_known("command_line", trace.meta("command_line"), out);
  append_known("executable", trace.meta("executable"), out);
  number_member("started_ns", static_cast<std::uint64_t>(trace.start_realtime_ns()));
  append_known("driver", trace.meta("driver_version"), out);
  append_known("cuda", trace.meta("cuda_driver_version"), out);
  append_key("gpus", out);
  out.push_back('[');
  for (const DeviceRow& device : trace.devices()) {
    append(out.back() == '[' ? "{" : ",{", out);
    append_key("device", out);
    append_integer(device.device, out);
    append_known("name", device.name, out);
    number_member("sm_count", device.sm_count);
    number_member("memory_bytes", device.memory_bytes);
    out.push_back('}');
  }
  out.push_back(']');
}

std::string_view style_word(Column::Style style) {
  switch (style) {
    case Column::Style::kPlain:
      return "plain";
    case Column::Style::kTime:
      return "time";
    case Column::Style::kInstant:
      return "instant";
    case Column::Style::kScaledTime:
      return "scaled_time";
    case Column::Style::kTimeDigits:
      return "time_digits";
    case Column::Style::kPercent:
      return "percent";
    case Column::Style::kTensors:
      return "tensors";
  }
  return "plain";
}

std::string_view place_word(Column::Place place) {
  switch (place) {
    case Column::Place::kCell:
      return "cell";
    case Column::Place::kLabel:
      return "label";
    case Column::Place::kHeading:
      return "heading";
    case Column::Place::kBelow:
      return "below";
  }
  return "cell";
}

void append_column(const Column& column, const ColumnEncoder& values, const ColumnWords& described,
                   std::string& out) {
  const auto flag = [&out](std::string_view key, bool value) {
    append_key(key, out);
    append(value ? "true" : "false", out);
  };
  out.push_back('{');
  append_member("word", column.word, out);
  append_member("header", column.header, out);
  append_member("unit", column.unit, out);
  append_member("type", values.type_word(), out);
  append_member("help", column.help, out);
  append_member("style", style_word(column.style), out);
  append_key("decimals", out);
  append_integer(unsigned{column.decimals}, out);
  flag("grouped", column.thousands);
  flag("right", column.align == Column::Align::kRight);
  append_member("place", place_word(column.place), out);
  append_key("values", out);
  out.push_back('{');
  if (column.word == described.column) {
    for (const auto& [word, help] : described.words) append_member(word, help, out);
  }
  out.push_back('}');
  if (const std::string texts = values.texts(); !texts.empty()) {
    append_member("texts", texts, out);
  }
  append_key("chunks", out);
  out.append("[").append(values.chunks()).append("]}");
}

}  // namespace

class ColumnsDocument::TableRenderer final : public Renderer {
 public:
  TableRenderer(const TableFacts& facts, ColumnsDocument& to) : facts_(facts), to_(to) {}

  void begin(std::span<const Column> columns) override {
    columns_.assign(columns.begin(), columns.end());
    for (const Column& column : columns) values_.emplace_back(column.type);
  }

  bool row(std::span<const Cell> cells) override {
    ++rows_;
    for (std::size_t i = 0; i < cells.size(); ++i) values_[i].add(cells[i]);
    return to_.output_.error() == 0;
  }

  void total(std::span<const Cell>) override {}

  void end(bool complete) override {
    if (!complete) return;
    std::string& out = to_.output_.buffer();
    append(std::exchange(to_.has_table_, true) ? ",\n{" : "\n{", out);
    append_facts(out);
    append_key("columns", out);
    out.push_back('[');
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      append(i > 0 ? ",\n" : "\n", out);
      values_[i].finish();
      append_column(columns_[i], values_[i], facts_.report.words, out);
      to_.output_.commit();
    }
    append("]}", out);
    to_.output_.commit();
  }

 private:
  void append_facts(std::string& out) const {
    const ReportInfo& report = facts_.report;
    append_member("name", facts_.name, out);
    append_member("report", report.name, out);
    append_known("side", facts_.side, out);
    append_member("title", report.title.empty() ? report.help : report.title, out);
    append_member("missing", report.missing, out);
    std::vector<std::string_view> keys;
    for (const std::size_t column : facts_.columns) {
      const bool is_key = std::ranges::find(report.keys, column) != report.keys.end();
      if (is_key) keys.push_back(report.columns[column].word);
    }
    append_list("keys", keys, out);
    append_key("rows", out);
    append_integer(rows_, out);
  }

  TableFacts facts_;
  ColumnsDocument& to_;
  std::vector<Column> columns_;
  std::vector<ColumnEncoder> values_;
  std::uint64_t rows_ = 0;
};

ColumnsDocument::ColumnsDocument(const TraceSet& traces, tools::Output& output) : output_(output) {
  std::string& out = output.buffer();
  append(R"({"format":"prof-columns","version":1)", out);
  append_member("prof_version", PROF_VERSION_STRING, out);
  append_key("traces", out);
  out.push_back('[');
  for (const TraceMember& trace : traces.members()) {
    const TraceIdentity& identity = trace.identity;
    append(out.back() == '[' ? "{" : ",{", out);
    append_member("name", identity.name, out);
    append_key("rank", out);
    append_json(identity.rank ? number(*identity.rank) : absent(), out);
    append_known("host", identity.host, out);
    append_known("run", identity.run, out);
    append_capture(trace.reader, out);
    out.push_back('}');
  }
  append("],\n\"tables\":[", out);
  output.commit();
}

std::unique_ptr<Renderer> ColumnsDocument::table(const TableFacts& facts) {
  return std::make_unique<TableRenderer>(facts, *this);
}

void ColumnsDocument::end(const Notes& notes) {
  std::string& out = output_.buffer();
  append("\n]", out);
  append_list("notes", notes.facts, out);
  append_list("warnings", notes.warnings, out);
  append("}\n", out);
  output_.commit();
}

}  // namespace prof::reports
