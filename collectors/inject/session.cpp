// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// One capture, see session.hpp.
#include "collectors/inject/session.hpp"

#include <unistd.h>

#include <algorithm>

#include "collectors/core/global.hpp"
#include "collectors/core/internal_thread.hpp"
#include "collectors/cupti/cuda_driver_api.hpp"
#include "collectors/cupti/cupti_library.hpp"
#include "libprof/base/clock.hpp"
#include "libprof/base/counted.hpp"
#include "libprof/control/stderr_message.hpp"
#include "libprof/store/append_loss.hpp"

namespace prof::collectors {
namespace {

constexpr std::int64_t kDrainTimeoutNs = 2'000'000'000;

std::string cuda_version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::uint64_t total_lost() {
  std::uint64_t lost = 0;
  for (std::size_t i = 0; i < kLossCount; ++i) {
    if (kLossInfos[i].severity == Severity::kDataLoss)
      lost += global().losses.total(static_cast<Loss>(i));
  }
  return lost;
}

}  // namespace

Session::Session() : driver_(cupti_driver()) {}
Session::~Session() = default;

CaptureFilesOptions Session::files_options(const CaptureConfig& config) {
  CaptureFilesOptions options;
  const Placeholders values{getpid(), host_name(), config.rank};
  options.trace = fill_placeholders(config.output, values);
  options.stream = fill_placeholders(config.stream, values);
  options.force = config.force;
  options.replace = config.replace;
  options.replace_stream = config.replace_stream;
  options.same_run = !config.run_id.empty();
  options.start_realtime_ns = start_ns_;
  options.worth_keeping = [this] { return collector_->has_work() || counted_losses() != 0; };
  return options;
}

void Session::record_facts(const CaptureConfig& config) {
  RecordSink& to = *files_;
  const auto record = [&to](std::string_view key, const std::string& value) {
    if (!value.empty()) to.on(MetaRecord{key, value});
  };
  record("start_realtime_ns", std::to_string(start_ns_));
  for (const auto& [key, value] : process_facts()) record(key, value);
  record("run_id", config.run_id);
  record("collector_version", PROF_VERSION_STRING);
  record("api_mode", std::string(to_word(config.api)));
  record("cupti_version", std::to_string(driver_.version()));
  record("cupti_path", driver_.path());
  record("driver_version", kernel_driver_version());
  if (const int version = cuda_driver_version(); version != 0) {
    record("cuda_driver_version", cuda_version_text(version));
  }
  // A statically linked runtime has no file of its own.
  const std::vector<std::string> runtimes = mapped_libraries("libcudart.so");
  if (!runtimes.empty()) record("cuda_runtime_path", runtimes.front());
}

Status Session::open_files(const CaptureConfig& config, Begin begin) {
  files_ = std::make_unique<CaptureFiles>(files_options(config));
  // Held in memory until the files exist, because this is the program's thread.
  record_facts(config);
  if (begin == Begin::kWithWork) return files_->prepare();
  Status opened;
  run_on_internal_thread("prof-open", [&] { opened = files_->open(); });
  return opened;
}

Status Session::start(const CaptureConfig& config, std::uint32_t number, Begin begin,
                      StartFailure& failure) {
  is_part_of_a_run_ = !config.run_id.empty();
  start_ns_ = now_ns();
  lost_before_ = total_lost();
  dropped_before_ = global().losses.total(Loss::kDroppedRecords);
  collector_ = new Collector(driver_, config.api, config.buffer_bytes, print_message);
  failure = StartFailure::kDriver;
  std::vector<std::string> refused;
  PROF_TRY(driver_.open({config.api, number, config.cuda_home, config.library_path}, collector_,
                        refused));
  failure = StartFailure::kOutput;
  if (Status status = open_files(config, begin); !status) {
    driver_.stop(false);
    return status;
  }
  failure = StartFailure::kOther;
  RecorderOptions options;
  options.queue_bytes = config.queue_bytes;
  auto recorder = Recorder::start(*files_, collector_, options);
  if (!recorder) {
    driver_.stop(false);
    files_->discard();
    return recorder.error();
  }
  recorder_ = std::move(*recorder);
  collector_->connect(*recorder_);
  if (Status status = collector_->start_flushing(); !status)
    print_message(status.error().to_line());
  if (!refused.empty()) {
    std::string line = "CUPTI refused ";
    for (const std::string& what : refused) line += (&what == &refused.front() ? "" : ", ") + what;
    print_message(line + "; the capture continues without them");
    global().losses.add(Loss::kCuptiError, refused.size());
  }
  return {};
}

void Session::compare_launches_with_records() {
  const CollectorCounts counts = collector_->counts();
  // What other threads launch during the process's exit may or may not have a record.
  seen_late_ = {collector_->late_launches(), collector_->late_other_calls(),
                counts.launched_kernels};
  const std::uint64_t launches = counts.launches + seen_late_.launches;
  if (counts.launched_kernels >= launches) return;
  const std::uint64_t late = std::min(seen_late_.launches, launches - counts.launched_kernels);
  global().losses.add(Loss::kAfterEnd, late);
  const std::uint64_t missing = launches - counts.launched_kernels - late;
  if (missing == 0) return;
  const std::uint64_t dropped = global().losses.total(Loss::kDroppedRecords) - dropped_before_;
  // What CUPTI dropped is counted as dropped.
  const std::uint64_t unexplained = missing - std::min(missing, dropped);
  global().losses.add(Loss::kLaunchWithoutRecord, unexplained);
  if (collector_->is_broken()) return;  // Reported when it happened.
  const std::string line = std::to_string(missing) + " of " +
                           counted_plain(counts.launches, "kernel launch", "kernel launches") +
                           " left no record: ";
  // A few may still run or have been cut off; if a tenth is missing, another tool has the records.
  if (unexplained >= (counts.launches + 9) / 10) {
    constexpr std::string_view kWhy =
        "another profiler in the program (torch.profiler does this) has taken over CUPTI's records";
    RecordBatch batch;
    const std::int64_t now = now_ns();
    batch.add_loss(Loss::kTakenOver, 1, now, now, kWhy);
    recorder_->submit(std::move(batch));
    print_message(line + "probably " + std::string(kWhy) +
                  "; run without it to capture everything");
  } else if (missing * 2 >= counts.launches && unexplained < missing) {
    print_message(line + "CUPTI dropped " + std::to_string(dropped) +
                  " records for lack of buffers; raise PROF_BUFFER_MB");
  }
}

Status Session::flush() {
  driver_.flush(false);
  return recorder_->flush();
}

Status Session::stop(End end, bool detach) {
  collector_->stop_flushing();
  if (end == End::kStop) driver_.synchronize();
  if (end == End::kExit) collector_->count_late_calls();
  recorder_->stop_events();
  collector_->drain(*recorder_, kDrainTimeoutNs);
  (void)recorder_->flush();
  if (end == End::kStop) driver_.stop(detach);
  compare_launches_with_records();
  RecordBatch batch;
  batch.on(MetaRecord{"ended", end == End::kStop ? "stop" : "exit"});
  recorder_->submit(std::move(batch));
  collector_->disconnect();
  static_cast<void>(recorder_->stop());
  const Status status = files_->status();
  recorder_.reset();
  if (!files_->stream_status()) {
    print_message("the text form is incomplete: " + files_->stream_status().error().to_line());
  }
  if (status) return {};
  if (files_->is_there()) {
    return Error{files_->path() + " is incomplete: " + status.error().to_line(), "", ""};
  }
  return Error{"there is no trace: " + status.error().to_line() + "; " +
                   counted_plain(lost(), "record", "records") + " lost",
               "", ""};
}

std::string Session::report_late_launches() {
  const std::uint64_t records = collector_->counts().launched_kernels - seen_late_.records;
  const std::uint64_t launches = collector_->late_launches() - seen_late_.launches;
  const std::uint64_t late = launches - std::min(launches, records) +
                             collector_->late_other_calls() - seen_late_.other_calls;
  if (late == 0) return {};
  const std::string line = counted_plain(late, "GPU call was", "GPU calls were") +
                           " made after the program's exit handlers had ended the capture: ";
  if (!files_->is_there()) return line + "there is no trace of them";
  const LossInfo& loss = info(Loss::kAfterEnd);
  const Status status = append_loss(files_->path(), {loss.word, late, 0, 0, {}});
  return line + (status ? "counted in " + files_->path() : status.error().to_line());
}

std::uint64_t Session::counted_losses() const { return total_lost() - lost_before_; }

std::uint64_t Session::lost() const { return counted_losses() + files_->lost_records(); }

CollectorCounts Session::counts() const {
  CollectorCounts counts = collector_->counts();
  if (recorder_ != nullptr) return counts;
  const WorkCounts held = files_->held();
  counts.kernels = held.kernels;
  counts.copies = held.copies;
  counts.sets = held.sets;
  return counts;
}

std::uint64_t Session::progress() const {
  const CollectorCounts decoded = collector_->counts();
  return decoded.kernels + decoded.copies + decoded.sets + files_->taken();
}

std::string Session::closing_line() const {
  if (!files_->is_there()) {
    // In a run with several processes, some may do no GPU work.
    const bool nothing_ran = !is_part_of_a_run_ && files_->status();
    return nothing_ran ? "nothing ran on a GPU: no trace was written" : "";
  }
  const WorkCounts held = files_->held();
  std::string line = "wrote " + files_->path() + ": " +
                     counted_plain(held.kernels, "kernel", "kernels") + ", " +
                     counted_plain(held.copies, "copy", "copies");
  if (held.sets != 0) line += ", " + counted_plain(held.sets, "set", "sets");
  line += ", " + std::to_string(lost()) + " lost";
  return files_->was_moved() ? line + "; the file was moved meanwhile" : line;
}

}  // namespace prof::collectors
