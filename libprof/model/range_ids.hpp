// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The order of range ids, which producers of records (collectors, importers) keep and readers rely
// on. Ids count from 1 and are reserved in blocks:
//
// - A thread reserves a block when it opens a range and has no id left, and blocks are reserved in
//   time order over all threads: no range of a later block is older than a block's first range.
// - Within a block, ids are those of one thread and ascend in the order in which it opens ranges.
// - An alias (RangeRecord::Kind) does not count for the two: its id is of the time at which the
//   stack changed, while its start repeats the time of its opening.
// - So a parent's id is below its child's.
#pragma once

#include "libprof/model/records.hpp"

namespace prof {

/// Number of ids that a thread reserves at once.
inline constexpr RangeId kRangeBlock = 256;
/// The first id of the first block.
inline constexpr RangeId kFirstRange = 1;

/// The number of the block that an id belongs to, from 0.
constexpr RangeId range_block(RangeId id) { return (id - kFirstRange) / kRangeBlock; }

}  // namespace prof
