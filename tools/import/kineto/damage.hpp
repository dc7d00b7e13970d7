// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Damage: counts what of a Kineto trace cannot be imported as it is, and says so.
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
    kUnfinishedOp,  ///< Not left out.
    kNoThread,
    kNamelessOp,  ///< Not left out.
    kBadByte,
    kControlCharacter,
    kSurrogate,
    kNoNumber,
    kWideNumber,
  };

  void count(Kind kind, std::uint64_t times = 1) {
    counts_[static_cast<std::size_t>(kind)] += times;
  }
  [[nodiscard]] bool any() const;
  /// "1 event without a time, left out; 2 ops without a name, kept as plain ranges".
  [[nodiscard]] std::string text() const;
  void report(RecordSink& sink) const;

 private:
  static constexpr std::size_t kKinds = 12;
  std::array<std::uint64_t, kKinds> counts_{};
};

}  // namespace prof::importers
