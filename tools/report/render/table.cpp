// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Text tables. A bounded sample of the first rows is held back to determine the columns and their
// widths; later rows are printed as they come. A cell wider than its column overflows, or is cut if
// the terminal's width is known. Untrusted text is escaped for terminals. No line ends in a blank.
#include <algorithm>
#include <string>
#include <vector>

#include "tools/common/unicode.hpp"
#include "tools/report/render/shorten.hpp"
#include "tools/report/render/table_layout.hpp"
#include "tools/report/render/value_text.hpp"
#include "tools/report/renderer.hpp"

namespace prof::reports {
namespace {

constexpr std::size_t kSampleRows = 1000;
constexpr std::size_t kSampleBytes = std::size_t{4} << 20;
constexpr std::string_view kAbsentText = "-";

std::size_t width_of(std::string_view text) {
  return tools::is_plain_ascii(text) ? text.size() : tools::display_width(text);
}

class TableRenderer : public Renderer {
 public:
  TableRenderer(tools::Output& output, const RenderOptions& options)
      : output_(output), options_(options) {}

  void begin(std::span<const Column> columns) override {
    columns_.assign(columns.begin(), columns.end());
    for (const Column& column : columns_) {
      std::string header(column.header);
      if (!column.unit.empty()) header.append("(").append(column.unit).append(")");
      const std::size_t width = width_of(header);
      const bool may_shrink = column.shrink != Column::Shrink::kNever;
      const std::size_t wide = std::max<std::size_t>(width, column.min_width);
      needs_.push_back({.natural = may_shrink ? width : wide,
                        .least = wide,
                        .may_shrink = may_shrink,
                        .drop_rank = options_.keep_columns ? std::uint8_t{0} : column.drop_rank});
      headers_.push_back(std::move(header));
    }
  }

  bool row(std::span<const Cell> cells) override {
    if (settled_) {
      print(cells, false);
      return output_.commit();
    }
    sample(cells, false);
    if (sampled_rows_.size() >= kSampleRows || sampled_texts_.size() >= kSampleBytes) settle();
    return output_.error() == 0;
  }

  void total(std::span<const Cell> cells) override {
    if (!settled_) {
      sample(cells, true);
      return;
    }
    print_rule();
    print(cells, true);
    output_.commit();
  }

  void end(bool) override {
    if (!settled_) settle();
    name_dropped_columns();
    output_.commit();
  }

 private:
  struct SampledRow {
    std::size_t first_cell = 0;
    bool is_total = false;
  };

  // The cell's printable text, before cutting; valid until the next call.
  std::string_view printable(const Cell& cell, const Column& column) {
    if (std::holds_alternative<std::monostate>(cell)) return kAbsentText;
    if (const auto* value = std::get_if<std::string_view>(&cell)) {
      if (tools::is_plain_ascii(*value)) return *value;
      safe_.clear();
      tools::append_printable(*value, safe_);
      return safe_;
    }
    value_.clear();
    append_value(cell, column, NumberStyle::kForEyes, value_);
    return value_.size() == 0 ? kAbsentText : std::string_view(value_.data(), value_.size());
  }

  void sample(std::span<const Cell> cells, bool is_total) {
    sampled_rows_.push_back({sampled_ends_.size(), is_total});
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string_view text = printable(cells[i], columns_[i]);
      needs_[i].natural = std::max(needs_[i].natural, width_of(text));
      sampled_texts_ += text;
      sampled_ends_.push_back(sampled_texts_.size());
    }
  }

  void settle() {
    layout_ = fit_columns(needs_, options_.width);
    settled_ = true;
    start_line(true);
    for (std::size_t i = 0; i < columns_.size(); ++i) print_cell(i, headers_[i]);
    end_line(true);
    print_rule();
    std::size_t begin = 0;
    for (const SampledRow& row : sampled_rows_) {
      if (row.is_total) print_rule();
      start_line(row.is_total);
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        const std::size_t end = sampled_ends_[row.first_cell + i];
        print_cell(i, std::string_view(sampled_texts_).substr(begin, end - begin));
        begin = end;
      }
      end_line(row.is_total);
      output_.commit();
    }
    sampled_rows_ = {};
    sampled_ends_ = {};
    sampled_texts_ = {};
  }

