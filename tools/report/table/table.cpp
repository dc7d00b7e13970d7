// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Text tables. A bounded sample of the first rows is held back to determine the columns and their
// widths; later rows are printed as they come. A cell wider than its column overflows, or is cut or
// wrapped if the terminal's width is known; headers then take two lines where one is too wide.
// Untrusted text is escaped for terminals. No line ends in a blank. With headings (Column::Place),
// the header stands below each group's headings, and no rule.
#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "tools/common/unicode.hpp"
#include "tools/report/table/renderer.hpp"
#include "tools/report/table/row_groups.hpp"
#include "tools/report/table/shorten.hpp"
#include "tools/report/table/table_layout.hpp"
#include "tools/report/table/text_cutter.hpp"
#include "tools/report/table/value_text.hpp"

namespace prof::reports {
namespace {

constexpr std::size_t kSampleRows = 1000;
constexpr std::size_t kSampleBytes = std::size_t{4} << 20;
constexpr std::string_view kAbsentText = "-";
constexpr std::size_t kLeastNoteWidth = 80;

/// Numbers of these columns differ in their decimals: they stand with their points below each
/// other.
bool is_aligned_by_point(const Column& column) {
  const bool has_decimals =
      column.type == Column::Type::kReal && column.decimals != Column::kAllDecimals;
  return column.align == Column::Align::kRight &&
         (has_decimals || column.style == Column::Style::kTime);
}

/// The width of ".725" in "0.725".
std::size_t fraction_width(std::string_view number) {
  return number.size() - std::min(number.find('.'), number.size());
}

std::size_t width_of(std::string_view text) {
  return tools::is_plain_ascii(text) ? text.size() : tools::display_width(text);
}

class TableRenderer : public Renderer {
 public:
  TableRenderer(tools::Output& output, const RenderOptions& options)
      : output_(output), options_(options) {}

  void begin(std::span<const Column> columns) override {
    columns_.assign(columns.begin(), columns.end());
    for (Column& column : columns_) {
      column.word = harmless(column.word);
      column.header = harmless(column.header);
    }
    groups_ = RowGroups(columns_.size());
    const bool has_cells = std::ranges::any_of(
        columns_, [](const Column& column) { return column.place != Column::Place::kBelow; });
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      Column& column = columns_[i];
      if (column.place == Column::Place::kHeading) {
        headings_.push_back(i);
        continue;
      }
      if (column.place == Column::Place::kBelow && has_cells) {
        below_.push_back(i);
        continue;
      }
      column.place = column.place == Column::Place::kBelow ? Column::Place::kCell : column.place;
      cells_.push_back(i);
      std::string header(column.header);
      if (!column.unit.empty()) header.append("(").append(column.shown_unit()).append(")");
      const bool may_shrink = column.shrink != Column::Shrink::kNever;
      texts_widths_.push_back(may_shrink ? 0 : column.min_width);
      point_widths_.emplace_back();
      rests_.emplace_back();
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
    if (!has_header_) print_header();
    name_what_is_left_out();
    output_.commit();
  }

 private:
  /// The widest before the point and the widest from it on.
  struct PointWidths {
    std::size_t whole = 0, fraction = 0;
  };
  struct SampledRow {
    std::size_t first_cell = 0;
    bool is_total = false;
  };

  /// A column's name, which may be a word of the trace, as it is printed.
  std::string_view harmless(std::string_view name) {
    if (tools::is_plain_ascii(name)) return name;
    tools::append_printable(name, names_.emplace_back());
    return names_.back();
  }

  // The cell's printable text, before cutting; valid until the next call.
  std::string_view printable(const Cell& cell, const Column& column) {
    if (std::holds_alternative<Absent>(cell)) return kAbsentText;
    if (const auto* value = std::get_if<std::string_view>(&cell)) {
      const std::string_view text = text_for_eyes(*value, column, value_);
      if (tools::is_plain_ascii(text)) return text;
      safe_.clear();
      tools::append_printable(text, safe_);
      return safe_;
    }
    value_.clear();
    append_value(cell, column, NumberStyle::kForEyes, value_);
    return value_.empty() ? kAbsentText : std::string_view(value_);
  }

