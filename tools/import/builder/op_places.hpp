// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// OpPlaces: which range the op is that GPU work names, for work of which no call under an op is
// known it. First the work and the ranges are added, in any order, then the work is taken back,
// each with the range of its op. Bounded memory. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "libprof/base/result.hpp"
#include "libprof/model/records.hpp"
#include "tools/import/builder/external_sort.hpp"

namespace prof::importers {

/// The range of an op.
struct OpPlace {
  std::uint64_t op = 0;  ///< The file's number; 0: there is none.
  RangeId range = 0;     ///< 0: unknown.
  ThreadId thread;
  std::int64_t start_ns = 0;

  friend bool operator<(const OpPlace& a, const OpPlace& b) { return a.op < b.op; }
};

/// `Work` has a member `op`, an OpPlace of which the number is set.
template <typename Work>
class OpPlaces {
 public:
  OpPlaces(const std::string& scratch_folder, std::size_t buffer_bytes)
      : places_(scratch_folder, buffer_bytes / 4), work_(scratch_folder, buffer_bytes) {}

  Status add(const OpPlace& place) { return places_.add(place); }
  Status add(const Work& work) { return work_.add({work}); }

  /// The next work in the order of its ops' numbers; null at the end, or after an error. Valid
  /// until the next call.
  const Work* next() {
    if (!has_begun_) place_ = places_.next();
    has_begun_ = true;
    const ByOp* const next = work_.next();
    if (next == nullptr) return nullptr;
    found_ = next->work;
    while (place_ != nullptr && place_->op < found_.op.op) place_ = places_.next();
    if (place_ != nullptr && found_.op.op != 0 && place_->op == found_.op.op) found_.op = *place_;
    return &found_;
  }

  [[nodiscard]] Status status() const {
    PROF_TRY(places_.status());
    return work_.status();
  }

 private:
  struct ByOp {
    Work work;
    friend bool operator<(const ByOp& a, const ByOp& b) { return a.work.op < b.work.op; }
  };

  ExternalSort<OpPlace> places_;
  ExternalSort<ByOp> work_;
  const OpPlace* place_ = nullptr;
  bool has_begun_ = false;
  Work found_{};
};

}  // namespace prof::importers
