// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/cupti/cupti_source.hpp"

#include <algorithm>
#include <utility>

#include "collectors/core/global.hpp"
#include "collectors/cupti/cuda_driver_api.hpp"
#include "collectors/cupti/cupti_library.hpp"
#include "libprof/base/clock.hpp"
#include "libprof/base/count_text.hpp"

namespace prof::collectors {
namespace {

constexpr std::int64_t kDrainTimeoutNs = 2'000'000'000;
constexpr std::int64_t kWindowPatienceNs = 5'000'000'000;

std::string cuda_version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string whole_graphs_text(WholeGraphs recorded) {
  if (!recorded.launched) return "node: this CUPTI has no records of whole graphs";
  return recorded.by_kernels ? "graph" : "graph; not recorded: launches by kernels";
}

}  // namespace

CuptiSource::CuptiSource(ActivityDriver& driver, DriverConfig config, std::size_t buffer_bytes,
                         PrintLine print_line)
    : driver_(driver),
      config_(std::move(config)),
      print_line_(print_line),
      collector_(*new Collector(driver, config_.api, buffer_bytes, print_line)),
      dropped_before_(global().losses.total(Loss::kDroppedRecords)) {}

Status CuptiSource::open() { return driver_.open(config_, &collector_, refused_); }

void CuptiSource::facts(const TakeFact& take) {
  take("api_mode", std::string(to_word(config_.api)));
  take("cupti_version", std::to_string(driver_.version()));
  take("cupti_path", driver_.path());
  if (driver_.version() < kReportsGraphUpdates) {
    take("graph_updates", "not reported by CUPTI before 13.0");
  }
  if (config_.graph_trace == GraphTrace::kGraph || driver_.whole_graphs().launched) {
    take("graph_trace", whole_graphs_text(driver_.whole_graphs()));
  }
  if (const Sharing sharing = driver_.sharing(); sharing.is_shared) {
    take("cupti_shared", sharing.first_tool.empty() ? "yes" : "with " + sharing.first_tool);
  }
  take("driver_version", kernel_driver_version());
  if (const int version = cuda_driver_version(); version != 0) {
    take("cuda_driver_version", cuda_version_text(version));
  }
  // A statically linked runtime has no file of its own.
  const std::vector<std::string> runtimes = mapped_libraries("libcudart.so");
  if (!runtimes.empty()) take("cuda_runtime_path", runtimes.front());
}

void CuptiSource::connect(Recorder& recorder) {
  recorder_ = &recorder;
  collector_.connect(recorder);
  if (Status status = collector_.start_flushing(); !status) print_line_(status.error().to_line());
  say_what_differs();
  if (refused_.empty()) return;
  std::string line = "CUPTI refused ";
  for (const std::string& what : refused_) line += (&what == &refused_.front() ? "" : ", ") + what;
  print_line_(line + "; the capture continues without them");
  global().losses.add(Loss::kCuptiError, refused_.size());
}

/// Reports differences from the user's request.
void CuptiSource::say_what_differs() {
  const bool wants_whole = config_.graph_trace == GraphTrace::kGraph;
  const bool has_whole = driver_.whole_graphs().launched;
  const bool is_shared = driver_.sharing().is_shared;
  if (wants_whole && !has_whole) {
    print_line_(std::string(is_shared ? "CUPTI is shared and" : "this CUPTI") +
                " has no records of whole graphs; the capture has those of their nodes");
  } else if (has_whole && !wants_whole) {
    print_line_("a tool that shares CUPTI records CUDA graphs as a whole, and so does the capture");
  }
  if (config_.prefers_shared && !is_shared) {
    print_line_(
        "CUPTI cannot be shared here (CUDA 13.3 and driver 610 can); other tools are "
        "refused during the capture");
  }
}

void CuptiSource::end_events(End end) {
  if (end == End::kStop) wait_for_work();
  collector_.stop_flushing();
  if (end == End::kExit) collector_.count_late_calls();
}

void CuptiSource::wait_for_work() {
  // A kernel may wait for the program's next action.
  const StallTimeout stall_timeout{[this] { return collector_.counts().kernels; },
                                   kWindowPatienceNs};
  driver_.synchronize(config_.is_window ? &stall_timeout : nullptr);
}

void CuptiSource::stop(End end, bool detach) {
  // A forced flush takes the unfinished records of all tools that share CUPTI, which a window that
  // ends in the middle of the program leaves alone.
  collector_.drain(*recorder_, kDrainTimeoutNs, end == End::kExit || !driver_.sharing().is_shared);
  (void)recorder_->flush();
  if (end == End::kStop) end_records(detach);
  compare_launches_with_records();
}

void CuptiSource::end_records(bool detach) {
  if (config_.watch.any() && driver_.watch(config_, &collector_)) return;
  driver_.stop(detach && driver_.may_reattach());
}

void CuptiSource::compare_launches_with_records() {
  const CollectorCounts counts = collector_.counts();
  // Work that other threads launch during the process's exit may or may not have a record.
  seen_late_ = {collector_.late_launches(), collector_.late_other_calls(), counts.launched_kernels};
  const std::uint64_t launches = counts.launches + seen_late_.launches;
  if (counts.launched_kernels >= launches) return;
  const std::uint64_t late = std::min(seen_late_.launches, launches - counts.launched_kernels);
  global().losses.add(Loss::kAfterEnd, late);
  const std::uint64_t missing = launches - counts.launched_kernels - late;
  if (missing == 0) return;
  const std::uint64_t dropped = global().losses.total(Loss::kDroppedRecords) - dropped_before_;
  // Records that CUPTI dropped are already counted as such.
  const std::uint64_t unexplained = missing - std::min(missing, dropped);
  global().losses.add(Loss::kLaunchWithoutRecord, unexplained);
  if (collector_.is_broken()) return;  // Reported when it happened.
  const std::string line = std::to_string(missing) + " of " +
                           count_text_plain(counts.launches, "kernel launch", "kernel launches") +
                           " left no record: ";
  // A few may still run or have been cut off; if a tenth is missing, another tool has the records.
  if (unexplained >= (counts.launches + 9) / 10) {
    constexpr std::string_view kWhy =
        "another profiler in the program (torch.profiler does this) has taken over CUPTI's records";
    RecordBatch batch;
    const std::int64_t now = now_ns();
    batch.add_loss(Loss::kTakenOver, 1, now, now, kWhy);
    recorder_->submit(std::move(batch));
    print_line_(line + "probably " + std::string(kWhy) + "; run without it to capture everything");
  } else if (missing * 2 >= counts.launches && unexplained < missing) {
    print_line_(line + "CUPTI dropped " + std::to_string(dropped) +
                " records for lack of buffers; raise PROF_BUFFER_MB");
  }
}

std::uint64_t CuptiSource::late_calls() const {
  const std::uint64_t records = counts().launched_kernels - seen_late_.records;
  const std::uint64_t launches = collector_.late_launches() - seen_late_.launches;
  return launches - std::min(launches, records) + collector_.late_other_calls() -
         seen_late_.other_calls;
}

}  // namespace prof::collectors
