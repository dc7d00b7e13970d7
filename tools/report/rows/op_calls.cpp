// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/op_calls.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "tools/report/rows/gpu_work.hpp"
#include "tools/report/table/plain_bytes.hpp"

namespace prof::reports {

bool OpCalls::CallTable::contains(const Call& call) const {
  return !places_.empty() && places_[place_of(call)].id != 0;
}

void OpCalls::CallTable::insert(const Call& call) {
  if (2 * size_ >= places_.size()) grow();
  places_[place_of(call)] = call;
  ++size_;
}

std::size_t OpCalls::CallTable::place_of(const Call& call) const {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15ULL;
  const std::uint64_t trace = std::hash<const void*>{}(call.trace);
  const std::uint64_t mixed = ((call.id * kOdd) ^ call.replay ^ trace) * kOdd;
  const std::size_t mask = places_.size() - 1;
  std::size_t place = (mixed >> 32) & mask;  // the high bits depend on all others
  while (places_[place].id != 0 && places_[place] != call) place = (place + 1) & mask;
  return place;
}

void OpCalls::CallTable::grow() {
  constexpr std::size_t kFirstPlaces = 8;
  const std::vector<Call> calls = std::move(places_);
  places_.assign(std::max(kFirstPlaces, 2 * calls.size()), {});
  for (const Call& call : calls) {
    if (call.id != 0) places_[place_of(call)] = call;
  }
}

void OpCalls::add(const WorkRow& work) {
  const Attribution& made = work.attribution();
  if (made.call_id == 0) {
    if (!made.op->op.empty()) ++count_;
    return;
  }
  const std::uint64_t replay = work.row().origin == Origin::kGraph ? work.row().launch : 0;
  const Call call{made.call_id, replay, &work.trace()};
  if (call == last_) return;
  last_ = call;
  if (remember(call)) ++count_;
}

void OpCalls::merge(const OpCalls& other) {
  count_ += other.count_;
  for (const CallTable* calls : {&other.old_, &other.young_}) {
    for (const Call& call : calls->places()) {
      if (call.id != 0 && !remember(call)) --count_;
    }
  }
}

void OpCalls::append(std::string& to) const { append_plain(count_, to); }

void OpCalls::take(std::string_view& bytes) { count_ = take_plain<std::uint64_t>(bytes); }

bool OpCalls::remember(const Call& call) {
  if (young_.contains(call) || old_.contains(call)) return false;
  young_.insert(call);
  if (young_.size() >= kRemembered) {
    old_ = std::move(young_);
    young_ = {};
  }
  return true;
}

}  // namespace prof::reports
