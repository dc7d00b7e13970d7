// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// One capture, see session.hpp.
#include "collectors/inject/session.hpp"

#include <unistd.h>

#include <utility>

#include "collectors/core/global.hpp"
#include "collectors/core/internal_thread.hpp"
#include "collectors/nvml/device_source.hpp"
#include "collectors/osrt/osrt_source.hpp"
#include "libprof/base/clock.hpp"
#include "libprof/base/counted.hpp"
#include "libprof/control/stderr_message.hpp"
#include "libprof/store/append_loss.hpp"

namespace prof::collectors {
namespace {

std::uint64_t total_lost() {
  std::uint64_t lost = 0;
  for (std::size_t i = 0; i < kLossCount; ++i) {
    if (kLossInfos[i].severity == Severity::kDataLoss)
      lost += global().losses.total(static_cast<Loss>(i));
  }
  return lost;
}

}  // namespace

Session::Session() = default;
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
  options.worth_keeping = [this] { return cupti_->has_work() || counted_losses() != 0; };
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
  sources_.facts(record);
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

void Session::make_sources(const CaptureConfig& config, std::uint32_t number, bool stands_by) {
  const DriverConfig cuda{
      config.api, number, stands_by, config.cuda_home, config.library_path, config.graph_trace};
  auto cupti =
      std::make_unique<CuptiSource>(cupti_driver(), cuda, config.buffer_bytes, print_message);
  cupti_ = cupti.get();
  sources_.add(std::move(cupti));
  if (config.trace.device_interval_ns != 0) {
    auto devices = std::make_unique<DeviceSource>(config.trace.device_interval_ns);
    cupti_->tell_devices(
        [to = devices.get()](const DeviceRecord& record) { to->add(record.device, record.uuid); });
    sources_.add(std::move(devices));
  }
  if (config.trace.os_calls_from_ns) {
    sources_.add(std::make_unique<OsrtSource>(find_os_calls(), *config.trace.os_calls_from_ns,
                                              print_message));
  }
}

Status Session::start(const CaptureConfig& config, std::uint32_t number, Begin begin,
                      Standby* standby, StartFailure& failure) {
  is_part_of_a_run_ = !config.run_id.empty();
  start_ns_ = now_ns();
  lost_before_ = total_lost();
  make_sources(config, number, standby != nullptr);
  failure = StartFailure::kDriver;
  PROF_TRY(sources_.open());
  failure = StartFailure::kOutput;
  if (Status status = open_files(config, begin); !status) {
    sources_.close();
    return status;
  }
  failure = StartFailure::kOther;
  RecorderOptions options;
  options.queue_bytes = config.queue_bytes;
  options.tick = [this](ActivitySink& sink, bool last) { sources_.tick(sink, last); };
  options.read_event = [this](ThreadId thread, const EventHeader& event, ActivitySink& sink) {
    return sources_.read(thread, event, sink);
  };
  standby_ = standby;
  if (standby != nullptr) {
    standby->pause(start_ns_);
    standby->attach(options);
  }
  auto recorder = Recorder::start(*files_, &cupti_->decoder(), options);
  if (!recorder) {
    sources_.close();
    files_->discard();
    return recorder.error();
  }
  recorder_ = std::move(*recorder);
  sources_.connect(*recorder_);
  return {};
}

Status Session::flush() {
  sources_.flush();
  return recorder_->flush();
}

Status Session::stop(End end, bool detach) {
  sources_.end_events(end);
  const bool goes_on = standby_ != nullptr && end == End::kStop;
  recorder_->stop_events(goes_on ? Recorder::Next::kSession : Recorder::Next::kNothing);
  sources_.stop(end, detach);
  RecordBatch batch;
  batch.on(MetaRecord{"ended", end == End::kStop ? "stop" : "exit"});
  recorder_->submit(std::move(batch));
  sources_.disconnect();
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
  const std::uint64_t late = cupti_->late_calls();
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
  CollectorCounts counts = cupti_->counts();
  if (recorder_ != nullptr) return counts;
  const WorkCounts held = files_->held();
  counts.kernels = held.kernels;
  counts.copies = held.copies;
  counts.sets = held.sets;
  return counts;
}

std::uint64_t Session::progress() const {
  const CollectorCounts decoded = cupti_->counts();
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
