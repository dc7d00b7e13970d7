// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/dialects/hlo_text.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "analyzers/dialects/meaning.hpp"
#include "analyzers/dialects/words.hpp"

namespace prof::dialects {
namespace {

/// A computation with more only occurs in damaged files.
constexpr std::size_t kMaxInstructions = 16'384;

struct HloType {
  std::string_view word;
  DType dtype;
};

// xla/primitive_util.cc. Types without a counterpart are unknown.
constexpr HloType kHloTypes[] = {{"pred", DType::kBool},
                                 {"s8", DType::kInt8},
                                 {"u8", DType::kUint8},
                                 {"s16", DType::kInt16},
                                 {"s32", DType::kInt32},
                                 {"s64", DType::kInt64},
                                 {"f16", DType::kFloat16},
                                 {"bf16", DType::kBFloat16},
                                 {"f32", DType::kFloat32},
                                 {"f64", DType::kFloat64},
                                 {"c64", DType::kComplex64},
                                 {"c128", DType::kComplex128},
                                 {"f8e4m3fn", DType::kFloat8E4M3},
                                 {"f8e5m2", DType::kFloat8E5M2},
                                 {"f8e4m3fnuz", DType::kFloat8E4M3Fnuz},
                                 {"f8e5m2fnuz", DType::kFloat8E5M2Fnuz},
                                 {"f8e8m0fnu", DType::kFloat8E8M0}};

DType hlo_type(std::string_view word) {
  const auto* known = std::ranges::find(kHloTypes, word, &HloType::word);
  return known == std::end(kHloTypes) ? DType::kUnknown : known->dtype;
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// Where the bracket at the text's beginning closes; npos: nowhere. Skips texts in quotes.
std::size_t closing(std::string_view text) {
  int depth = 0;
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_quoted) {
      if (c == '\\') ++i;
      if (c == '"') is_quoted = false;
    } else if (c == '"') {
      is_quoted = true;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if ((c == ')' || c == ']' || c == '}') && --depth == 0) {
      return i;
    }
  }
  return std::string_view::npos;
}

/// Removes and returns what precedes the next comma that is in no brackets.
std::string_view next_item(std::string_view& list) {
  int depth = 0;
  std::size_t end = 0;
  for (; end < list.size(); ++end) {
    const char c = list[end];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == ',' && depth <= 0) break;
  }
  const std::string_view item = list.substr(0, end);
  list.remove_prefix(std::min(end + 1, list.size()));
  return without_blanks(item);
}

/// "/*index=5*/%fusion.46", in older dumps with its shape before it.
std::string_view operand_name(std::string_view item) {
  if (const std::size_t end = item.rfind(' '); end != std::string_view::npos)
    item.remove_prefix(end + 1);
  if (const std::size_t end = item.rfind("*/"); end != std::string_view::npos)
    item.remove_prefix(end + 2);
  if (item.starts_with('%')) item.remove_prefix(1);
  return item;
}

/// "f32[8,4]{1,0}"
std::optional<HloShape> read_hlo_shape(std::string_view text) {
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos) return std::nullopt;
  const std::size_t close = text.find(']', open);
  if (close == std::string_view::npos) return std::nullopt;
  HloShape shape;
  shape.dtype = hlo_type(text.substr(0, open));
  for (std::string_view sizes = text.substr(open + 1, close - open - 1); !sizes.empty();) {
    std::string_view word = next_part(sizes, ',');
    if (word.starts_with("<=")) word.remove_prefix(2);
    const auto size = whole_number(word);
    if (!size || *size < 0 || shape.sizes.size() >= kMaxRank) return std::nullopt;
    shape.sizes.push_back(*size);
  }
  const std::string_view layout = text.substr(close + 1);
  // From the dimension whose elements lie together outwards.
  if (shape.sizes.size() >= 2 && layout.starts_with('{')) {
    std::string_view rest = layout.substr(1);
    const std::size_t end = std::min(rest.find_first_of(":}"), rest.size());
    rest = rest.substr(0, end);
    const auto minor = whole_number(next_part(rest, ','));
    shape.is_column_major = minor && *minor == static_cast<std::int64_t>(shape.sizes.size()) - 2;
  }
  return shape;
}

/// Reads the shapes of one result or a tuple; false: the text is neither.
bool read_results(std::string_view text, std::vector<HloShape>& into) {
  if (!text.starts_with('(')) {
    auto shape = read_hlo_shape(text);
    if (!shape) return false;
    into.push_back(*std::move(shape));
    return true;
  }
  for (std::string_view items = text.substr(1, text.size() - 2); !items.empty();) {
    std::string_view item = next_item(items);
    if (const std::size_t end = item.rfind("*/"); end != std::string_view::npos)
      item.remove_prefix(end + 2);
    // Tuples in tuples hold what work in progress needs.
    if (auto shape = read_hlo_shape(item); shape && !item.starts_with('(')) {
      into.push_back(*std::move(shape));
    }
  }
  return true;
}

const HloInstruction* find_named(const std::vector<HloInstruction>& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &HloInstruction::name);
  return found == all.end() ? nullptr : &*found;
}

std::optional<std::int64_t> checked_product(std::optional<std::int64_t> a, std::int64_t b) {
  std::int64_t made = 0;
  if (!a || __builtin_mul_overflow(*a, b, &made)) return std::nullopt;
  return made;
}

