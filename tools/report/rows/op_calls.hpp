// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// OpCalls: counts the op calls that the work of a group belongs to. A call's work does not come in
// one piece: its backward pass comes later, and other threads' work in between. Remembers the last
// calls, kRemembered to twice as many; work that comes after so many other calls of the group
// counts as another call's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

namespace prof::reports {

class WorkRow;

class OpCalls {
 public:
  static constexpr std::size_t kRemembered = 1U << 13;

  /// Work outside of ops has no call.
  void add(const WorkRow& work);
  void merge(const OpCalls& other);
  /// Keeps the count alone in `to`: a call on both sides of a merge() counts twice then.
  void append(std::string& to) const;
  void take(std::string_view& bytes);
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  struct Call {
    std::uint64_t id = 0;
    std::uint64_t replay = 0;  // of a graph
    const void* trace = nullptr;
    bool operator==(const Call&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Call& call) const;
  };
  using Calls = std::unordered_set<Call, Hash>;

  /// False: it is known.
  bool remember(const Call& call);

  std::uint64_t count_ = 0;
  Call last_;
  Calls young_, old_;
};

}  // namespace prof::reports
