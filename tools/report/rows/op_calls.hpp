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
#include <vector>

namespace prof::reports {

class WorkRow;

class OpCalls {
 public:
  static constexpr std::size_t kRemembered = 1U << 13;

  /// Work outside of ops has no call; a kernel that is an op by its own name is one.
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

  /// A table of calls without nodes of their own: each piece of work looks one up, and with many
  /// groups each look misses the cache. Half of it or more is empty.
  class CallTable {
   public:
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool contains(const Call& call) const;
    /// It is not there yet.
    void insert(const Call& call);
    [[nodiscard]] const std::vector<Call>& places() const { return places_; }

   private:
    /// Where it is, or the empty place where it belongs.
    [[nodiscard]] std::size_t place_of(const Call& call) const;
    void grow();

    std::vector<Call> places_;  // a power of two, or none; id 0: empty
    std::size_t size_ = 0;
  };

  /// False: it is known.
  bool remember(const Call& call);

  std::uint64_t count_ = 0;
  Call last_;
  CallTable young_, old_;
};

}  // namespace prof::reports
