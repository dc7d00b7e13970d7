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

LibcallsSource::LibcallsSource(const std::vector<std::string>& libraries, PrintLine print_line)
    : print_line_(print_line) {
  for (const std::string& word : libraries) libraries_.push_back({word, find_calls(word)});
}

void LibcallsSource::connect(Recorder& recorder) {
  recorder_ = &recorder;
  for (const Library& library : libraries_) {
    if (library.calls != nullptr) continue;
    const std::string line =
        "no calls of " + library.word + " are recorded: libprof_" + library.word +
        ".so is not preloaded; start the program with prof-run --trace " + library.word;
    print_line_(line.c_str());
  }
}

void LibcallsSource::stop(End /*end*/, bool /*detach*/) {
  if (recorder_ == nullptr) return;
  std::string seen, unseen;
  for (const Library& library : libraries_) {
    const bool is_seen =
        library.calls != nullptr && library.calls->has_calls.load(std::memory_order_relaxed);
    std::string& words = is_seen ? seen : unseen;
    words.append(words.empty() ? "" : ", ").append(library.word);
  }
  RecordBatch batch;
  batch.on(MetaRecord{"library_calls", std::move(seen)});
  batch.on(MetaRecord{"library_calls_unseen", std::move(unseen)});
  recorder_->submit(std::move(batch));
}

}  // namespace prof::collectors
