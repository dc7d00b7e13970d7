// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/log/row_code.hpp"

#include <algorithm>

#include "analyzers/base/number_code.hpp"

namespace prof {
namespace {

/// The fields that differ from those of the row before.
enum Difference : std::uint8_t {
  kOtherAttribution = 1,
  kOtherForm = 2,
  kOtherNode = 4,    ///< The graph node, or a key besides the correlation.
  kOtherLaunch = 8,  ///< The launch is not the row's own correlation.
  kOtherStep = 16,
  kOtherStepEnd = 32,
  kOtherCall = 64,  ///< The call is not the row's op, or the replay is another one.
  kOtherNumbers = 128,
};

/// Calls `visit` with each value that differs from row to row, and its place in a row.
template <typename Values, typename Row, typename Visit>
void each_value(Values& values, Row& row, Visit visit) {
  auto& gpu = row.gpu;
  auto& made = row.attribution;
  visit(values.correlation, gpu.correlation);
  visit(values.launch, gpu.launch);
  visit(values.origin_id, gpu.origin_id);
  visit(values.repeat, gpu.repeat);
  visit(values.graph_node, gpu.graph_node);
  visit(values.start_ns, gpu.start_ns);
  visit(values.duration_ns, gpu.duration_ns);
  visit(values.stack, gpu.stack);
  visit(values.launch_start_ns, gpu.launch_start_ns);
  visit(values.launch_duration_ns, gpu.launch_duration_ns);
  visit(values.step, made.step);
  visit(values.step_end_ns, made.step_end_ns);
  visit(values.op_id, made.op_id);
  visit(values.replay_id, made.replay_id);
  visit(values.call_id, made.call_id);
  visit(values.seq, made.seq);
}

bool are_equal(const SequenceNumbers& a, const SequenceNumbers& b) {
  return a.own() == b.own() && std::ranges::equal(a.others(), b.others());
}

std::uint8_t differences_of(const RowValues& now, const RowValues& last) {
  std::uint8_t differ = 0;
  const auto add = [&](Difference one, bool is_there) {
    if (is_there) differ |= one;
  };
  add(kOtherAttribution, now.attribution != last.attribution);
  add(kOtherForm, now.form != last.form);
  add(kOtherNode, now.origin_id != last.origin_id || now.repeat != last.repeat ||
                      now.graph_node != last.graph_node);
  add(kOtherLaunch, now.launch != now.correlation);
  add(kOtherStep, now.step != last.step);
  add(kOtherStepEnd, now.step_end_ns != last.step_end_ns);
  add(kOtherCall, now.call_id != now.op_id || now.replay_id != last.replay_id);
  add(kOtherNumbers, !are_equal(now.seq, last.seq));
  return differ;
}

}  // namespace

RowValues RowValues::of(const AttributedRow& row) {
  RowValues values;
  each_value(values, row, [](auto& value, const auto& of_row) { value = of_row; });
  return values;
}

void RowValues::set(AttributedRow& row) const {
  each_value(*this, row, [](const auto& value, auto& of_row) { of_row = value; });
}

void append_row(const RowValues& now, const RowValues& last, std::string& to) {
  const std::uint8_t differ = differences_of(now, last);
  to.push_back(static_cast<char>(differ));
  if ((differ & kOtherAttribution) != 0) append_varint(to, now.attribution);
  if ((differ & kOtherForm) != 0) append_varint(to, now.form);
  append_difference(to, now.correlation, last.correlation);
  append_difference(to, now.start_ns, last.start_ns);
  append_difference<std::int64_t>(to, now.duration_ns, 0);
  append_difference(to, now.stack, last.stack);
  append_difference(to, now.launch_start_ns, last.launch_start_ns);
  append_difference<std::int64_t>(to, now.launch_duration_ns, 0);
  append_difference(to, now.op_id, last.op_id);
  if ((differ & kOtherNode) != 0) {
    append_difference(to, now.origin_id, last.origin_id);
    append_difference(to, now.repeat, last.repeat);
    append_difference(to, now.graph_node, last.graph_node);
  }
  if ((differ & kOtherLaunch) != 0) append_difference(to, now.launch, now.correlation);
  if ((differ & kOtherStep) != 0) append_optional(to, now.step, last.step);
  if ((differ & kOtherStepEnd) != 0) append_optional(to, now.step_end_ns, last.step_end_ns);
  if ((differ & kOtherCall) != 0) {
    append_difference(to, now.call_id, now.op_id);
    append_difference(to, now.replay_id, last.replay_id);
  }
  if ((differ & kOtherNumbers) == 0) return;
  if (!now.seq.own()) return to.push_back(0);
  to.push_back(static_cast<char>(1 + now.seq.others().size()));
  append_difference(to, *now.seq.own(), last.seq.own().value_or(0));
  for (const std::uint64_t other : now.seq.others()) {
    append_difference(to, other, *now.seq.own());
  }
}

const char* take_row(const char* from, RowValues& values) {
  TakeNumbers taker(from);
  const std::uint8_t differ = taker.byte();
  if ((differ & kOtherAttribution) != 0)
    values.attribution = static_cast<std::uint32_t>(taker.number());
  if ((differ & kOtherForm) != 0) values.form = static_cast<std::uint32_t>(taker.number());
  taker.advance(values.correlation);
  taker.advance(values.start_ns);
  values.duration_ns = taker.behind(std::int64_t{0});
  taker.advance(values.stack);
  taker.advance(values.launch_start_ns);
  values.launch_duration_ns = taker.behind(std::int64_t{0});
  taker.advance(values.op_id);
  if ((differ & kOtherNode) != 0) {
    taker.advance(values.origin_id);
    taker.advance(values.repeat);
    taker.advance(values.graph_node);
  }
  values.launch = values.correlation;
  if ((differ & kOtherLaunch) != 0) taker.advance(values.launch);
  if ((differ & kOtherStep) != 0) taker.advance(values.step);
  if ((differ & kOtherStepEnd) != 0) taker.advance(values.step_end_ns);
  values.call_id = values.op_id;
  if ((differ & kOtherCall) != 0) {
    taker.advance(values.call_id);
    taker.advance(values.replay_id);
  }
  if ((differ & kOtherNumbers) == 0) return taker.at();
  const std::uint8_t count = taker.byte();
  std::uint64_t own = values.seq.own().value_or(0);
  values.seq = {};
  for (std::uint8_t i = 0; i < count; ++i) {
    const std::uint64_t number = taker.behind(own);
    if (i == 0) own = number;
    values.seq.add(number);
  }
  return taker.at();
}

}  // namespace prof