  // The text of a line of its own; absent, there is none.
  std::string_view line_text(const Cell& cell, const Column& column) {
    return std::holds_alternative<Absent>(cell) ? "" : printable(cell, column);
  }
  static bool has_own_line(const Column& column) {
    return column.place == Column::Place::kHeading || column.place == Column::Place::kBelow;
  }

  void sample(std::span<const Cell> cells, bool is_total) {
    sampled_rows_.push_back({sampled_ends_.size(), is_total});
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const Column& column = columns_[i];
      sampled_texts_ +=
          has_own_line(column) ? line_text(cells[i], column) : printable(cells[i], column);
      sampled_ends_.push_back(sampled_texts_.size());
    }
    const std::size_t first = sampled_rows_.back().first_cell;
    for (std::size_t at = 0; at < cells_.size(); ++at) {
      const Column& column = columns_[cells_[at]];
      const std::string_view text = sampled_text(first + cells_[at]);
      const std::size_t width = width_of(text) + (column.place == Column::Place::kLabel ? 1 : 0);
      PointWidths& widths = point_widths_[at];
      if (text != kAbsentText && is_aligned_by_point(column)) {
        widths.fraction = std::max(widths.fraction, fraction_width(text));
        widths.whole = std::max(widths.whole, width - fraction_width(text));
      }
      texts_widths_[at] = std::max({texts_widths_[at], width, widths.whole + widths.fraction});
    }
  }

  [[nodiscard]] std::string_view sampled_text(std::size_t cell) const {
    const std::size_t begin = cell == 0 ? 0 : sampled_ends_[cell - 1];
    return std::string_view(sampled_texts_).substr(begin, sampled_ends_[cell] - begin);
  }

  /// The layout with headers that may take up to `header_width` columns on one line.
  void lay_out(std::size_t header_width) {
    header_lines_.clear();
    std::vector<ColumnNeed> needs;
    for (std::size_t at = 0; at < cells_.size(); ++at) {
      const Column& column = columns_[cells_[at]];
      const bool may_shrink = column.shrink != Column::Shrink::kNever;
      const std::size_t texts = may_shrink ? column.min_width : texts_widths_[at];
      header_lines_.push_back(header_lines(headers_[at], std::max(texts, header_width)));
      const std::size_t width = header_lines_.back().width();
      needs.push_back({.natural = std::max(width, texts_widths_[at]),
                       .least = std::max<std::size_t>(width, column.min_width),
                       .may_shrink = may_shrink,
                       .drop_rank = options_.keep_columns ? std::uint8_t{0} : column.drop_rank});
    }
    layout_ = fit_columns(needs, options_.width);
    is_whole_ = true;
    for (std::size_t at = 0; at < cells_.size(); ++at) {
      is_whole_ = is_whole_ && layout_.shown[at] && layout_.widths[at] >= needs[at].natural;
    }
  }

  void settle() {
    lay_out(std::string::npos);
    if (options_.width && !is_whole_) lay_out(0);
    settled_ = true;
    prepare_cutters();
    if (headings_.empty()) print_header();
    for (const SampledRow& row : sampled_rows_) {
      if (row.is_total) print_rule();
      print_row(row.is_total, [&](std::size_t i) { return sampled_text(row.first_cell + i); });
      output_.commit();
    }
    sampled_rows_ = {};
    sampled_ends_ = {};
    sampled_texts_ = {};
  }

  void prepare_cutters() {
    for (std::size_t at = 0; at < cells_.size(); ++at) {
      const bool is_path = columns_[cells_[at]].shrink == Column::Shrink::kCutFront;
      TextCutter& cutter =
          cutters_.emplace_back(is_path ? KeptPart::kEnd : KeptPart::kStart, layout_.widths[at]);
      for (const SampledRow& row : sampled_rows_) {
        const std::string_view text = sampled_text(row.first_cell + cells_[at]);
        if (is_cut(at, width_of(text))) cutter.add(text);
      }
    }
  }

