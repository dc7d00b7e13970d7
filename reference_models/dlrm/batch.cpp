// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See batch.hpp.
#include "dlrm/batch.hpp"

#include "common/cpu_tensor.hpp"
#include "common/random.hpp"

namespace ref {
namespace {

// Streams of random numbers; the parameters use those below 10000.
constexpr std::uint64_t kNumericStream = 10000;
constexpr std::uint64_t kCategoricalStream = 20000;

}  // namespace

HostBatch make_batch(const DlrmConfig& c) {
  HostBatch batch;
  const auto samples = static_cast<std::size_t>(c.batch);
  const auto numeric = static_cast<std::size_t>(c.numeric);
  // Values that fp16 holds exactly, so that the first cast loses nothing.
  for (std::size_t i = 0; i < samples * numeric; ++i) {
    batch.numeric.push_back(static_cast<float>(
        cpu::round_to_half(static_cast<double>(random_symmetric(c.seed, kNumericStream, i)))));
  }
  for (int table = 0; table < c.embeddings; ++table) {
    const std::uint64_t stream = kCategoricalStream + static_cast<std::uint64_t>(table);
    for (std::size_t i = 0; i < samples; ++i) {
      batch.categorical.push_back(random_index(c.seed, stream, i, c.rows(table)));
    }
  }
  // The label follows the first numeric features, and a little the first categorical one.
  for (std::size_t i = 0; i < samples; ++i) {
    const float* x = &batch.numeric[i * numeric];
    const float taste = batch.categorical[i] % 2 == 0 ? 0.25f : -0.25f;
    const float sum = x[0] + (numeric > 1 ? x[1] : 0.0f) - (numeric > 2 ? x[2] : 0.0f);
    batch.target.push_back(sum + taste > 0 ? 1.0f : 0.0f);
  }
  return batch;
}

}  // namespace ref
