// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/counting_sink.hpp"

#include <string_view>

#include "libprof/base/count_text.hpp"
#include "libprof/model/loss_text.hpp"

namespace prof::importers {

std::string CountingSink::line() const {
  std::string line = count_text(kernels_, "kernel", "kernels");
  const auto add = [&line](std::uint64_t count, std::string_view one, std::string_view many) {
    if (count != 0) line.append(", ").append(count_text(count, one, many));
  };
  add(copies_, "copy", "copies");
  add(sets_, "set", "sets");
  add(calls_, "CUDA call", "CUDA calls");
  add(os_calls_, "call of the operating system", "calls of the operating system");
  add(ranges_, "range", "ranges");
  add(marks_, "mark", "marks");
  for (const auto& [word, count] : losses_) {
    const LossInfo* const loss = find_loss(word);
    line.append("; ").append(loss == nullptr ? grouped(count).append(" of ").append(word)
                                             : counted_loss(*loss, count));
  }
  return line;
}

}  // namespace prof::importers
