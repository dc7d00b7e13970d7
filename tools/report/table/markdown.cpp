// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Markdown tables as GitHub renders them: numbers as in text tables, totals in bold. Nothing is
// padded, cut or held back. Texts of the trace are escaped so that none can end its cell or change
// how the page looks. Headings (Column::Place) are paragraphs above tables of their own.
#include <algorithm>
#include <string>
#include <vector>

#include "libprof/base/ascii.hpp"
#include "tools/common/unicode.hpp"
#include "tools/report/table/markdown_text.hpp"
#include "tools/report/table/renderer.hpp"
#include "tools/report/table/row_groups.hpp"
#include "tools/report/table/value_text.hpp"

namespace prof::reports {
namespace {

bool is_in_word(char c) { return is_letter(c) || is_digit(c) || is_of_other_script(c); }

/// Whether a character means something to Markdown where it stands. An underscore within a word
/// does not.
bool is_special(std::string_view text, std::size_t at) {
  if (text[at] != '_') return std::string_view("\\`|*<>&~[$").find(text[at]) != text.npos;
  return at == 0 || at + 1 == text.size() || !is_in_word(text[at - 1]) || !is_in_word(text[at + 1]);
}

class MarkdownRenderer : public Renderer {
 public:
  explicit MarkdownRenderer(tools::Output& output) : output_(output) {}

  void begin(std::span<const Column> columns) override {
    columns_.assign(columns.begin(), columns.end());
    groups_ = RowGroups(columns_.size());
    has_headings_ = std::ranges::any_of(columns_, is_heading);
    if (!has_headings_) print_header();
    output_.commit();
  }

  bool row(std::span<const Cell> cells) override {
    groups_.next_row();
    if (has_headings_) print_headings(cells);
    return print(cells, "");
  }
  void total(std::span<const Cell> cells) override {
    groups_ = RowGroups(columns_.size());
    print(cells, "**");
  }
  void end(bool) override {
    if (!has_header_) print_header();
    output_.commit();
  }

 private:
  static bool is_heading(const Column& column) { return column.place == Column::Place::kHeading; }

  void print_header() {
    has_header_ = true;
    std::string& out = output_.buffer();
    for (const Column& column : columns_) {
      if (is_heading(column)) continue;
      append("| ", out);
      append_text(column.header, out);
      if (!column.unit.empty()) {
        out.push_back('(');
        append_text(column.shown_unit(), out);
        out.push_back(')');
      }
      out.push_back(' ');
    }
    append("|\n", out);
    for (const Column& column : columns_) {
      if (is_heading(column)) continue;
      append(column.align == Column::Align::kRight ? "| ---: " : "| --- ", out);
    }
    append("|\n", out);
  }

  /// New headings end the table above them.
  void print_headings(std::span<const Cell> cells) {
    std::string& out = output_.buffer();
    bool any = false;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!is_heading(columns_[i])) continue;
      const bool is_absent = std::holds_alternative<Absent>(cells[i]);
      heading_.clear();
      if (!is_absent) append_cell(cells[i], columns_[i], heading_);
      std::string_view text(heading_);
      if (!groups_.is_new(i, text)) continue;
      if (!any && has_header_) out.push_back('\n');
      any = true;
      if (is_absent) continue;
      // Indented lines would continue a list, or be code.
      text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
      append(text, out);
      append("\n\n", out);
    }
    if (any) print_header();
  }

  bool print(std::span<const Cell> cells, std::string_view mark) {
    std::string& out = output_.buffer();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (is_heading(columns_[i])) continue;
      append("| ", out);
      const std::size_t before = out.size();
      append(mark, out);
      const std::size_t empty = out.size();
      const auto* value = std::get_if<std::string_view>(&cells[i]);
      if (value != nullptr) {
        append_indented(text_for_eyes(*value, columns_[i], value_), out);
      } else {
        append_cell(cells[i], columns_[i], out);
      }
      if (columns_[i].place == Column::Place::kLabel) keep_new_label(i, empty);
      // Marks around nothing would be shown.
      if (out.size() == empty) {
        out.resize(before);
      } else {
        append(mark, out);
        out.push_back(' ');
      }
    }
    append("|\n", out);
    return output_.commit();
  }

  /// Takes a label back that the row before has, too.
  void keep_new_label(std::size_t column, std::size_t begin) {
    std::string& out = output_.buffer();
    if (groups_.is_new(column, {out.data() + begin, out.size() - begin})) {
      out.push_back(':');
    } else {
      out.resize(begin);
    }
  }

  void append_cell(const Cell& cell, const Column& column, std::string& out) {
    if (const auto* value = std::get_if<std::string_view>(&cell)) {
      append_text(text_for_eyes(*value, column, value_), out);
      return;
    }
    value_.clear();
    append_value(cell, column, NumberStyle::kForEyes, value_);
    const bool is_absent = value_.empty();
    append_text(is_absent ? "-" : std::string_view(value_), out);
  }

  /// Blanks that start a cell are the depth in a tree; Markdown would strip them.
  void append_indented(std::string_view text, std::string& out) {
    const std::size_t depth = std::min(text.find_first_not_of(' '), text.size());
    for (std::size_t i = 0; i < depth; ++i) append("&nbsp;", out);
    append_text(text.substr(depth), out);
  }

  void append_text(std::string_view text, std::string& out) {
    safe_.clear();
    tools::append_printable(text, safe_);
    append_markdown(safe_, out);
  }

  tools::Output& output_;
  std::vector<Column> columns_;
  RowGroups groups_;
  bool has_headings_ = false, has_header_ = false;
  std::string safe_;
  std::string value_, heading_;
};

}  // namespace

void append_markdown(std::string_view text, std::string& out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_special(text, i)) out.push_back('\\');
    out.push_back(text[i]);
  }
}

std::unique_ptr<Renderer> make_markdown_renderer(tools::Output& output, const RenderOptions&) {
  return std::make_unique<MarkdownRenderer>(output);
}

}  // namespace prof::reports
