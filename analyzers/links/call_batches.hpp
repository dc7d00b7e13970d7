// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Batches of calls: some libraries collect calls and launch them with a later one (NCCL's
// ncclGroupStart .. ncclGroupEnd). Work under the launching range belongs to the calls in between,
// which are its older siblings and launch nothing themselves. They are found by walking back over
// the thread's ranges from the launching one. Keeps no memory of its own. One thread.
//
// PyTorch's range "nccl:coalesced" has no beginning: it launches the calls since the launch before
// it, which launched nothing themselves.
#pragma once

#include <cstdint>

#include "analyzers/ranges/range_texts.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

class CallBatches {
 public:
  CallBatches(TraceReader& reader, RangeTexts& texts) : reader_(reader), texts_(texts) {}

  /// The call that a range launches, a BatchLaunch or a FrameworkOp that joins calls, or null if
  /// there is none. Valid as long as
  /// results of RangeTexts are.
  const ParsedText* launched_by(const RangeRow& launch);

  /// Batches whose beginning was not found; their calls are unknown.
  [[nodiscard]] std::uint64_t without_beginning() const { return without_beginning_; }

 private:
  TraceReader& reader_;
  RangeTexts& texts_;
  std::uint64_t without_beginning_ = 0;
  RangeId last_counted_ = 0;  // the same range may be looked up again
};

}  // namespace prof
