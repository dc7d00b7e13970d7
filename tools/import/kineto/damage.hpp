// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Damage: counts the events of a Kineto trace that cannot be imported as they are, and says so.
// One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "libprof/source/record_sink.hpp"

namespace prof::importers {

class Damage {
 public:
  enum class Kind : std::uint8_t {
    kNoName,
    kNoTime,
    kNoDuration,
    kNegative,
    kNoThread,
    kNamelessOp,  ///< Not left out.
  };

  void count(Kind kind) { ++counts_[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] bool any() const;
  /// "1 event without a time, left out; 2 ops without a name, kept as plain ranges".
  [[nodiscard]] std::string text() const;
  void report(RecordSink& sink) const;

 private:
  static constexpr std::size_t kKinds = 6;
  std::array<std::uint64_t, kKinds> counts_{};
};

}  // namespace prof::importers
