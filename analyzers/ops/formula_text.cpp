// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ops/formula_text.hpp"

#include <algorithm>
#include <map>

#include "analyzers/ops/aten_signatures.hpp"
#include "analyzers/ops/op_math.hpp"
#include "analyzers/ops/registry.hpp"
#include "libprof/base/ascii.hpp"
#include "libprof/base/count_text.hpp"
#include "libprof/base/word_list.hpp"

namespace prof::ops {
namespace {

using Sizes = std::map<std::string_view, double>;

std::string whole(double value) { return grouped(static_cast<std::uint64_t>(value)); }

/// Reads "2·M·N·K + 9E" from the front of a formula, which goes on in words.
class FormulaFront {
 public:
  FormulaFront(std::string_view formula, const Sizes& sizes) : rest_(formula), sizes_(sizes) {
    while (add_term()) {
    }
  }

  double value = 0;
  std::string symbols, numbers;  ///< Empty: nothing could be read.

 private:
  bool add_term() {
    std::string_view rest = rest_;
    std::string term_symbols, term_numbers;
    double term = 1;
    if (!symbols.empty() && !take(rest, " + ")) return false;
    for (bool is_first = true, may_follow = false;; is_first = false) {
      const bool has_sign = !is_first && take(rest, "·");
      if (!is_first && !has_sign && !(may_follow && !rest.empty() && is_letter(rest[0]))) break;
      const auto end = std::ranges::find_if_not(rest, [&](char c) {
        return !rest.empty() && is_digit(rest[0]) ? is_digit(c) : is_letter(c);
      });
      const std::string_view word(rest.begin(), end);
      rest.remove_prefix(word.size());
      const auto size = sizes_.find(word);
      may_follow = !word.empty() && is_digit(word[0]) && word.size() < 9;
      if (!may_follow && size == sizes_.end()) return false;
      const double factor = may_follow ? std::stod(std::string(word)) : size->second;
      term *= factor;
      term_symbols.append(has_sign ? "·" : "").append(word);
      term_numbers.append(is_first ? "" : "·").append(whole(factor));
    }
    // The term continues with text that changes its meaning: "E(x)", "n²".
    if (!rest.empty() && std::string_view(" ;,:").find(rest[0]) == std::string_view::npos) {
      return false;
    }
    value += term;
    symbols.append(symbols.empty() ? "" : " + ").append(term_symbols);
    numbers.append(numbers.empty() ? "" : " + ").append(term_numbers);
    rest_ = rest;
    return true;
  }
  static bool take(std::string_view& text, std::string_view start) {
    if (!text.starts_with(start)) return false;
    text.remove_prefix(start.size());
    return true;
  }

  std::string_view rest_;
  const Sizes& sizes_;
};

std::string equation(const FormulaFront& front) {
  const std::string value = whole(front.value);
  if (front.symbols == value) return {};  // of an op without arithmetic
  return front.symbols + " = " + front.numbers + (front.numbers == value ? "" : " = " + value);
}

}  // namespace

const OpFormula* formula_of(const OpModel& model, const OpDesc& op) {
  for (const std::string_view word :
       {canonical_word(op.op), forward_word(op.op), display_word(op.op)}) {
    for (const OpFormula& formula : model.formulas) {
      if (!word.empty() && has_word(formula.words, word)) return &formula;
    }
  }
  return nullptr;
}

std::string formula_with_numbers(std::string_view formula, const OpModel& model, const OpDesc& op,
                                 const std::optional<GemmShape>& gemm, double flops) {
  Sizes sizes;
  if (gemm) {
    sizes = {{"M", static_cast<double>(gemm->m)}, {"N", static_cast<double>(gemm->n)}};
    if (gemm->k) sizes["K"] = static_cast<double>(*gemm->k);
    sizes["batch"] = static_cast<double>(gemm->batch);
    const FormulaFront front(formula, sizes);
    if (!front.symbols.empty() && front.value <= flops) {
      const double rest = flops - front.value;
      return equation(front) + (rest > 0 ? ", and " + whole(rest) + " by its other terms" : "");
    }
  }
  OpDesc complete = op;
  if (model.complete != nullptr && output(op, std::size_t{0}) == nullptr) model.complete(complete);
  const Tensor* const first = input(op, std::size_t{0});
  // docs/ops.md says in words which of them it is.
  for (const double size : {output_elements(complete), work_elements(complete),
                            first != nullptr ? elements(first->shape) : 0.0}) {
    sizes["E"] = size;
    const FormulaFront front(formula, sizes);
    if (!front.symbols.empty() && front.value == flops) return equation(front);
  }
  return {};
}

}  // namespace prof::ops
