// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// TraceWiseCursor: a row kind's cursor over several traces, made of one over a trace.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "tools/report/choose/row_chooser.hpp"
#include "tools/report/rows/read_progress.hpp"
#include "tools/report/rows/row_input.hpp"

namespace prof::reports {

/// OneTrace opens over a TraceMember and a Choice, or the whole RowInput; its next() and status()
/// are those of a cursor. `fields` are those of its rows.
template <typename OneTrace, const auto& fields>
class TraceWiseCursor {
  using Row = std::remove_pointer_t<decltype(std::declval<OneTrace>().next())>;

 public:
  explicit TraceWiseCursor(const RowInput& input) : input_(input) {}

  Row* next() {
    while (status_ && at_ < input_.traces.size()) {
      const TraceMember& trace = input_.traces.members()[at_];
      if (!open_) {
        if constexpr (std::is_constructible_v<OneTrace, const TraceMember&, const RowInput&>) {
          open_.emplace(trace, input_);
        } else {
          open_.emplace(trace, input_.choice);
        }
        chooser_.emplace(fields, input_.choice, input_.tally.choice, trace.reader);
        if (input_.progress != nullptr) place_ = input_.progress->begin();
      }
      while (Row* const row = open_->next()) {
        if (input_.progress != nullptr) input_.progress->row(place_);
        if (input_.choice.all() || chooser_->takes(*row)) return row;
      }
      status_ = open_->status();
      open_.reset();
      ++at_;
    }
    return nullptr;
  }
  [[nodiscard]] Status status() const { return status_; }

 private:
  RowInput input_;
  std::size_t at_ = 0;
  std::optional<OneTrace> open_;
  std::optional<RowChooser<Row>> chooser_;
  std::size_t place_ = 0;
  Status status_;
};

}  // namespace prof::reports
