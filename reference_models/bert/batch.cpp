// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See batch.hpp.
#include "bert/batch.hpp"

#include "common/random.hpp"

namespace ref {
namespace {

// Streams of random numbers; the parameters use those below 10000.
constexpr std::uint64_t kTokenStream = 10000;
constexpr std::uint64_t kLengthStream = 10001;
constexpr std::uint64_t kMaskedStream = 10002;
constexpr std::uint64_t kFollowsStream = 10003;

constexpr std::int32_t kPaddingToken = 0;
constexpr std::int32_t kClassToken = 1;  // begins every sequence
constexpr std::int32_t kMaskToken = 2;   // stands for a word that is to be guessed
constexpr std::int32_t kFirstWord = 3;

}  // namespace

HostBertBatch make_bert_batch(const BertConfig& c) {
  HostBertBatch batch;
  for (int sample = 0; sample < c.batch; ++sample) {
    const auto s = static_cast<std::uint64_t>(sample);
    const auto spread = static_cast<std::int64_t>(c.length / 4) + 1;
    const int used = c.length - static_cast<int>(random_index(c.seed, kLengthStream, s, spread));
    for (int position = 0; position < c.length; ++position) {
      const std::uint64_t i = batch.tokens.size();
      const auto word = static_cast<std::int32_t>(
          kFirstWord + random_index(c.seed, kTokenStream, i, c.vocabulary - kFirstWord));
      const bool is_word = position > 0 && position < used;
      // 15 in 100, and always the first word, so that every sequence has a masked word.
      const bool is_masked =
          is_word && (position == 1 || random_index(c.seed, kMaskedStream, i, 100) < 15);
      const std::int32_t special = position == 0 ? kClassToken : kPaddingToken;
      batch.tokens.push_back(is_masked ? kMaskToken : is_word ? word : special);
      batch.words.push_back(is_masked ? word : -1);
      batch.mask.push_back(position < used ? 1 : 0);
      batch.segments.push_back(position < used / 2 ? 0 : 1);
    }
    batch.follows.push_back(static_cast<std::int32_t>(random_index(c.seed, kFollowsStream, s, 2)));
  }
  return batch;
}

}  // namespace ref
