// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/compiled/kernel_code.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace prof::compiled {
namespace {

constexpr std::string_view kValue = "tmp";
constexpr std::array<std::string_view, 2> kUniform = {"tl.full(", "tl.broadcast_to("};
constexpr std::array<std::string_view, 4> kFunctions = {"libdevice.", "tl_math.", "tl.math.",
                                                        "tl.sqrt"};
constexpr std::array<std::string_view, 4> kOperators = {" + ", " - ", " * ", " / "};

bool starts_with_one(std::string_view text, const auto& words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.starts_with(word); });
}

/// "tmp0 + tmp1", "(tmp0 / tmp1)", "-tmp0", "libdevice.rsqrt(tmp0)"
bool is_operation(std::string_view text) {
  if (starts_with_one(text, kFunctions)) return true;
  if (text.starts_with('(')) text.remove_prefix(1);
  if (text.starts_with('-')) return true;
  return text.starts_with(kValue) && std::ranges::any_of(kOperators, [&](std::string_view word) {
           return text.find(word) != text.npos;
         });
}

/// Whether all values in the text are `known`, of which there is one.
bool has_only(std::string_view text, const std::set<std::string_view>& known) {
  bool has_one = false;
  for (std::size_t at = text.find(kValue); at != text.npos; at = text.find(kValue, at)) {
    const std::size_t end =
        std::min(text.find_first_not_of("0123456789", at + kValue.size()), text.size());
    if (!known.contains(text.substr(at, end - at))) return false;
    has_one = true;
    at = end;
  }
  return has_one;
}

}  // namespace

void KernelArithmetic::read(std::string_view line) {
  constexpr std::string_view kElements = "xnumel = ";
  if (line.starts_with("if pid") || line.starts_with("elif pid") || line.starts_with("else:")) {
    return end_branch();
  }
  if (line.starts_with(kElements)) {
    double number = 0;
    const char* const end = line.data() + line.size();
    const auto [at, error] = std::from_chars(line.data() + kElements.size(), end, number);
    if (error == std::errc() && at == end) elements_ = number;
    return;
  }
  const std::size_t equals = line.find(" = ");
  if (!line.starts_with(kValue) || equals == line.npos) return;
  const std::string_view name = line.substr(0, equals);
  const std::string_view text = line.substr(equals + 3);
  const double operations = is_operation(text) ? 1 : 0;
  if (starts_with_one(text, kUniform) || has_only(text, uniform_)) {
    uniform_.insert(name);
    flops_ += operations;
  } else {
    operations_ += operations;
  }
}

void KernelArithmetic::end_branch() {
  if (operations_ > 0 && !elements_) is_known_ = false;
  flops_ += operations_ * elements_.value_or(0);
  operations_ = 0;
  elements_.reset();
  uniform_.clear();
}

std::optional<double> KernelArithmetic::flops() const {
  KernelArithmetic ended = *this;
  ended.end_branch();
  return ended.is_known_ && ended.flops_ > 0 ? std::optional(ended.flops_) : std::nullopt;
}

}  // namespace prof::compiled
