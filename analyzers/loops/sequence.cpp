// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/loops/sequence.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace prof::loops {
namespace {

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;  // splitmix64's finalizer
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

double entropy_bits(std::span<const std::uint32_t> values, std::uint32_t numbers) {
  std::vector<std::uint32_t> counts(numbers);
  for (const std::uint32_t value : values) ++counts[value];
  double bits = 0;
  for (const std::uint32_t count : counts) {
    if (count == 0) continue;
    const double share = static_cast<double>(count) / static_cast<double>(values.size());
    bits -= share * std::log2(share);
  }
  return bits;
}

}  // namespace

Sequence::Sequence(std::span<const Launch> launches, std::uint32_t symbols,
                   std::uint32_t Launch::*symbol)
    : launches_(launches),
      symbols_(symbols),
      is_by_name_(symbol == &Launch::name),
      gram_numbers_(std::max(std::bit_ceil(2 * size() + 2), std::bit_ceil(symbols + 1))),
      grams_(kMaxGram) {
  work_before_.reserve(launches_.size() + 1);
  work_before_.push_back(0);
  for (const Launch& launch : launches_) {
    grams_[0].push_back(launch.*symbol);
    work_before_.push_back(work_before_.back() + launch.work);
  }
  bits_ = entropy_bits(grams_[0], symbols);
}

std::span<const std::uint32_t> Sequence::grams(std::uint32_t n) const {
  std::vector<std::uint32_t>& numbers = grams_[n - 1];
  if (!numbers.empty() || launches_.empty()) return numbers;
  numbers.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) {
    std::uint64_t hash = 0;
    const std::size_t end = std::min<std::size_t>(i + n, size());
    for (std::size_t at = i; at < end; ++at) hash = mixed(hash * 31 + symbol(at) + 1);
    numbers.push_back(static_cast<std::uint32_t>(hash & (gram_numbers_ - 1)));
  }
  return numbers;
}

std::uint32_t Sequence::gram_length(std::uint32_t period) const {
  constexpr std::uint32_t kLeastPeriod = 8;  // Fewer launches have no order to speak of.
  constexpr double kChance = 20;
  if (period < kLeastPeriod) return 1;
  const double length = std::ceil(std::log2(kChance * period) / std::max(bits_, 0.1));
  return static_cast<std::uint32_t>(std::clamp(length, 2.0, static_cast<double>(kMaxGram)));
}

double Likeness::operator()(std::span<const std::uint32_t> numbers, const Turn& a, const Turn& b) {
  std::uint64_t shared = 0;
  for (std::uint32_t i = a.begin; i < a.end; ++i) ++counts_[numbers[i]];
  for (std::uint32_t i = b.begin; i < b.end; ++i) {
    std::uint32_t& left = counts_[numbers[i]];
    if (left == 0) continue;
    --left;
    ++shared;
  }
  for (std::uint32_t i = a.begin; i < a.end; ++i) counts_[numbers[i]] = 0;
  return 2.0 * static_cast<double>(shared) / std::max<double>(1.0, a.size() + b.size());
}

}  // namespace prof::loops
