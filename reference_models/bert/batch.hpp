// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// One batch for pre-training: pairs of sentences of random words, some of them masked, with the
// original words and whether the second sentence follows the first.
#pragma once

#include <cstdint>
#include <vector>

#include "bert/config.hpp"
#include "common/device_buffer.hpp"

namespace ref {

/// A batch in host memory; (batch, length) unless said otherwise.
struct HostBertBatch {
  std::vector<std::int32_t> tokens;    // below the vocabulary
  std::vector<std::int32_t> segments;  // 0 or 1
  std::vector<std::int64_t> mask;      // 1, or 0 for padding at a sequence's end
  std::vector<std::int32_t> words;     // what a masked token was; -1 where nothing is asked
  std::vector<std::int32_t> follows;   // (batch), 0 or 1
};

/// A function of the config's sizes and seed alone.
[[nodiscard]] HostBertBatch make_bert_batch(const BertConfig& config);

/// The same in device memory.
struct BertBatch {
  explicit BertBatch(const HostBertBatch& host)
      : tokens(host.tokens),
        segments(host.segments),
        mask(host.mask),
        words(host.words),
        follows(host.follows) {}

  DeviceBuffer<std::int32_t> tokens, segments;
  DeviceBuffer<std::int64_t> mask;
  DeviceBuffer<std::int32_t> words, follows;
};

}  // namespace ref
