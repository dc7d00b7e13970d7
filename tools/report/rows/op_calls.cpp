// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/rows/op_calls.hpp"

#include <functional>
#include <utility>

#include "tools/report/choose/plain_bytes.hpp"
#include "tools/report/rows/gpu_work.hpp"

namespace prof::reports {

std::size_t OpCalls::Hash::operator()(const Call& call) const {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15ULL;
  const std::uint64_t trace = std::hash<const void*>{}(call.trace);
  return static_cast<std::size_t>(((call.id * kOdd) ^ call.replay) * kOdd ^ trace);
}

void OpCalls::add(const WorkRow& work) {
  const Attribution& made = work.attribution();
  if (made.call_id == 0) return;
  const std::uint64_t replay = work.row().origin == Origin::kGraph ? work.row().launch : 0;
  const Call call{made.call_id, replay, &work.trace()};
  if (call == last_) return;
  last_ = call;
  if (remember(call)) ++count_;
}

void OpCalls::merge(const OpCalls& other) {
  count_ += other.count_;
  for (const Calls* calls : {&other.old_, &other.young_}) {
    for (const Call& call : *calls) {
      if (!remember(call)) --count_;
    }
  }
}

void OpCalls::append(std::string& to) const { append_plain(count_, to); }

void OpCalls::take(std::string_view& bytes) { count_ = take_plain<std::uint64_t>(bytes); }

bool OpCalls::remember(const Call& call) {
  if (old_.contains(call) || !young_.insert(call).second) return false;
  if (young_.size() >= kRemembered) {
    old_ = std::move(young_);
    young_ = {};
  }
  return true;
}

}  // namespace prof::reports