  /// Whether a text of this width is cut: `at` counts the columns that are no headings.
  [[nodiscard]] bool is_cut(std::size_t at, std::size_t width) const {
    const Column::Shrink shrink = columns_[cells_[at]].shrink;
    const bool may_be = shrink == Column::Shrink::kCutEnd || shrink == Column::Shrink::kCutFront;
    return may_be && is_too_wide(at, width);
  }
  [[nodiscard]] bool wraps(std::size_t at, std::size_t width) const {
    return columns_[cells_[at]].shrink == Column::Shrink::kWrap && is_too_wide(at, width);
  }
  [[nodiscard]] bool is_too_wide(std::size_t at, std::size_t width) const {
    return options_.width && layout_.shown[at] && width > layout_.widths[at];
  }

  void print(std::span<const Cell> cells, bool is_total) {
    print_row(is_total, [&](std::size_t i) {
      const Column& column = columns_[i];
      return has_own_line(column) ? line_text(cells[i], column) : printable(cells[i], column);
    });
  }

  /// `text_of` makes the text of a column, which is valid until its next call.
  template <typename TextOf>
  void print_row(bool is_total, const TextOf& text_of) {
    groups_.next_row();
    if (!is_total && !headings_.empty()) print_headings(text_of);
    start_line(is_total);
    for (std::size_t at = 0; at < cells_.size(); ++at) {
      const std::size_t i = cells_[at];
      const std::string_view text = text_of(i);
      if (wraps(at, width_of(text))) {
        print_wrapped(at, rests_[at].assign(text));
      } else if (columns_[i].place != Column::Place::kLabel || is_total) {
        print_cell(at, text);
      } else {
        const bool is_shown = groups_.is_new(i, text);
        print_cell(at, is_shown ? label_.assign(text).append(":") : std::string_view());
      }
    }
    end_line(is_total);
    print_rests(is_total);
    if (!is_total) print_below(text_of);
  }

  /// A line of the text, which is the rest from then on.
  void print_wrapped(std::size_t at, std::string& rest) {
    std::string_view text = rest;
    const std::string_view line = tools::take_line(text, layout_.widths[at]);
    next_cell();
    const std::size_t begin = output_.buffer().size();
    append_line(line, layout_.widths[at]);
    const std::size_t width = width_of(std::string_view(output_.buffer()).substr(begin));
    repeat(' ', layout_.widths[at] - std::min(width, layout_.widths[at]));
    rest.erase(0, rest.size() - text.size());
  }

  /// What wraps goes on below the row.
  void print_rests(bool is_total) {
    const auto is_left = [](const std::string& rest) { return !rest.empty(); };
    while (std::ranges::any_of(rests_, is_left)) {
      start_line(is_total);
      for (std::size_t at = 0; at < cells_.size(); ++at) {
        if (rests_[at].empty()) {
          print_cell(at, {}, false);
        } else {
          print_wrapped(at, rests_[at]);
        }
      }
      end_line(is_total);
    }
  }

  template <typename TextOf>
  void print_below(const TextOf& text_of) {
    for (const std::size_t i : below_) {
      const std::string_view text = text_of(i);
      if (text.empty()) continue;
      start_line(false);
      append("  ", output_.buffer());
      append(columns_[i].header, output_.buffer());
      append(": ", output_.buffer());
      append(text, output_.buffer());
      end_line(false);
    }
  }

  template <typename TextOf>
  void print_headings(const TextOf& text_of) {
    bool any = false;
    for (const std::size_t i : headings_) {
      const std::string_view text = text_of(i);
      if (!groups_.is_new(i, text)) continue;
      if (!any && has_header_) output_.buffer().push_back('\n');
      any = true;
      if (text.empty()) continue;
      // A sentence is read as a whole; other headings have one line.
      text.ends_with('.') ? print_sentence(text) : print_heading(text);
    }
    if (any) print_header();
  }

  void print_heading(std::string_view text) {
    start_line(false);
    if (options_.width && width_of(text) > *options_.width) {
      append_cut(shorten(text, *options_.width, KeptPart::kStart));
      left_out_.texts = true;
    } else {
      append(text, output_.buffer());
    }
    end_line(false);
  }

  /// In as many lines as it needs; a word that is wider than a line is cut.
  void print_sentence(std::string_view text) {
    const std::size_t width = options_.width.value_or(std::string::npos);
    while (!text.empty()) {
      start_line(false);
      append_line(tools::take_line(text, width), width);
      end_line(false);
    }
  }

