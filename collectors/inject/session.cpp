// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// One capture, see session.hpp.
#include "collectors/inject/session.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "collectors/core/clock.hpp"
#include "collectors/core/global.hpp"
#include "collectors/cupti/cuda_driver_api.hpp"
#include "collectors/cupti/cupti_library.hpp"
#include "collectors/inject/say.hpp"
#include "libprof/source/stream_writer.hpp"
#include "libprof/source/tee_sink.hpp"
#include "libprof/store/trace_writer.hpp"

namespace prof::collectors {
namespace {

constexpr std::int64_t kDrainTimeoutNs = 2'000'000'000;
constexpr int kMaxNames = 100;

bool exists(const std::string& path) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0;
}

/// Another process holds a lock on the file, as the writer of a trace does until it is done.
bool is_being_written(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return false;
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  const bool is_locked = fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  close(file);
  return is_locked;
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

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

/// Where a file of that name goes, if this process is not the first that wants it.
struct OutputName {
  std::string path;
  bool is_first = true;
};

/// Calls `create(path)` with names that are tried one after the other, until one is free. Only
/// where a name is taken by another process of the same run, or by one that is still writing it,
/// the next is tried; what an earlier run left is an error.
template <typename Create>
Result<OutputName> create_output(const std::string& path, bool same_run, Create create) {
  for (int n = 0;; ++n) {
    const std::string name = n == 0 ? path : name_of_other_process(path, getpid(), n);
    Status status = create(name);
    if (status) return OutputName{name, n == 0};
    if (n == kMaxNames || !exists(name)) return status.error();
    if (!same_run && !is_being_written(name)) return status.error();
  }
}

}  // namespace

Session::Session() : driver_(cupti_driver()) {}
Session::~Session() = default;

RecordSink& Session::sink() { return tee_ ? static_cast<RecordSink&>(*tee_) : *trace_; }

Status Session::open_trace(const CaptureConfig& config) {
  const std::string path = fill_placeholders(config.output, getpid(), host_name());
  auto name =
      create_output(path, !config.run_id.empty(), [&](const std::string& candidate) -> Status {
        TraceWriterOptions options;
        options.force = config.force;
        options.start_realtime_ns = start_ns_;
        auto trace = TraceWriter::create(candidate, options);
        if (!trace) return trace.error();
        trace_ = std::move(*trace);
        return {};
      });
  if (!name) return name.error();
  output_ = name->path;
  if (!name->is_first) {
    say(path + " is another process's of this run; process " + std::to_string(getpid()) +
        " is captured to " + output_);
  }
  return {};
}

void Session::open_stream(const CaptureConfig& config) {
  if (config.stream.empty()) return;
  const std::string path = fill_placeholders(config.stream, getpid(), host_name());
  const Existing existing = config.force ? Existing::kReplace : Existing::kRefuse;
  auto name =
      create_output(path, !config.run_id.empty(), [&](const std::string& candidate) -> Status {
        auto stream = StreamWriter::create(candidate, existing);
        if (!stream) return stream.error();
        stream_ = std::move(*stream);
        return {};
      });
  if (!name) {
    say(name.error().to_line() + " (the capture goes on without the text form)");
    return;
  }
  stream_output_ = name->path;
  tee_ = std::make_unique<TeeSink>(*trace_, *stream_);
}

Status Session::open_outputs(const CaptureConfig& config) {
  PROF_TRY(open_trace(config));
  open_stream(config);
  return {};
}

void Session::tell_facts(const CaptureConfig& config) {
  RecordSink& to = sink();
  const auto tell = [&to](std::string_view key, const std::string& value) {
    if (!value.empty()) to.on(MetaRecord{key, value});
  };
  tell("start_realtime_ns", std::to_string(start_ns_));
  for (const auto& [key, value] : process_facts()) tell(key, value);
  tell("run_id", config.run_id);
  tell("collector_version", PROF_VERSION_STRING);
  tell("api_mode", std::string(to_word(config.api)));
  tell("cupti_version", std::to_string(driver_.version()));
  tell("cupti_path", driver_.path());
  tell("driver_version", kernel_driver_version());
  if (const int version = cuda_driver_version(); version != 0) {
    tell("cuda_driver_version", cuda_version_text(version));
  }
  // A runtime that is linked statically has no file of its own.
  const std::vector<std::string> runtimes = mapped_libraries("libcudart.so");
  if (!runtimes.empty()) tell("cuda_runtime_path", runtimes.front());
}

Status Session::start(const CaptureConfig& config, std::uint32_t number, StartFailure& failure) {
  start_ns_ = now_ns();
  lost_before_ = total_lost();
  dropped_before_ = global().losses.total(Loss::kDroppedRecords);
  collector_ = new Collector(driver_, config.api, config.buffer_bytes, say);
  failure = StartFailure::kDriver;
  std::vector<std::string> refused;
  PROF_TRY(driver_.open({config.api, number, config.cuda_home, config.library_path}, collector_,
                        refused));
  failure = StartFailure::kOutput;
  if (Status status = open_outputs(config); !status) {
    driver_.stop(false);
    return status;
  }
  tell_facts(config);
  failure = StartFailure::kOther;
  RecorderOptions options;
  options.queue_bytes = config.queue_bytes;
  auto recorder = Recorder::start(sink(), collector_, options);
  if (!recorder) {
    driver_.stop(false);
    return recorder.error();
  }
  recorder_ = std::move(*recorder);
  collector_->connect(*recorder_);
  if (Status status = collector_->start_flushing(); !status) say(status.error().to_line());
  if (!refused.empty()) {
    std::string line = "CUPTI refused ";
    for (const std::string& what : refused) line += (&what == &refused.front() ? "" : ", ") + what;
    say(line + "; the capture goes on without them");
    global().losses.add(Loss::kCuptiError, refused.size());
  }
  return {};
}

void Session::compare_launches_with_records() {
  const CollectorCounts counts = collector_->counts();
  if (counts.launched_kernels >= counts.launches) return;
  const std::uint64_t missing = counts.launches - counts.launched_kernels;
  const std::uint64_t dropped = global().losses.total(Loss::kDroppedRecords) - dropped_before_;
  // What CUPTI dropped is counted as that.
  const std::uint64_t unexplained = missing - std::min(missing, dropped);
  global().losses.add(Loss::kLaunchWithoutRecord, unexplained);
  if (collector_->is_broken()) return;  // Said when it happened.
  const std::string line = std::to_string(missing) + " of " +
                           counted(counts.launches, "kernel launch", "kernel launches") +
                           " left no record: ";
  // A few may still run or have been cut off; where a tenth is gone somebody else has the records.
  if (unexplained >= (counts.launches + 9) / 10) {
    constexpr std::string_view kWhy =
        "another profiler in the program (torch.profiler does this) has taken over CUPTI's records";
    RecordBatch batch;
    const std::int64_t now = now_ns();
    batch.add_loss(Loss::kTakenOver, 1, now, now, kWhy);
    recorder_->submit(std::move(batch));
    say(line + "probably " + std::string(kWhy) + "; run without it to capture everything");
  } else if (missing * 2 >= counts.launches && unexplained < missing) {
    say(line + "CUPTI dropped " + std::to_string(dropped) +
        " records for want of buffers; raise PROF_BUFFER_MB");
  }
}

Status Session::flush() {
  driver_.flush(false);
  return recorder_->flush();
}

Status Session::stop(End end, bool detach) {
  collector_->stop_flushing();
  if (end == End::kStop) driver_.synchronize();
  recorder_->stop_events();
  collector_->drain(*recorder_, kDrainTimeoutNs);
  (void)recorder_->flush();
  if (end == End::kStop) driver_.stop(detach);
  compare_launches_with_records();
  RecordBatch batch;
  batch.add(MetaRecord{"ended", end == End::kStop ? "stop" : "exit"});
  recorder_->submit(std::move(batch));
  collector_->disconnect();
  Status status = recorder_->stop();
  recorder_.reset();
  tee_.reset();
  stream_.reset();
  trace_.reset();
  return status;
}

std::uint64_t Session::lost() const { return total_lost() - lost_before_; }

std::string Session::closing_line() const {
  const CollectorCounts counts = collector_->counts();
  std::string line = "wrote " + output_ + ": " + counted(counts.kernels, "kernel", "kernels") +
                     ", " + counted(counts.copies, "copy", "copies");
  if (counts.sets != 0) line += ", " + counted(counts.sets, "set", "sets");
  return line + ", " + std::to_string(lost()) + " lost";
}

}  // namespace prof::collectors
