// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// NcclSource: collectives, sends and receives as NCCL describes them, which libprof_nccl.so reports
// (nccl_sink.hpp) right after the launch that runs them. A call is recorded with that launch: the
// last one of its thread. Calls whose thread has launched nothing are not recorded: NCCL reports
// replays of CUDA graphs on CUDA's own thread, and a captured call has not run.
#pragma once

#include <array>
#include <string>
#include <unordered_map>

#include "collectors/core/capture_source.hpp"

namespace prof::collectors {

class NcclSource final : public CaptureSource {
 public:
  /// `has_launches`: the capture records launches. Otherwise no call is recorded either.
  NcclSource(bool has_launches, PrintLine print_line)
      : has_launches_(has_launches), print_line_(print_line) {}

  Status open() override { return {}; }
  void connect(Recorder& recorder) override;
  bool read(ThreadId thread, const EventHeader& event, ActivitySink& sink) override;
  void end_events(End end) override;
  void stop(End end, bool detach) override;

 private:
  StringId intern(std::string_view word, ActivitySink& sink);

  const bool has_launches_;
  const PrintLine print_line_;
  Recorder* recorder_ = nullptr;
  std::unordered_map<std::string, StringId> words_;  ///< Used by the worker only.
};

}  // namespace prof::collectors
