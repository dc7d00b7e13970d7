// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See batch.hpp.
#include "gpt/batch.hpp"

#include "common/random.hpp"

namespace ref {

HostTokens make_tokens(const GptConfig& config, std::uint64_t stream) {
  const auto word = [&](std::uint64_t i) {
    return static_cast<std::int32_t>(random_index(config.seed, stream, i, config.vocab));
  };
  HostTokens tokens;
  const std::uint64_t length = static_cast<std::uint64_t>(config.length) + 1;
  for (std::uint64_t sequence = 0; sequence < static_cast<std::uint64_t>(config.batch);
       ++sequence) {
    for (std::uint64_t t = 0; t + 1 < length; ++t) {
      tokens.inputs.push_back(word(sequence * length + t));
      tokens.targets.push_back(word(sequence * length + t + 1));
    }
  }
  return tokens;
}

}  // namespace ref
