// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See open_slices.hpp.
#include "tools/report/export/formats/open_slices.hpp"

#include <utility>

namespace prof::exports {

void OpenSlices::end_innermost(std::vector<Slice>& lane) {
  const Slice slice = std::move(lane.back());
  lane.pop_back();
  end_(slice);
}

void OpenSlices::end_next() {
  const Due due = due_.top();
  due_.pop();
  std::vector<Slice>& lane = lanes_[due.lane];
  // Slices nest: unless it has ended, the one that ends first is the innermost.
  if (!lane.empty() && lane.back().number == due.number) end_innermost(lane);
}

void OpenSlices::begin(std::uint64_t lane, std::int64_t start_ns, std::int64_t end_ns) {
  end_before(start_ns);
  std::vector<Slice>& open = lanes_[lane];
  while (!open.empty() && open.back().end_ns <= start_ns) end_innermost(open);
  const std::uint64_t number = count_++;
  open.push_back({.lane = lane, .end_ns = end_ns, .number = number});
  due_.push({end_ns, number, lane});
}

bool OpenSlices::launch(std::uint64_t lane, std::uint64_t work) {
  const auto found = lanes_.find(lane);
  if (found == lanes_.end() || found->second.empty()) return false;
  found->second.back().launched.push_back(work);
  return true;
}

void OpenSlices::end_before(std::int64_t time_ns) {
  while (!due_.empty() && due_.top().end_ns < time_ns) end_next();
}

void OpenSlices::end_all() {
  while (!due_.empty()) end_next();
}

}  // namespace prof::exports
