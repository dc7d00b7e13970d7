// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/cost/gradient_shares.hpp"

namespace prof {

void GradientShares::settle(WorkRole payer) {
  is_settled_ = true;
  parts_ = rows_.resolve(*gradients_, payer);
  for (std::size_t row = 0; row < parts_.size(); ++row) {
    sums_[static_cast<std::size_t>(parts_[row])].add(rows_.weight(row));
  }
}

CostShare GradientShares::take(std::int64_t weight) {
  const Part part = parts_[taken_++];
  if (part == Part::kNone) return {.main = false};
  const auto index = static_cast<std::size_t>(part);
  CostShare result = shares_[index].take(gradients_->at(part)->cost, sums_[index], weight);
  result.part = part;
  result.is_estimated = sums_[index].rows > 1;  // threads do not show who did how much
  return result;
}

}  // namespace prof
