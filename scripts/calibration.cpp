// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What a host's speed is measured by (stages.sh): a compile that never changes. It is not linked.
#include <algorithm>
#include <functional>
#include <map>
#include <regex>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

template <int kSeed>
std::size_t count_words(const std::string& text) {
  const std::regex word("([a-z]+)[0-9]*(-[a-z]+)?");
  std::map<std::string, std::vector<std::size_t>> places;
  std::unordered_map<std::string, std::function<std::size_t(std::size_t)>> scores;
  for (std::sregex_iterator at(text.begin(), text.end(), word), end; at != end; ++at) {
    places[at->str(1)].push_back(static_cast<std::size_t>(at->position()) % (kSeed + 1));
    scores.try_emplace(at->str(), [](std::size_t count) { return count * kSeed; });
  }
  std::vector<std::pair<std::string, std::size_t>> sorted;
  for (auto& [name, found] : places) {
    std::sort(found.begin(), found.end(), std::greater<>());
    sorted.emplace_back(std::regex_replace(name, word, "$1"), found.size());
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& one, const auto& other) { return one.second < other.second; });
  std::size_t sum = 0;
  for (const auto& [name, count] : sorted) {
    const auto score = scores.find(name);
    sum += score == scores.end() ? count : score->second(count);
  }
  return sum;
}

template <int... kSeeds>
std::size_t sum_of(const std::string& text, std::integer_sequence<int, kSeeds...> /*seeds*/) {
  return (count_words<kSeeds>(text) + ...);
}

}  // namespace

std::size_t calibrate(const std::string& text) {
  return sum_of(text, std::make_integer_sequence<int, 8>());
}