/// The product of the sizes of the dimensions in `those`.
std::optional<std::int64_t> product_in(const Shape& shape, const std::vector<std::size_t>& those) {
  std::optional<std::int64_t> made = 1;
  for (const std::size_t at : those) {
    if (at >= shape.size()) return std::nullopt;
    made = checked_product(made, shape[at]);
  }
  return made;
}

std::optional<std::int64_t> product_outside(const Shape& shape, const std::vector<std::size_t>& one,
                                            const std::vector<std::size_t>& other) {
  std::optional<std::int64_t> made = 1;
  for (std::size_t at = 0; at < shape.size(); ++at) {
    const bool is_listed =
        std::ranges::find(one, at) != one.end() || std::ranges::find(other, at) != other.end();
    if (!is_listed) made = checked_product(made, shape[at]);
  }
  return made;
}

}  // namespace

std::string_view HloInstruction::attribute(std::string_view key) const {
  for (std::size_t at = attributes.find(key); at != std::string_view::npos;
       at = attributes.find(key, at + 1)) {
    constexpr std::string_view kBefore = " ,{";
    const bool begins = at == 0 || kBefore.find(attributes[at - 1]) != std::string_view::npos;
    std::string_view value = attributes.substr(at + key.size());
    if (!begins || !value.starts_with('=')) continue;
    value.remove_prefix(1);
    if (!value.starts_with('"')) return value.substr(0, value.find_first_of(" ,}"));
    value.remove_prefix(1);
    std::size_t end = 0;
    while (end < value.size() && value[end] != '"') end += value[end] == '\\' ? 2U : 1U;
    return value.substr(0, end);
  }
  return {};
}

std::vector<std::size_t> HloInstruction::dimensions(std::string_view key) const {
  std::vector<std::size_t> made;
  const std::size_t at = attributes.find(key);
  if (at == std::string_view::npos) return made;
  std::string_view list = attributes.substr(at + key.size());
  if (!list.starts_with("={")) return made;
  list = list.substr(2, std::min(list.find('}'), list.size()) - 2);
  while (!list.empty() && made.size() < kMaxRank) {
    const auto one = whole_number(next_part(list, ','));
    if (one && *one >= 0) made.push_back(static_cast<std::size_t>(*one));
  }
  return made;
}

std::optional<HloInstruction> read_hlo_instruction(std::string_view line) {
  HloInstruction made;
  line = without_blanks(line);
  if (line.starts_with("ROOT ")) {
    made.is_root = true;
    line.remove_prefix(5);
  }
  const std::size_t equals = line.find(" = ");
  if (equals == std::string_view::npos) return std::nullopt;
  made.name = line.substr(0, equals);
  if (made.name.starts_with('%')) made.name.remove_prefix(1);
  if (made.name.empty() || made.name.find_first_of(" (") != std::string_view::npos) {
    return std::nullopt;
  }
  line = without_blanks(line.substr(equals + 3));
  std::size_t end = line.find(' ');
  if (line.starts_with('(')) {
    end = closing(line);
    if (end != std::string_view::npos) ++end;
  }
  if (end == std::string_view::npos || !read_results(line.substr(0, end), made.results)) {
    return std::nullopt;
  }
  line = without_blanks(line.substr(end));
  const std::size_t open = line.find('(');
  if (open == std::string_view::npos || open == 0) return std::nullopt;
  made.opcode = line.substr(0, open);
  line.remove_prefix(open);
  const std::size_t close = closing(line);
  if (close == std::string_view::npos) return std::nullopt;
  for (std::string_view items = line.substr(1, close - 1); !items.empty();) {
    made.operands.push_back(operand_name(next_item(items)));
  }
  made.attributes = line.substr(close + 1);
  return made;
}

std::vector<HloInstruction> read_hlo(std::string_view text) {
  std::vector<HloInstruction> all;
  while (!text.empty() && all.size() < kMaxInstructions) {
    if (auto made = read_hlo_instruction(next_part(text, '\n'))) all.push_back(*std::move(made));
  }
  return all;
}

std::optional<HloProduct> product_of_dot(const HloInstruction& dot,
                                         const std::vector<HloInstruction>& others) {
  if (dot.opcode != "dot" || dot.operands.size() < 2 || dot.results.size() != 1) return {};
  const HloInstruction* left = find_named(others, dot.operands[0]);
  const HloInstruction* right = find_named(others, dot.operands[1]);
  if (left == nullptr || right == nullptr) return {};
  if (left->results.size() != 1 || right->results.size() != 1) return {};
  HloProduct made{{}, left->results.front(), right->results.front(), dot.results.front()};
  const Shape &a = made.a.sizes, &b = made.b.sizes;
  const auto inner_a = dot.dimensions("lhs_contracting_dims");
  const auto inner_b = dot.dimensions("rhs_contracting_dims");
  const auto batch_a = dot.dimensions("lhs_batch_dims");
  const auto batch_b = dot.dimensions("rhs_batch_dims");
  const auto k = product_in(a, inner_a);
  const auto batch = product_in(a, batch_a);
  auto rows = product_outside(a, inner_a, batch_a);
  auto columns = product_outside(b, inner_b, batch_b);
  if (!k || !batch || !rows || !columns || product_in(b, inner_b) != k) return {};
  // As cuBLAS is called: the dimension whose elements lie together first.
  if (made.result.is_column_major) std::swap(rows, columns);
  made.gemm = {*columns, *rows, *k, *batch};
  return made;
}

}  // namespace prof::dialects
