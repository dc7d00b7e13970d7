// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Messages: what nsys says about its own capture, its warnings and errors. Of many, those that say
// why events are missing count. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libprof/source/record_sink.hpp"

namespace prof::importers::nsys {

class Messages {
 public:
  void add(std::string_view text);

  /// Why there are no CUDA events, in nsys's words; empty: it says nothing about CUDA.
  [[nodiscard]] std::string about_cuda() const;
  void report(RecordSink& sink) const;

 private:
  /// Counts texts, and keeps the first one.
  struct Kind {
    std::uint64_t count = 0;
    std::string first;
    void add(std::string_view text);
  };
  Kind lost_;                   // events are, or may be, missing
  Kind other_;                  // anything else
  Kind cuda_, no_cuda_events_;  // of both: about CUDA; and that there was nothing of it
};

}  // namespace prof::importers::nsys
