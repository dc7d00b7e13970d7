// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Batches of calls: some libraries collect calls and launch them with a later one (NCCL's
// ncclGroupStart .. ncclGroupEnd). Work under the launching range is that of the calls between,
// which are its older siblings and launch nothing themselves. They are found by going back over the
// thread's ranges from the launching one. Memory: none of its own. One thread.
#pragma once

#include <cstdint>

#include "analyzers/range_texts.hpp"
#include "libprof/store/trace_reader.hpp"

namespace prof {

class CallBatches {
 public:
  CallBatches(TraceReader& reader, RangeTexts& texts) : reader_(reader), texts_(texts) {}

  /// The op that a range of kind kLaunch launches, or null: it holds no call. Valid as long as
  /// what RangeTexts gives.
  const ParsedText* launched_by(const RangeRow& launch);

  /// Batches whose beginning was not found; their calls are not known.
  [[nodiscard]] std::uint64_t without_beginning() const { return without_beginning_; }

 private:
  TraceReader& reader_;
  RangeTexts& texts_;
  std::uint64_t without_beginning_ = 0;
  RangeId last_counted_ = 0;  // a range may be asked for again
};

}  // namespace prof