  void print(std::span<const Cell> cells, bool is_total) {
    start_line(is_total);
    for (std::size_t i = 0; i < cells.size(); ++i) print_cell(i, printable(cells[i], columns_[i]));
    end_line(is_total);
  }

  void print_rule() {
    start_line(false);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!layout_.shown[i]) continue;
      next_cell();
      repeat('-', layout_.widths[i]);
    }
    end_line(false);
  }

  void name_dropped_columns() {
    std::string words;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!layout_.shown[i]) words.append(words.empty() ? "" : ", ").append(columns_[i].word);
    }
    if (words.empty()) return;
    fmt::memory_buffer& out = output_.buffer();
    append(options_.styles.begin(tools::Style::kDim), out);
    append("not shown: ", out);
    append(words, out);
    append("; see them with -c or on a wider terminal", out);
    append(options_.styles.end(), out);
    out.push_back('\n');
  }

  void start_line(bool is_bold) {
    overrun_ = 0;
    if (is_bold) append(options_.styles.begin(tools::Style::kBold), output_.buffer());
    line_begin_ = output_.buffer().size();
    is_first_cell_ = true;
  }
  void end_line(bool is_bold) {
    fmt::memory_buffer& out = output_.buffer();
    std::size_t end = out.size();
    while (end > line_begin_ && out[end - 1] == ' ') --end;
    out.resize(end);
    if (is_bold) append(options_.styles.end(), out);
    out.push_back('\n');
  }

  void next_cell() {
    if (!is_first_cell_) repeat(' ', layout_.gap);
    is_first_cell_ = false;
  }
  void repeat(char c, std::size_t count) {
    fmt::memory_buffer& out = output_.buffer();
    const std::size_t old_size = out.size();
    out.resize(old_size + count);
    std::fill(out.begin() + old_size, out.end(), c);
  }

  void print_cell(std::size_t i, std::string_view text) {
    if (!layout_.shown[i]) return;
    next_cell();
    const Column& column = columns_[i];
    const std::size_t column_width = layout_.widths[i];
    std::size_t width = width_of(text);
    Shortened rest;
    const bool is_cut =
        options_.width && column.shrink != Column::Shrink::kNever && width > column_width;
    if (is_cut) {
      rest = shorten(text, column_width,
                     column.shrink == Column::Shrink::kCutFront ? Telling::kEnd : Telling::kStart);
      width = width_of(rest.head) + 1 + width_of(rest.tail);
    }
    std::size_t padding = 0;
    if (width > column_width) {
      overrun_ += width - column_width;
    } else {
      // Padding of later cells shrinks until the columns line up again after an overflow.
      padding = column_width - width;
      const std::size_t taken = std::min(padding, overrun_);
      padding -= taken;
      overrun_ -= taken;
    }
    fmt::memory_buffer& out = output_.buffer();
    if (column.align == Column::Align::kRight) repeat(' ', padding);
    if (is_cut) {
      append(rest.head, out);
      append(kCutMark, out);
      append(rest.tail, out);
    } else {
      append(text, out);
    }
    if (column.align == Column::Align::kLeft) repeat(' ', padding);
  }

  tools::Output& output_;
  RenderOptions options_;
  std::vector<Column> columns_;
  std::vector<std::string> headers_;
  std::vector<ColumnNeed> needs_;
  TableLayout layout_;
  bool settled_ = false;

  std::vector<SampledRow> sampled_rows_;
  std::vector<std::size_t> sampled_ends_;
  std::string sampled_texts_;

  // Of the line that is being printed.
  std::size_t line_begin_ = 0;
  std::size_t overrun_ = 0;
  bool is_first_cell_ = true;

  std::string safe_;
  fmt::memory_buffer value_;
};

}  // namespace

std::unique_ptr<Renderer> make_table_renderer(tools::Output& output, const RenderOptions& options) {
  return std::make_unique<TableRenderer>(output, options);
}

}  // namespace prof::reports
