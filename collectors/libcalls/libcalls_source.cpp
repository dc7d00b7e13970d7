// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/libcalls/libcalls_source.hpp"

#include <dlfcn.h>

#include <utility>

#include "collectors/core/recorder.hpp"
#include "libprof/source/record_batch.hpp"

namespace prof::collectors {
namespace {

const LibraryCalls* find_calls(const std::string& library) {
  const std::string symbol = "prof_" + library + "_calls_v1";
  const auto* found = static_cast<const LibraryCalls*>(dlsym(RTLD_DEFAULT, symbol.c_str()));
  return found != nullptr && found->struct_size >= sizeof(LibraryCalls) ? found : nullptr;
}

}  // namespace

LibcallsSource::LibcallsSource(std::string library, PrintLine print_line)
    : library_(std::move(library)), calls_(find_calls(library_)), print_line_(print_line) {}

void LibcallsSource::connect(Recorder& recorder) {
  recorder_ = &recorder;
  if (calls_ != nullptr) return;
  const std::string line = "no calls of " + library_ + " are recorded: libprof_" + library_ +
                           ".so is not preloaded; start the program with prof-run --trace " +
                           library_;
  print_line_(line.c_str());
}

void LibcallsSource::stop(End /*end*/, bool /*detach*/) {
  if (recorder_ == nullptr) return;
  std::string what = "libprof_" + library_ + ".so was not preloaded";
  if (calls_ != nullptr) {
    what = calls_->has_calls.load(std::memory_order_relaxed)
               ? "recorded"
               : "none was seen: the program calls none, or is linked with the static library";
  }
  RecordBatch batch;
  batch.on(MetaRecord{library_ + "_calls", std::move(what)});
  recorder_->submit(std::move(batch));
}

}  // namespace prof::collectors
