// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ops/triton_kernels.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>

#include "analyzers/ops/aten_signatures.hpp"
#include "analyzers/ops/registry.hpp"
#include "libprof/base/ascii.hpp"

namespace prof::ops {
namespace {

/// Longer names only occur in damaged files.
constexpr std::size_t kMaxNameBytes = 4096;
/// Longer than any op's name.
constexpr std::size_t kMaxOpBytes = 96;

/// Torch's higher-order operators, which are no ATen ops.
constexpr std::string_view kHigherOrder[] = {"flex_attention"};

/// The product that a template computes; other ops in its name process operands and result on the
/// way.
constexpr std::string_view kProducts[] = {
    "mm",          "addmm",          "bmm",
    "baddbmm",     "_int_mm",        "_scaled_mm",
    "_grouped_mm", "convolution",    "_scaled_grouped_mm",
    "mixed_mm",    "flex_attention", "flex_attention_backward"};

template <typename Words>
bool has_word(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != std::end(words);
}

bool is_number(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, is_digit);
}

/// The part after the last underscore.
std::string_view last_word(std::string_view name) { return name.substr(name.rfind('_') + 1); }

bool take_start(std::string_view& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
}

/// "triton_poi_fused_mul_silu_2": torch/_inductor/codegen/triton.py. The kind is the beginning of
/// "pointwise", "reduction", "persistent_reduction", "template", "foreach", ...
struct GeneratedName {
  std::string_view kind;  ///< "poi"
  std::string_view ops;   ///< "mul_silu"
};

std::optional<GeneratedName> read(std::string_view kernel) {
  constexpr std::size_t kKindSize = 3;
  std::string_view rest = without_specialization(kernel);
  if (rest.size() > kMaxNameBytes || !take_start(rest, "triton_")) return std::nullopt;
  GeneratedName made;
  if (!rest.starts_with("fused_")) {
    made.kind = rest.substr(0, kKindSize);
    const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
    if (!std::ranges::all_of(made.kind, is_letter)) return std::nullopt;
    rest.remove_prefix(made.kind.size());
    if (!take_start(rest, "_")) return std::nullopt;
  }
  const std::string_view number = last_word(rest);
  if (!is_number(number) || !take_start(rest, "fused_")) return std::nullopt;
  if (rest.size() > number.size()) made.ops = rest.substr(0, rest.size() - number.size() - 1);
  return made;
}

bool is_known_op(std::string_view word) {
  return !aten_arguments(word).empty() || has_word(kHigherOrder, word);
}

/// Splits a list of ops joined by underscores, which the ops contain themselves: as many words as
/// make an op are one.
class OpList {
 public:
  explicit OpList(std::string_view text) : text_(text) {}

  std::vector<std::string_view> split() {
    std::vector<std::string_view> ops;
    for (std::size_t at = 0; at < text_.size();) {
      std::size_t end = known_at(at);
      if (end == at) end = unknown_at(at);
      const std::string_view word = text_.substr(at, end - at);
      // Nodes are numbered where a program lets Inductor name kernels after them: "mul_1".
      const bool is_number_of_node = is_number(word) && !ops.empty();
      if (!word.empty() && !is_number_of_node && !has_word(ops, word)) ops.push_back(word);
      at = end + 1;
    }
    return ops;
  }

 private:
  [[nodiscard]] bool is_end(std::size_t at) const { return at >= text_.size() || text_[at] == '_'; }

  /// Where the longest known op that begins there ends; `at`: none does.
  [[nodiscard]] std::size_t known_at(std::size_t at) const {
    for (std::size_t end = std::min(text_.size(), at + kMaxOpBytes); end > at; --end) {
      if (!is_end(end) || !is_known(text_.substr(at, end - at))) continue;
      // "_to_copy__unsafe_view" has no "_to_copy_": the underscore is that of the next op.
      const bool is_in_place = text_[end - 1] == '_';
      if (is_in_place && end < text_.size() && known_at(end) != end) continue;
      return end;
    }
    return at;
  }

  /// Where a word of unknown ops ends: before the next known one.
  [[nodiscard]] std::size_t unknown_at(std::size_t at) const {
    for (std::size_t end = at + 1; end < text_.size(); ++end) {
      if (is_end(end) && known_at(end + 1) != end + 1) return end;
    }
    return text_.size();
  }

  static bool is_known(std::string_view word) {
    constexpr std::string_view kBackwardEnd = "_backward";
    if (is_known_op(word)) return true;
    if (!word.ends_with(kBackwardEnd)) return false;
    return is_known_op(word.substr(0, word.size() - kBackwardEnd.size()));
  }

  std::string_view text_;
};

/// The one product among the ops; empty: there is none, or there are several.
std::string_view product_of(const std::vector<std::string_view>& ops) {
  const auto is_product = [](std::string_view op) { return has_word(kProducts, op); };
  if (std::ranges::count_if(ops, is_product) != 1) return {};
  return *std::ranges::find_if(ops, is_product);
}

}  // namespace

std::vector<std::string_view> fused_ops(std::string_view kernel) {
  const auto name = read(kernel);
  return name ? OpList(name->ops).split() : std::vector<std::string_view>{};
}

std::string fused_word(std::string_view kernel) {
  const std::vector<std::string_view> ops = fused_ops(kernel);
  if (ops.empty()) return {};
  if (read(kernel)->kind == "tem") {
    if (const std::string_view product = product_of(ops); !product.empty()) {
      return std::string(display_word(product));
    }
  }
  std::string word = "fused: ";
  for (const std::string_view op : ops) {
    if (op != ops.front()) word += '+';
    word += op;
  }
  return word;
}

bool is_fused_backward(std::string_view kernel) {
  const std::vector<std::string_view> ops = fused_ops(kernel);
  const auto computes = [&](std::string_view forward) {
    return std::ranges::any_of(ops, [forward](std::string_view op) {
      return forward_word(op).empty() && display_word(op) == display_word(forward);
    });
  };
  return std::ranges::any_of(ops, [&](std::string_view op) {
    const std::string_view forward = forward_word(op);
    return !forward.empty() && !computes(forward);
  });
}

bool is_triton_kernel(std::string_view op) {
  return op.starts_with(kTritonNamespace) || read(op).has_value();
}

std::string_view without_specialization(std::string_view suffixed) {
  const std::string_view suffix = last_word(suffixed);
  // Each argument by its number, then d, c or e for what is known of it.
  const auto is_part = [](char c) { return is_digit(c) || c == 'd' || c == 'c' || c == 'e'; };
  if (!suffix.starts_with("0d1") || !std::ranges::all_of(suffix, is_part)) return suffixed;
  return suffixed.size() > suffix.size() + 1
             ? suffixed.substr(0, suffixed.size() - suffix.size() - 1)
             : suffixed;
}

}  // namespace prof::ops
