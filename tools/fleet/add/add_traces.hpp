// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// prof-fleet add: traces into a store. Threads read traces, one inserts. A trace counts once a row
// of `added` says so, which is inserted after all of its other rows: what is cut off at any point
// leaves rows that nobody counts, and is added anew by the next call. A trace whose bytes are in
// the store is not added again. Where an answer of the store is lost, nobody knows whether its rows
// are there: they are inserted anew as those of another attempt.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libprof/base/result.hpp"
#include "tools/fleet/add/trace_rows.hpp"
#include "tools/fleet/store/store.hpp"

namespace prof::fleet {

struct AddOptions {
  RunWords words = {};
  unsigned threads = 1;  ///< The number of threads that read traces.
};

struct Added {
  std::uint64_t traces = 0, rows = 0;
  std::uint64_t there = 0;      ///< Traces that were in the store already.
  std::vector<Error> left_out;  ///< Why traces could not be read.
  std::uint64_t runs = 0;       ///< Runs whose traces were compared with each other.
  bool is_interrupted = false;  ///< The rest is left to the next call.
};

/// Called after each trace that is read, of so many. False: the user wants no more.
using AddProgress = std::function<bool(std::uint64_t done, std::uint64_t all)>;

/// An error is the store's: what was added before it stays.
Result<Added> add_traces(Store& store, std::span<const std::string> paths,
                         const AddOptions& options, const AddProgress& progress);

}  // namespace prof::fleet
