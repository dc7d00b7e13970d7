// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// LibcallsSource: what a trace says of the library calls that it has as ops, which
// libprof_cublas.so and its like report (library_calls.hpp): whether each was there, and whether
// the program called what it wraps. A program that is linked with a library's static form does not.
#pragma once

#include <string>
#include <vector>

#include "collectors/core/capture_source.hpp"
#include "collectors/libcalls/library_calls.hpp"

namespace prof::collectors {

class LibcallsSource final : public CaptureSource {
 public:
  /// `libraries`: their words of --trace.
  LibcallsSource(const std::vector<std::string>& libraries, PrintLine print_line);

  Status open() override { return {}; }
  void connect(Recorder& recorder) override;
  void stop(End end, bool detach) override;

 private:
  struct Library {
    std::string word;
    const LibraryCalls* calls;  ///< Null: its wrappers are not there.
  };

  std::vector<Library> libraries_;
  const PrintLine print_line_;
  Recorder* recorder_ = nullptr;
};

}  // namespace prof::collectors
