// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Text tables. A bounded sample of the first rows is held back to determine the column widths;
// later rows are printed as they come. A cell wider than its column overflows, or is cut if the
// terminal's width is known. Untrusted text is escaped for terminals.
#include <algorithm>
#include <string>
#include <vector>

#include "tools/common/unicode.hpp"
#include "tools/report/render/table_layout.hpp"
#include "tools/report/render/value_text.hpp"
#include "tools/report/renderer.hpp"

namespace prof::reports {
namespace {

constexpr std::size_t kSampleRows = 1000;
constexpr std::size_t kSampleBytes = std::size_t{4} << 20;
constexpr std::string_view kAbsentText = "-";
constexpr std::string_view kCutMark = "…";

std::size_t width_of(std::string_view text) {
  return tools::is_plain_ascii(text) ? text.size() : tools::display_width(text);
}

class TableRenderer : public Renderer {
 public:
  TableRenderer(tools::Output& output, const RenderOptions& options)
      : output_(output), terminal_(options.width) {}

  void begin(std::span<const Column> columns) override {
    columns_.assign(columns.begin(), columns.end());
    for (const Column& column : columns_) {
      std::string header(column.header);
      if (!column.unit.empty()) header.append("(").append(column.unit).append(")");
      const std::size_t width = width_of(header);
      const bool may_shrink = column.shrink != Column::Shrink::kNever;
      const std::size_t wide = std::max<std::size_t>(width, column.min_width);
      needs_.push_back({.natural = may_shrink ? width : wide,
                        .preferred = wide,
                        .least = width,
                        .may_shrink = may_shrink});
      headers_.push_back(std::move(header));
    }
  }

  bool row(std::span<const Cell> cells) override {
    if (settled_) {
      print(cells);
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
    print(cells);
    output_.commit();
  }

  void end(bool) override {
    if (!settled_) settle();
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
    layout_ = fit_columns(needs_, terminal_);
    settled_ = true;
    start_line();
    for (std::size_t i = 0; i < columns_.size(); ++i) print_cell(i, headers_[i]);
    end_line();
    print_rule();
    std::size_t begin = 0;
    for (const SampledRow& row : sampled_rows_) {
      if (row.is_total) print_rule();
      start_line();
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        const std::size_t end = sampled_ends_[row.first_cell + i];
        print_cell(i, std::string_view(sampled_texts_).substr(begin, end - begin));
        begin = end;
      }
      end_line();
      output_.commit();
    }
    sampled_rows_ = {};
    sampled_ends_ = {};
    sampled_texts_ = {};
  }

  void print(std::span<const Cell> cells) {
    start_line();
    for (std::size_t i = 0; i < cells.size(); ++i) print_cell(i, printable(cells[i], columns_[i]));
    end_line();
  }

  void print_rule() {
    fmt::memory_buffer& out = output_.buffer();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) blanks(layout_.gap);
      const std::size_t old_size = out.size();
      out.resize(old_size + layout_.widths[i]);
      std::fill(out.begin() + old_size, out.end(), '-');
    }
    out.push_back('\n');
  }

  void start_line() { overrun_ = 0; }
  void end_line() { output_.buffer().push_back('\n'); }

  void blanks(std::size_t count) {
    fmt::memory_buffer& out = output_.buffer();
    const std::size_t old_size = out.size();
    out.resize(old_size + count);
    std::fill(out.begin() + old_size, out.end(), ' ');
  }

  void print_cell(std::size_t i, std::string_view text) {
    fmt::memory_buffer& out = output_.buffer();
    const Column& column = columns_[i];
    const std::size_t column_width = layout_.widths[i];
    std::size_t width = width_of(text);
    const bool cut = terminal_ && column.shrink != Column::Shrink::kNever && width > column_width;
    const bool cut_front = cut && column.shrink == Column::Shrink::kCutFront;
    if (cut) {
      text = cut_front ? tools::suffix_of_width(text, column_width - 1)
                       : tools::prefix_of_width(text, column_width - 1);
      width = width_of(text) + 1;
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
    if (i > 0) blanks(layout_.gap);
    if (column.align == Column::Align::kRight) blanks(padding);
    if (cut_front) append(kCutMark, out);
    append(text, out);
    if (cut && !cut_front) append(kCutMark, out);
    if (column.align == Column::Align::kLeft && i + 1 < columns_.size()) blanks(padding);
  }

  tools::Output& output_;
  std::optional<std::size_t> terminal_;
  std::vector<Column> columns_;
  std::vector<std::string> headers_;
  std::vector<ColumnNeed> needs_;
  TableLayout layout_;
  bool settled_ = false;

  std::vector<SampledRow> sampled_rows_;
  std::vector<std::size_t> sampled_ends_;
  std::string sampled_texts_;

  std::size_t overrun_ = 0;
  std::string safe_;
  fmt::memory_buffer value_;
};

}  // namespace

std::unique_ptr<Renderer> make_table_renderer(tools::Output& output, const RenderOptions& options) {
  return std::make_unique<TableRenderer>(output, options);
}

}  // namespace prof::reports
