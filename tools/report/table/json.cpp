// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// JSON: an array with one object per row, each on its own line, and JSON Lines: the objects alone.
// Keys are column words. Absent values are null, and `absent` says why, as far as that is known; of
// no rows an object with `absent` alone does, so that no answer is not read as the answer "none".
// `estimated` and `at_least` name the columns whose values are that.
// Invalid UTF-8 becomes U+FFFD. Totals are omitted: JSON readers can add.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "tools/common/unicode.hpp"
#include "tools/report/table/renderer.hpp"
#include "tools/report/table/value_text.hpp"

namespace prof::reports {
namespace {

void append_escape(unsigned char c, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
      append("\\\"", out);
      return;
    case '\\':
      append("\\\\", out);
      return;
    case '\n':
      append("\\n", out);
      return;
    case '\r':
      append("\\r", out);
      return;
    case '\t':
      append("\\t", out);
      return;
    default:
      break;
  }
  const std::array<char, 6> text = {'\\', 'u', '0', '0', kHex[c >> 4], kHex[c & 15]};
  out.append(text.data(), text.data() + text.size());
}

void append_string(std::string_view text, std::string& out) {
  const auto plain = [](char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; };
  out.push_back('"');
  while (!text.empty()) {
    const auto stop = std::find_if_not(text.begin(), text.end(), plain);
    const auto run = static_cast<std::size_t>(stop - text.begin());
    append(text.substr(0, run), out);
    text.remove_prefix(run);
    if (text.empty()) break;
    const tools::Utf8Step step = tools::utf8_step(text);
    if (!step.valid) {
      append("\uFFFD", out);
    } else if (step.length == 1) {
      append_escape(static_cast<unsigned char>(text[0]), out);
    } else {
      append(text.substr(0, step.length), out);
    }
    text.remove_prefix(step.length);
  }
  out.push_back('"');
}

struct JsonAppender {
  std::string& out;

  void operator()(Absent) const { append("null", out); }
  void operator()(bool value) const { append(value ? "true" : "false", out); }
  void operator()(std::int64_t value) const { append_integer(value, out); }
  void operator()(std::uint64_t value) const { append_integer(value, out); }
  void operator()(Decimal value) const { append_decimal(value, out); }
  void operator()(double value) const {
    if (std::isfinite(value)) {
      append_real(value, out);
    } else {
      append("null", out);
    }
  }
  void operator()(AtLeast sum) const { (*this)(sum.value); }
  void operator()(Estimate of) const { (*this)(of.value); }
  void operator()(std::string_view value) const { append_string(value, out); }
  void operator()(Dim3 size) const {
    out.push_back('[');
    append_integer(size.x, out);
    out.push_back(',');
    append_integer(size.y, out);
    out.push_back(',');
    append_integer(size.z, out);
    out.push_back(']');
  }
  void operator()(Shapes shapes) const {
    out.push_back('[');
    for (std::size_t i = 0; i < shapes.tensors.size(); ++i) {
      if (i > 0) out.push_back(',');
      out.push_back('[');
      const Shape& shape = shapes.tensors[i].shape;
      for (std::size_t d = 0; d < shape.size(); ++d) {
        if (d > 0) out.push_back(',');
        append_integer(shape[d], out);
      }
      out.push_back(']');
    }
    out.push_back(']');
  }
  void operator()(Words words) const {
    out.push_back('{');
    for (std::size_t i = 0; i < words.pairs.size(); ++i) {
      if (i > 0) out.push_back(',');
      append_string(words.pairs[i].key, out);
      out.push_back(':');
      append_string(words.pairs[i].word, out);
    }
    out.push_back('}');
  }
};

/// The texts around the objects.
struct Frame {
  std::string_view begin, before_first, between, after_last, if_none;
};
constexpr Frame kArray = {"[", "\n", ",\n", "\n]\n", "]\n"};
constexpr Frame kLines = {"", "", "\n", "\n", ""};

class JsonRenderer : public Renderer {
 public:
  JsonRenderer(tools::Output& output, const Frame& frame) : output_(output), frame_(frame) {}

  void begin(std::span<const Column> columns) override {
    for (const Column& column : columns) {
      std::string key;
      append_string(column.word, key);
      key.push_back(':');
      // An SQL statement may name a column so, too.
      if (column.word == kAbsent) says_why_ = false;
      keys_.push_back(std::move(key));
    }
    output_.write(frame_.begin);
  }

  bool row(std::span<const Cell> cells) override {
    std::string& out = output_.buffer();
    append(any_ ? frame_.between : frame_.before_first, out);
    any_ = true;
    for (std::string* member : {&reasons_, &estimated_, &at_least_}) member->clear();
    out.push_back('{');
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) out.push_back(',');
      append(keys_[i], out);
      append_json(cells[i], out);
      if (const auto* none = std::get_if<Absent>(&cells[i])) add_reason(i, none->why);
      if (std::holds_alternative<Estimate>(cells[i])) add_word(i, estimated_);
      if (std::holds_alternative<AtLeast>(cells[i])) add_word(i, at_least_);
    }
    if (!reasons_.empty()) out.append(",\"absent\":{").append(reasons_).append("}");
    if (!estimated_.empty()) out.append(",\"estimated\":[").append(estimated_).append("]");
    if (!at_least_.empty()) out.append(",\"at_least\":[").append(at_least_).append("]");
    out.push_back('}');
    return output_.commit();
  }

  void total(std::span<const Cell>) override {}
  void no_rows(std::string_view why) override {
    std::string& out = output_.buffer();
    append(frame_.before_first, out);
    any_ = true;
    append("{\"absent\":{\"rows\":", out);
    append_string(why, out);
    append("}}", out);
    output_.commit();
  }
  void end(bool complete) override {
    if (complete) output_.write(any_ ? frame_.after_last : frame_.if_none);
  }

 private:
  static constexpr std::string_view kAbsent = "absent";

  void add_reason(std::size_t column, Why why) {
    const std::string_view reason = text_of(why);
    if (reason.empty() || !says_why_) return;
    if (!reasons_.empty()) reasons_.push_back(',');
    append(keys_[column], reasons_);
    append_string(reason, reasons_);
  }

  /// Quoted.
  void add_word(std::size_t column, std::string& words) const {
    if (!words.empty()) words.push_back(',');
    const std::string& key = keys_[column];
    words.append(key, 0, key.size() - 1);
  }

  tools::Output& output_;
  const Frame& frame_;
  std::vector<std::string> keys_;               // Quoted, with the colon.
  std::string reasons_, estimated_, at_least_;  // Texts of the current row.
  bool says_why_ = true;
  bool any_ = false;
};

}  // namespace

void append_json(const Cell& cell, std::string& out) { std::visit(JsonAppender{out}, cell); }

std::unique_ptr<Renderer> make_json_renderer(tools::Output& output, const RenderOptions&) {
  return std::make_unique<JsonRenderer>(output, kArray);
}

std::unique_ptr<Renderer> make_json_lines_renderer(tools::Output& output, const RenderOptions&) {
  return std::make_unique<JsonRenderer>(output, kLines);
}

}  // namespace prof::reports