  void append_line(std::string_view line, std::size_t width) {
    if (width_of(line) <= width) return append(line, output_.buffer());
    append_cut(shorten(line, width, KeptPart::kStart));
    left_out_.texts = true;
  }

  void print_header() {
    has_header_ = true;
    print_header_line(&HeaderLines::upper);
    print_header_line(&HeaderLines::lower);
    if (headings_.empty()) print_rule();
  }

  void print_header_line(std::string_view HeaderLines::*line) {
    const auto is_used = [this, line](std::size_t at) {
      return layout_.shown[at] && !(header_lines_[at].*line).empty();
    };
    bool any = false;
    for (std::size_t at = 0; at < cells_.size(); ++at) any = any || is_used(at);
    if (!any) return;
    start_line(true);
    for (std::size_t at = 0; at < cells_.size(); ++at) {
      print_cell(at, header_lines_[at].*line, false);
    }
    end_line(true);
  }

  void print_rule() {
    start_line(false);
    for (std::size_t at = 0; at < cells_.size(); ++at) {
      if (!layout_.shown[at]) continue;
      next_cell();
      repeat('-', layout_.widths[at]);
    }
    end_line(false);
  }

  void name_what_is_left_out() {
    for (std::size_t at = 0; at < cells_.size(); ++at) {
      if (!layout_.shown[at]) left_out_.columns.push_back(columns_[cells_[at]].word);
    }
    const std::string line =
        left_out_.to_line(std::max(options_.width.value_or(0), kLeastNoteWidth));
    if (line.empty()) return;
    std::string& out = output_.buffer();
    append(options_.styles.begin(tools::Style::kDim), out);
    append(line, out);
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
    std::string& out = output_.buffer();
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
  void repeat(char c, std::size_t count) { output_.buffer().append(count, c); }

  void append_cut(const Shortened& rest) {
    append(rest.head, output_.buffer());
    append(kCutMark, output_.buffer());
    append(rest.tail, output_.buffer());
  }

  /// `at` counts the columns that are no headings.
  void print_cell(std::size_t at, std::string_view text, bool is_value = true) {
    if (!layout_.shown[at]) return;
    next_cell();
    const Column& column = columns_[cells_[at]];
    const std::size_t column_width = layout_.widths[at];
    std::size_t width = width_of(text);
    if (is_cut(at, width)) {
      text = cutters_[at].cut(text);
      width = width_of(text);
      left_out_.texts = true;
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
    std::size_t behind = column.align == Column::Align::kLeft ? padding : 0;
    if (is_value && text != kAbsentText && is_aligned_by_point(column)) {
      const std::size_t most = point_widths_[at].fraction;
      behind = std::min(padding, most - std::min(most, fraction_width(text)));
    }
    repeat(' ', padding - behind);
    append(text, output_.buffer());
    repeat(' ', behind);
  }

  tools::Output& output_;
  RenderOptions options_;
  std::vector<Column> columns_;
  std::deque<std::string> names_;  // Printable names of columns whose own are not.
  std::vector<std::size_t> headings_, cells_, below_;  // Indices of columns, each in one of these.
  // One entry for each of cells_:
  std::vector<std::string> headers_;
  std::vector<std::size_t> texts_widths_;  // Widths of the sample, one for each of cells_.
  std::vector<PointWidths> point_widths_;
  std::vector<HeaderLines> header_lines_;
  std::vector<TextCutter> cutters_;
  std::vector<std::string> rests_;  // Of wrapped texts, what is left for the lines below.
  TableLayout layout_;
  bool is_whole_ = true;  // No column is dropped, none of the sample is cut.
  LeftOut left_out_;
  RowGroups groups_;
  bool settled_ = false, has_header_ = false;

  std::vector<SampledRow> sampled_rows_;
  std::vector<std::size_t> sampled_ends_;
  std::string sampled_texts_;

  // State of the line that is being printed:
  std::size_t line_begin_ = 0;
  std::size_t overrun_ = 0;
  bool is_first_cell_ = true;

  std::string safe_, label_;
  std::string value_;
};

}  // namespace

std::unique_ptr<Renderer> make_table_renderer(tools::Output& output, const RenderOptions& options) {
  return std::make_unique<TableRenderer>(output, options);
}

}  // namespace prof::reports
