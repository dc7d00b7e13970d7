// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Markdown tables as GitHub renders them: numbers as in text tables, totals in bold. Nothing is
// padded, cut or held back. Texts of the trace are escaped so that none can end its cell or change
// how the page looks.
#include <string>
#include <vector>

#include "tools/common/unicode.hpp"
#include "tools/report/render/markdown_text.hpp"
#include "tools/report/render/value_text.hpp"
#include "tools/report/renderer.hpp"

namespace prof::reports {
namespace {

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// Whether a character means something to Markdown where it stands. An underscore within a word
/// does not.
bool is_special(std::string_view text, std::size_t at) {
  if (text[at] != '_') return std::string_view("\\`|*<>&~[$").find(text[at]) != text.npos;
  return at == 0 || at + 1 == text.size() || !is_word(text[at - 1]) || !is_word(text[at + 1]);
}

class MarkdownRenderer : public Renderer {
 public:
  explicit MarkdownRenderer(tools::Output& output) : output_(output) {}

  void begin(std::span<const Column> columns) override {
    columns_.assign(columns.begin(), columns.end());
    fmt::memory_buffer& out = output_.buffer();
    for (const Column& column : columns_) {
      append("| ", out);
      append_text(column.header);
      if (!column.unit.empty()) {
        out.push_back('(');
        append_text(column.unit);
        out.push_back(')');
      }
      out.push_back(' ');
    }
    append("|\n", out);
    for (const Column& column : columns_) {
      append(column.align == Column::Align::kRight ? "| ---: " : "| --- ", out);
    }
    append("|\n", out);
    output_.commit();
  }

  bool row(std::span<const Cell> cells) override { return print(cells, ""); }
  void total(std::span<const Cell> cells) override { print(cells, "**"); }
  void end(bool) override { output_.commit(); }

 private:
  bool print(std::span<const Cell> cells, std::string_view mark) {
    fmt::memory_buffer& out = output_.buffer();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      append("| ", out);
      const std::size_t before = out.size();
      append(mark, out);
      const std::size_t empty = out.size();
      append_cell(cells[i], columns_[i]);
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

  void append_cell(const Cell& cell, const Column& column) {
    if (const auto* value = std::get_if<std::string_view>(&cell)) {
      append_text(*value);
      return;
    }
    value_.clear();
    append_value(cell, column, NumberStyle::kForEyes, value_);
    const bool is_absent = value_.size() == 0;
    append_text(is_absent ? "-" : std::string_view(value_.data(), value_.size()));
  }

  void append_text(std::string_view text) {
    safe_.clear();
    tools::append_printable(text, safe_);
    append_markdown(safe_, output_.buffer());
  }

  tools::Output& output_;
  std::vector<Column> columns_;
  std::string safe_;
  fmt::memory_buffer value_;
};

}  // namespace

void append_markdown(std::string_view text, fmt::memory_buffer& out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_special(text, i)) out.push_back('\\');
    out.push_back(text[i]);
  }
}

std::unique_ptr<Renderer> make_markdown_renderer(tools::Output& output, const RenderOptions&) {
  return std::make_unique<MarkdownRenderer>(output);
}

}  // namespace prof::reports
