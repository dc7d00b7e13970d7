// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// OsrtSource: calls of libc and the threads library that may block, as libprof_osrt.so reports them
// (os_calls.hpp). A call is recorded when it has returned: a call that never returns, because its
// thread is cancelled, leaves by longjmp or waits beyond the end, is absent. Without that library
// in the process the capture continues, and a line and meta os_calls state why there are no calls.
//
// A fork: the child's first call lets all later ones pass through. A child of vfork shares the
// program's memory, and is recognized by its process id before anything is touched. An exit:
// end_events() lets calls pass through; a call that returns later finds that the session is over.
#pragma once

#include <cstdint>
#include <vector>

#include "collectors/core/capture_source.hpp"
#include "collectors/osrt/os_calls.hpp"

namespace prof::collectors {

class OsrtSource final : public CaptureSource {
 public:
  /// Records calls of at least `threshold_ns`. `calls` null: libprof_osrt.so is not there.
  OsrtSource(OsCalls* calls, std::int64_t threshold_ns, PrintLine print_line);

  Status open() override { return {}; }
  void facts(const TakeFact& take) override;
  void connect(Recorder& recorder) override;
  bool read(ThreadId thread, const EventHeader& event, ActivitySink& sink) override;
  void end_events(End end) override;
  void stop(End end, bool detach) override;

 private:
  OsCalls* const calls_;
  const std::int64_t threshold_ns_;
  const PrintLine print_line_;
  Recorder* recorder_ = nullptr;
  std::uint64_t shorter_before_ = 0;
  /// Names of the functions that have occurred, by function; used by the worker only.
  std::vector<StringId> names_;
};

/// The interface of libprof_osrt.so; null if it is not preloaded.
OsCalls* find_os_calls();

}  // namespace prof::collectors
