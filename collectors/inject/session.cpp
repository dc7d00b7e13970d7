// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// One capture, see session.hpp.
#include "collectors/inject/session.hpp"

#include <utility>

#include "collectors/core/global.hpp"
#include "collectors/core/internal_thread.hpp"
#include "collectors/inject/process_facts.hpp"
#include "collectors/libcalls/libcalls_source.hpp"
#include "collectors/nccl/nccl_source.hpp"
#include "collectors/nvml/device_source.hpp"
#include "collectors/ops/op_source.hpp"
#include "collectors/osrt/osrt_source.hpp"
#include "libprof/base/clock.hpp"
#include "libprof/base/count_text.hpp"
#include "libprof/control/stderr_message.hpp"
#include "libprof/store/write/append_loss.hpp"

namespace prof::collectors {
namespace {

/// Later ranges have no smaller ids: threads take theirs in blocks.
RangeId next_range() { return global().next_range_block.load(std::memory_order_relaxed); }

}  // namespace

Session::Session() = default;
Session::~Session() = default;

void Session::record_facts(const CaptureConfig& config) {
  RecordSink& to = output_->files();
  const auto record = [&to](std::string_view key, const std::string& value) {
    if (!value.empty()) to.on(MetaRecord{key, value});
  };
  record("start_realtime_ns", std::to_string(start_ns_));
  for (const auto& [key, value] : process_facts()) record(key, value);
  record("run_id", config.run_id);
  record("collector_version", PROF_VERSION_STRING);
  sources_.facts(record);
}

Status Session::open_files(Begin begin) {
  CaptureFiles& files = output_->files();
  if (begin == Begin::kWithWork) return files.prepare();
  Status opened;
  run_on_internal_thread("prof-open", [&] { opened = files.open(); });
  return opened;
}

void Session::make_sources(const CaptureConfig& config, const Start& start) {
  DriverConfig cuda;
  cuda.api = config.api;
  cuda.session = start.number;
  if (start.standby != nullptr) cuda.watch = start.standby->watch();
  cuda.is_window = start.window.has_value();
  cuda.cuda_home = config.cuda_home;
  cuda.library_path = config.library_path;
  cuda.prefers_shared = config.shares_cupti;
  cuda.graph_trace = config.graph_trace;
  cuda.allocations = config.trace.has("memory");
  auto cupti =
      std::make_unique<CuptiSource>(cupti_driver(), cuda, config.buffer_bytes, print_message);
  cupti_ = cupti.get();
  sources_.add(std::move(cupti));
  sources_.add(std::make_unique<OpSource>());
  if (cuda.watch.graphs) sources_.add(start.standby->source());
  if (const auto interval_ns = config.trace.time_ns("device")) {
    auto devices = std::make_unique<DeviceSource>(*interval_ns);
    cupti_->on_device_record(
        [to = devices.get()](const DeviceRecord& record) { to->add(record.device, record.uuid); });
    sources_.add(std::move(devices));
  }
  if (config.trace.has("nccl")) {
    sources_.add(std::make_unique<NcclSource>(config.api != ApiMode::kNone, print_message));
  }
  if (const auto libraries = config.trace.words(&TraceWord::is_library); !libraries.empty()) {
    sources_.add(std::make_unique<LibcallsSource>(libraries, print_message));
  }
  if (const auto from_ns = config.trace.time_ns("osrt")) {
    sources_.add(std::make_unique<OsrtSource>(find_os_calls(), *from_ns, print_message));
  }
}

Status Session::start(const CaptureConfig& config, Start start, StartFailure& failure) {
  start_ns_ = now_ns();
  make_sources(config, start);
  failure = StartFailure::kDriver;
  PROF_TRY(sources_.open());
  // Precedes all writing: the standby may write to the same output.
  standby_ = start.standby;
  if (standby_ != nullptr) standby_->pause(start_ns_);
  failure = StartFailure::kOutput;
  output_ = start.output != nullptr
                ? std::move(start.output)
                : std::make_shared<CaptureOutput>(config, start_ns_, start.number + 1, false);
  window_ = std::move(start.window);
  if (!output_->begin(*cupti_)) {
    // Held in memory until the files exist, because this is the program's thread.
    record_facts(config);
    if (Status status = open_files(start.begin); !status) {
      sources_.close();
      output_->end_capture();
      return status;
    }
  }
  failure = StartFailure::kOther;
  RecorderOptions options;
  options.queue_bytes = config.queue_bytes;
  options.strings = &output_->strings();
  options.is_window = window_.has_value();
  first_range_ = next_range();
  auto recorder = Recorder::start(output_->files(), &sources_, &cupti_->decoder(), options);
  if (!recorder) {
    sources_.close();
    output_->end_capture();
    if (!output_->is_shared()) output_->files().discard();
    return recorder.error();
  }
  recorder_ = std::move(*recorder);
  output_->note_begun();
  record_window(0, {});
  sources_.connect(*recorder_);
  return {};
}

/// Until the window's end is recorded, the trace states that it is still being written.
void Session::record_window(std::int64_t end_ns, const std::string& closer) {
  if (!window_) return;
  RecordBatch batch;
  CaptureRecord record;
  record.number = window_->number;
  record.start_ns = start_ns_;
  record.end_ns = end_ns;
  record.first_range = first_range_;
  if (end_ns != 0) record.end_range = end_range_;
  record.opener = window_->opener;
  record.closer = closer;
  batch.on(record);
  if (end_ns == 0) batch.on(MetaRecord{"ended", ""});
  recorder_->submit(std::move(batch));
}

Status Session::flush() {
  sources_.flush();
  return recorder_->flush();
}

Status Session::stop(End end, bool detach, const std::string& closer) {
  sources_.end_events(end);
  const std::int64_t end_ns = now_ns();
  const bool goes_on = standby_ != nullptr && end == End::kStop && standby_->watch().graphs;
  recorder_->stop_events(goes_on ? Recorder::Next::kSession : Recorder::Next::kNothing);
  end_range_ = next_range();
  sources_.stop(end, detach);
  record_window(end_ns, closer);
  RecordBatch batch;
  batch.on(MetaRecord{"ended", end == End::kStop ? "stop" : "exit"});
  recorder_->submit(std::move(batch));
  sources_.disconnect();
  static_cast<void>(recorder_->stop());
  CaptureFiles& files = output_->files();
  const Status status = files.status();
  recorder_.reset();
  output_->end_capture();
  cupti_->release();
  if (!files.stream_status()) {
    print_message("the text form is incomplete: " + files.stream_status().error().to_line());
  }
  if (status) return {};
  if (files.is_there()) {
    return Error{files.path() + " is incomplete: " + status.error().to_line(), "", ""};
  }
  return Error{"there is no trace: " + status.error().to_line() + "; " +
                   count_text_plain(lost(), "record", "records") + " lost",
               "", ""};
}

std::string Session::report_late_launches() {
  const std::uint64_t late = cupti_->late_calls();
  if (late == 0) return {};
  const std::string line = count_text_plain(late, "GPU call was", "GPU calls were") +
                           " made after the program's exit handlers had ended the capture: ";
  if (!output_->files().is_there()) return line + "there is no trace of them";
  const LossInfo& loss = info(Loss::kAfterEnd);
  const Status status = append_loss(output_->files().path(), {loss.word, late, 0, 0, {}});
  return line + (status ? "counted in " + output_->files().path() : status.error().to_line());
}

CollectorCounts Session::counts() const {
  CollectorCounts counts = cupti_->counts();
  if (recorder_ != nullptr) return counts;
  const WorkCounts held = output_->files().held();
  counts.kernels = held.kernels;
  counts.copies = held.copies;
  counts.sets = held.sets;
  return counts;
}

std::uint64_t Session::progress() const {
  const CollectorCounts decoded = cupti_->counts();
  return decoded.kernels + decoded.copies + decoded.sets + output_->files().progress();
}

}  // namespace prof::collectors
