// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// LibcallsSource: what a trace says of the library calls that it has as ops, which
// libprof_cublas.so reports (library_calls.hpp): whether it was there, and whether the program
// called what it wraps. A program that is linked with a library's static form does not.
#pragma once

#include "collectors/core/capture_source.hpp"
#include "collectors/libcalls/library_calls.hpp"

namespace prof::collectors {

class LibcallsSource final : public CaptureSource {
 public:
  /// `calls` null: libprof_cublas.so is not there.
  LibcallsSource(const LibraryCalls* calls, PrintLine print_line)
      : calls_(calls), print_line_(print_line) {}

  Status open() override { return {}; }
  void connect(Recorder& recorder) override;
  void stop(End end, bool detach) override;

 private:
  const LibraryCalls* const calls_;
  const PrintLine print_line_;
  Recorder* recorder_ = nullptr;
};

/// What libprof_cublas.so offers; null if it is not preloaded.
const LibraryCalls* find_cublas_calls();

}  // namespace prof::collectors
