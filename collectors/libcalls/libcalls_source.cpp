// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/libcalls/libcalls_source.hpp"

#include <dlfcn.h>

#include "collectors/core/recorder.hpp"
#include "libprof/source/record_batch.hpp"

namespace prof::collectors {

const LibraryCalls* find_cublas_calls() {
  const auto* found = static_cast<const LibraryCalls*>(dlsym(RTLD_DEFAULT, kCublasCallsSymbol));
  return found != nullptr && found->struct_size >= sizeof(LibraryCalls) ? found : nullptr;
}

void LibcallsSource::connect(Recorder& recorder) {
  recorder_ = &recorder;
  if (calls_ != nullptr) return;
  print_line_(
      "no calls of cuBLAS are recorded: libprof_cublas.so is not preloaded; start the program with "
      "prof-run --trace cublas");
}

void LibcallsSource::stop(End /*end*/, bool /*detach*/) {
  if (recorder_ == nullptr) return;
  const char* what = "libprof_cublas.so was not preloaded";
  if (calls_ != nullptr) {
    what = calls_->has_calls.load(std::memory_order_relaxed)
               ? "recorded"
               : "none was seen: the program calls none, or is linked with the static library";
  }
  RecordBatch batch;
  batch.on(MetaRecord{"cublas_calls", what});
  recorder_->submit(std::move(batch));
}

}  // namespace prof::collectors
