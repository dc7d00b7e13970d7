// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// CSV as in RFC 4180, except for LF line ends: a header, then the rows. Texts keep their bytes,
// but on a terminal, where they are escaped. Absent values are empty fields.
#include <string>
#include <vector>

#include "tools/common/unicode.hpp"
#include "tools/report/table/renderer.hpp"
#include "tools/report/table/value_text.hpp"

namespace prof::reports {
namespace {

class CsvRenderer : public Renderer {
 public:
  CsvRenderer(tools::Output& output, bool for_terminal)
      : output_(output), for_terminal_(for_terminal) {}

  void begin(std::span<const Column> columns) override {
    columns_.assign(columns.begin(), columns.end());
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) output_.buffer().push_back(',');
      append_field(columns_[i].csv.empty() ? columns_[i].word : columns_[i].csv);
    }
    output_.buffer().push_back('\n');
    output_.commit();
  }

  bool row(std::span<const Cell> cells) override {
    std::string& out = output_.buffer();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) out.push_back(',');
      if (const auto* value = std::get_if<std::string_view>(&cells[i])) {
        append_field(*value);
      } else {
        scratch_.clear();
        append_value(cells[i], columns_[i], NumberStyle::kExact, scratch_);
        append_field(scratch_);
      }
    }
    out.push_back('\n');
    return output_.commit();
  }

  void total(std::span<const Cell>) override {}
  void end(bool) override { output_.commit(); }

 private:
  void append_field(std::string_view field) {
    std::string& out = output_.buffer();
    if (for_terminal_ && !tools::is_plain_ascii(field)) {
      safe_.clear();
      tools::append_printable(field, safe_);
      field = safe_;
    }
    if (field.find_first_of(",\"\r\n") == std::string_view::npos) {
      append(field, out);
      return;
    }
    out.push_back('"');
    for (const char c : field) {
      if (c == '"') out.push_back('"');
      out.push_back(c);
    }
    out.push_back('"');
  }

  tools::Output& output_;
  bool for_terminal_;
  std::vector<Column> columns_;
  std::string scratch_, safe_;
};

}  // namespace

std::unique_ptr<Renderer> make_csv_renderer(tools::Output& output, const RenderOptions& options) {
  return std::make_unique<CsvRenderer>(output, options.width.has_value());
}

}  // namespace prof::reports
