// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See host_tracks.hpp.
#include "tools/report/export/formats/host_tracks.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace prof::exports {
namespace {

std::string thread_name(ThreadId thread, const ThreadRow* row) {
  std::string name = thread ? fmt::format("thread {}", thread.value) : "unknown thread";
  if (row != nullptr && !row->name.empty()) name += " " + row->name;
  return name;
}

}  // namespace

const ThreadRow* HostTracks::row_of(std::size_t trace, ThreadId thread) {
  auto found = threads_.find(trace);
  if (found == threads_.end()) {
    found = threads_.try_emplace(trace, traces_.members()[trace].reader).first;
  }
  return found->second.find(thread);
}

std::uint32_t HostTracks::track(std::size_t trace, TrackKind kind, ThreadId thread) {
  std::uint64_t tid = 0;  // none of its own
  std::string name;
  if (kind == TrackKind::kThread) {
    const ThreadRow* const row = row_of(trace, thread);
    if (row != nullptr) tid = row->os_tid;
    name = thread_name(thread, row);
  } else {
    name = kind == TrackKind::kSteps ? "steps" : "process ranges";
  }
  return static_cast<std::uint32_t>(
      tracks_.track({trace, kind, 0, thread.value}, pid_of_(trace), tid, std::move(name), true));
}

void HostTracks::make_first() {
  for (std::size_t trace = 0; trace < traces_.size(); ++trace) {
    track(trace, TrackKind::kSteps);
    track(trace, TrackKind::kProcessRanges);
  }
}

}  // namespace prof::exports
