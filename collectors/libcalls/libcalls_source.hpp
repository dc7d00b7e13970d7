// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// LibcallsSource: a trace's facts about the library calls that it holds as ops, which
// libprof_cublas.so and its like report (library_calls.hpp): whether each library was there, and
// whether the program called its wrapped functions. A program that is linked with a library's
// static form does not.
#pragma once

#include <string>
#include <vector>

#include "collectors/core/capture_source.hpp"
#include "collectors/libcalls/library_calls.hpp"

namespace prof::collectors {

class LibcallsSource final : public CaptureSource {
 public:
  /// `libraries`: their words in --trace.
  LibcallsSource(const std::vector<std::string>& libraries, PrintLine print_line);

  Status open() override { return {}; }
  void connect(Recorder& recorder) override;
  void stop(End end, bool detach) override;

 private:
  struct Library {
    std::string word;
    const LibraryCalls* calls;  ///< Null: the library's wrappers are not loaded.
  };

  std::vector<Library> libraries_;
  const PrintLine print_line_;
  Recorder* recorder_ = nullptr;
};

}  // namespace prof::collectors
