// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/columns/column_encoder.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <variant>

#include "tools/report/columns/deflated_text.hpp"
#include "tools/report/table/value_text.hpp"

namespace prof::reports {
namespace {

using Kind = ColumnValue::Kind;

ColumnValue integer_value(std::int64_t value, Kind kind = Kind::kInteger) {
  ColumnValue made;
  made.integer = value;
  made.kind = kind;
  made.flag = ValueFlag::kNone;
  return made;
}

ColumnValue text_value(std::uint32_t id, Kind kind) {
  ColumnValue made;
  made.text = id;
  made.kind = kind;
  made.flag = ValueFlag::kNone;
  return made;
}

/// JSON has no others than finite numbers.
ColumnValue real_value(double value, ValueFlag flag = ValueFlag::kNone) {
  if (!std::isfinite(value)) return {};
  ColumnValue made;
  made.real = value;
  made.kind = Kind::kReal;
  made.flag = flag;
  return made;
}

ColumnValue decimal_value(Decimal value) {
  if (is_exact(value.scaled)) {
    ColumnValue made = integer_value(value.scaled, Kind::kDecimal);
    made.decimals = value.decimals;
    return made;
  }
  std::string text;
  append_decimal(value, text);
  double real = 0;
  std::from_chars(text.data(), text.data() + text.size(), real);
  return real_value(real);
}

double as_real(const ColumnValue& value) {
  switch (value.kind) {
    case Kind::kInteger:
      return static_cast<double>(value.integer);
    case Kind::kDecimal:
      return static_cast<double>(value.integer) / static_cast<double>(divisor_of(value));
    default:
      return value.real;
  }
}

Cell as_cell(const ColumnValue& value) {
  switch (value.kind) {
    case Kind::kInteger:
      return signed_number(value.integer);
    case Kind::kDecimal:
      return Cell{Decimal{value.integer, value.decimals}};
    case Kind::kReal:
      return real(value.real);
    case Kind::kBool:
      return Cell{value.integer != 0};
    default:
      return absent();
  }
}

}  // namespace

/// A text's and a list's bytes are kept in the encoder.
struct ColumnEncoder::MakeValue {
  ColumnEncoder& of;

  ColumnValue operator()(Absent) const { return {}; }
  ColumnValue operator()(bool value) const { return integer_value(value ? 1 : 0, Kind::kBool); }
  ColumnValue operator()(std::int64_t value) const { return integer_value(value); }
  ColumnValue operator()(std::uint64_t value) const {
    if (value <= std::numeric_limits<std::int64_t>::max()) {
      return integer_value(static_cast<std::int64_t>(value));
    }
    return json(number(value));
  }
  ColumnValue operator()(Decimal value) const { return decimal_value(value); }
  ColumnValue operator()(double value) const { return real_value(value); }
  ColumnValue operator()(AtLeast sum) const { return real_value(sum.value, ValueFlag::kAtLeast); }
  ColumnValue operator()(Estimate one) const { return real_value(one.value, ValueFlag::kEstimate); }
  ColumnValue operator()(std::string_view value) const {
    return text_value(of.id_of(value), Kind::kText);
  }
  ColumnValue operator()(Dim3 size) const { return json(Cell{size}); }
  ColumnValue operator()(Shapes shapes) const { return json(Cell{shapes}); }
  ColumnValue operator()(Words words) const { return json(Cell{words}); }

  [[nodiscard]] ColumnValue json(const Cell& cell) const {
    of.scratch_.clear();
    append_json(cell, of.scratch_);
    return text_value(of.id_of(of.scratch_), Kind::kJson);
  }
};

ColumnEncoder::ColumnEncoder(Column::Type declared) : declared_(declared) {}

void ColumnEncoder::add(const Cell& cell) {
  values_.push_back(std::visit(MakeValue{*this}, cell));
  if (values_.size() == kChunkRows) end_chunk();
}

void ColumnEncoder::finish() {
  if (!values_.empty()) end_chunk();
  values_ = {};
}

void ColumnEncoder::end_chunk() {
  const Kind kind = unite();
  note_type(kind);
  if (!chunks_.empty()) chunks_.push_back(',');
  chunks_ += chunk_object(values_, kind);
  values_.clear();
}

ColumnEncoder::Kind ColumnEncoder::unite() {
  const auto is_value = [](const ColumnValue& value) { return value.kind != Kind::kNull; };
  const auto first = std::ranges::find_if(values_, is_value);
  if (first == values_.end()) return Kind::kNull;
  const ColumnValue like = *first;
  const bool are_alike = std::ranges::all_of(values_, [&](const ColumnValue& value) {
    return !is_value(value) || (value.kind == like.kind && value.decimals == like.decimals);
  });
  if (are_alike) return like.kind;
  if (can_be_reals()) {
    make_reals();
    return Kind::kReal;
  }
  make_json();
  return Kind::kJson;
}

bool ColumnEncoder::can_be_reals() const {
  return std::ranges::all_of(values_, [](const ColumnValue& value) {
    switch (value.kind) {
      case Kind::kNull:
      case Kind::kDecimal:
      case Kind::kReal:
        return true;
      case Kind::kInteger:
        return is_exact(value.integer);
      default:
        return false;
    }
  });
}

void ColumnEncoder::make_reals() {
  for (ColumnValue& value : values_) {
    if (value.kind != Kind::kNull) value = real_value(as_real(value), value.flag);
  }
}

void ColumnEncoder::make_json() {
  for (ColumnValue& value : values_) {
    if (value.kind == Kind::kNull || value.kind == Kind::kJson) continue;
    const Cell cell = value.kind == Kind::kText
                          ? Cell{std::in_place_type<std::string_view>, texts_[value.text - 1]}
                          : as_cell(value);
    value = MakeValue{*this}.json(cell);
  }
}

void ColumnEncoder::note_type(Kind kind) {
  if (kind == Kind::kDecimal) kind = Kind::kReal;
  if (kind == Kind::kNull || kind == type_) return;
  const auto is_number = [](Kind one) { return one == Kind::kInteger || one == Kind::kReal; };
  if (type_ == Kind::kNull) {
    type_ = kind;
  } else {
    type_ = is_number(type_) && is_number(kind) ? Kind::kReal : Kind::kJson;
  }
}

std::string_view ColumnEncoder::type_word() const {
  switch (type_) {
    case Kind::kInteger:
      // Whole numbers, by chance.
      return declared_ == Column::Type::kReal ? "real" : "integer";
    case Kind::kDecimal:
    case Kind::kReal:
      return "real";
    case Kind::kBool:
      return "bool";
    case Kind::kText:
      return "text";
    case Kind::kJson:
      return "json";
    case Kind::kNull:
      break;
  }
  switch (declared_) {
    case Column::Type::kInteger:
      return "integer";
    case Column::Type::kReal:
      return "real";
    case Column::Type::kText:
      break;
  }
  return "text";
}

std::string ColumnEncoder::texts() const {
  if (texts_.empty()) return {};
  std::string list = "[";
  for (const std::string& one : texts_) {
    if (list.size() > 1) list.push_back(',');
    append_json(Cell{std::in_place_type<std::string_view>, one}, list);
  }
  return deflated_text(list + "]");
}

std::uint32_t ColumnEncoder::id_of(std::string_view text) {
  const auto known = ids_.find(text);
  if (known != ids_.end()) return known->second;
  const auto id = static_cast<std::uint32_t>(texts_.size() + 1);
  ids_.emplace(texts_.emplace_back(text), id);
  return id;
}

}  // namespace prof::reports
