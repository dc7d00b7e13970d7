// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Sequences of words to learn: random, because their content does not matter.
#pragma once

#include <cstdint>
#include <vector>

#include "common/device_buffer.hpp"
#include "gpt/config.hpp"

namespace ref {

/// (batch, tokens) each; a target is the word after its input.
struct HostTokens {
  std::vector<std::int32_t> inputs, targets;
};

/// The stream of rank 0's batch to learn; those of the others follow. Parameters use streams below.
inline constexpr std::uint64_t kTokenStream = 1000;

/// A function of seed and stream: another stream is another batch.
[[nodiscard]] HostTokens make_tokens(const GptConfig& config, std::uint64_t stream);

struct Tokens {
  explicit Tokens(const HostTokens& host) : inputs(host.inputs), targets(host.targets) {}
  DeviceBuffer<std::int32_t> inputs, targets;
};

}  // namespace ref
